import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { REPOSITORY } from '../support/repository.ts'
import { startProcess, type FinishedProcess } from '../support/running-process.ts'

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> }
        readonly steps: readonly { readonly run?: string; readonly uses?: string }[]
      }
    >
  >
}

const release = await read('release.yml')
const pullRequest = await read('pull-request.yml')
const dependencies = await read('dependencies.yml')
const OWNED = { repository: 'github:owner/name', homepage: 'https://example.org', bugs: 'https://example.org/bugs' }

test('a release is checked before it is published, with provenance', () => {
  const commands = commandsOf(release)
  expect(commands.at(-1)).toBe('npm publish --provenance --access public')
  expect(commands.findIndex((line) => line.includes('check-release'))).toBeLessThan(commands.indexOf('npm run check'))
  expect(release.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
})

test('a pull request runs the README, both Vitest majors and the checks on every supported machine', async () => {
  const { strategy } = pullRequest.jobs['test'] ?? {}
  expect(strategy?.matrix).toEqual({ os: ['ubuntu-24.04', 'macos-15'], node: [20, 22, 24] })
  const commands = commandsOf(pullRequest)
  const { scripts } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const asked = commands.flatMap((line) =>
    Array.from(line.matchAll(/npm (?:run )?(test|evals|check)/g), ([, name = '']) => name),
  )
  expect(asked.toSorted()).toEqual(['check', 'evals', 'test'])
  for (const name of asked) expect(scripts).toHaveProperty(name)
  expect(commands.join('\n')).toContain('--tags-filter "major && !slow"')
})

test('a release without repository, homepage and bugs fails and names them', async () => {
  const { exitCode, all } = await checkRelease({ version: '1.2.3' }, '## 1.2.3\n', 'v1.2.3')
  expect(exitCode).toBe(1)
  for (const field of Object.keys(OWNED))
    expect(all).toContain(`package.json has no "${field}". The owner of the package names it; add it before a release.`)
})

test.for([
  ['a release with everything passes', '## 1.2.3\n', 'v1.2.3', 0, /^$/],
  ['a tag of another version fails', '## 1.2.3\n', 'v1.2.4', 1, /The tag is "v1\.2\.4"/],
  ['a version without a changelog fails', '## 1.2.2\n', 'v1.2.3', 1, /CHANGELOG\.md has no section "## 1\.2\.3"/],
] as const)('%s', async ([, changelog, tag, code, message]) => {
  const { exitCode, all } = await checkRelease({ version: '1.2.3', ...OWNED }, changelog, tag)
  expect(exitCode, all).toBe(code)
  expect(all.trim()).toMatch(message)
})

test('the owner has not named repository, homepage and bugs yet, so that a release fails', async () => {
  const manifest = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(Object.keys(OWNED).filter((field) => field in manifest)).toEqual([])
  expect(manifest['keywords']).toEqual(expect.arrayContaining(['vitest-plugin', 'claude-code', 'evals']))
})

test('dependencies are set to exact versions, but for majors that a person raises', async () => {
  const outdated = {
    zod: { current: '4.0.0', latest: '5.1.0' },
    prices: { current: '1.0.0', latest: '1.0.1' },
    vitest: { current: '4.1.0', latest: '5.0.0' },
  }
  await using folder = await createFixture({
    'package.json': JSON.stringify({
      dependencies: { prices: '1.0.0' },
      devDependencies: { zod: '4.0.0', vitest: '4.1.0' },
    }),
    // Stands in for npm: it shows the outdated packages and notes what it is asked to install.
    'bin/npm': `#!/bin/sh\nif [ "$1" = outdated ]; then echo '${JSON.stringify(outdated)}'; exit 1; fi\necho "$*" >> installed.txt\n`,
  })
  await chmod(folder.getPath('bin/npm'), 0o755)
  const step = commandsOf(dependencies).find((line) => line.includes('update-dependencies')) ?? ''
  const { exitCode, all } = await shell(step, folder.path, `${folder.getPath('bin')}:${process.env['PATH'] ?? ''}`)
  expect(exitCode, all).toBe(0)
  expect(await folder.readFile('installed.txt', 'utf8')).toBe(
    'install --save --save-exact --ignore-scripts prices@1.0.1\ninstall --save-dev --save-exact --ignore-scripts zod@5.1.0\n',
  )
  expect(await folder.readFile('updates.md', 'utf8')).toBe(
    '| package | from | to |\n|---|---|---|\n| zod | 4.0.0 | 5.1.0 |\n| prices | 1.0.0 | 1.0.1 |\n',
  )
})

test('the licences of all bundled packages are in the package', async () => {
  const text = await readFile(join(REPOSITORY, 'dist/LICENSES.md'), 'utf8')
  const titles = [...text.matchAll(/^## (\S+) \d/gm)].map(([, name]) => name)
  for (const name of ['yaml', 'zod', 'openai', '@anthropic-ai/sdk', 'tinyglobby', 'tmp', 'preact'])
    expect(titles).toContain(name)
})

async function checkRelease(manifest: object, changelog: string, tag: string): Promise<FinishedProcess> {
  const files: FileTree = { 'package.json': JSON.stringify(manifest), 'CHANGELOG.md': changelog }
  await using folder = await createFixture(files)
  const step = commandsOf(release).find((line) => line.includes('check-release')) ?? ''
  return await shell(step, folder.path, process.env['PATH'] ?? '', { GITHUB_REF_NAME: tag })
}

/** Runs a step as it is written, with the scripts of this repository. */
function shell(
  step: string,
  cwd: string,
  PATH: string,
  env: Readonly<Record<string, string>> = {},
): Promise<FinishedProcess> {
  const command = step.replace(' scripts/', ` "${REPOSITORY}"/scripts/`)
  return startProcess('sh', ['-c', command], { cwd, env: { PATH, ...env }, merged: true }).finished
}

function commandsOf({ jobs }: Workflow): readonly string[] {
  return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => (run === undefined ? [] : [run])))
}

async function read(name: string): Promise<Workflow> {
  return parse(await readFile(join(REPOSITORY, '.github/workflows', name), 'utf8')) as Workflow
}
