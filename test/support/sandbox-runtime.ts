import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readdirSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { decideSandbox } from '../../src/sandbox/decide.ts'
import { readHostLayout } from '../../src/sandbox/host-layout.ts'
import { repositoryVitest, type VitestMajor } from './majors.ts'
import { sandboxRuntimeFolder } from './other-engines.ts'
import type { TestProject } from './project.ts'

/** Options of setpriv for somebody who is not root. */
export const ANOTHER_USER = ['--reuid=65534', '--regid=65534', '--clear-groups'] as const
/** Root may not use sandbox-runtime, so that root's tests become somebody else. */
export const isRoot = process.getuid?.() === 0

/** A project that a user who is not root owns and runs in sandbox-runtime. */
export interface Place extends AsyncDisposable {
  readonly project: TestProject
  readonly env: Readonly<Record<string, string>>
  /** Folder for temporary files of the run, its own. */
  readonly folder: string
  /** What the run has left there. */
  left(): readonly string[]
}

/** Makes a project that belongs to a user who is not root, and is run by that user. */
export async function openPlace(create: (major: VitestMajor) => Promise<TestProject>): Promise<Place> {
  const files = await createFixture({
    node: `#!/bin/sh\nexec setpriv ${ANOTHER_USER.join(' ')} ${process.execPath} "$@"\n`,
    tmp: {},
  })
  for (const path of [files.path, files.getPath('node')]) chmodSync(path, 0o755)
  const major = { ...repositoryVitest(), ...(isRoot ? { node: files.getPath('node') } : {}) }
  const project = await create(major)
  const folder = files.getPath('tmp')
  if (isRoot) execFileSync('chown', ['-R', '65534:65534', project.root, project.home, folder])
  return {
    project,
    folder,
    env: { AGENT_EVALS_ENGINES: await sandboxRuntimeFolder(), TMPDIR: folder },
    left: () => readdirSync(folder),
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]()
      await files.rm()
    },
  }
}

/** Why sandbox-runtime cannot be used here; `null` where it can. */
export async function whyNoSandboxRuntime(): Promise<string | null> {
  if (process.platform === 'linux' && !readHostLayout().hasSocat) return 'socat is not installed'
  if (isRoot) {
    const { status } = spawnSync('setpriv', [...ANOTHER_USER, 'test', '-r', repositoryVitest().vitestBin])
    return status === 0 ? null : 'another user cannot read this repository'
  }
  const decided = await decideSandbox('sandbox-runtime', {
    environment: process.env,
    root: await sandboxRuntimeFolder(),
  }).catch(String)
  return typeof decided === 'string' ? decided : null
}
