import { kindOf } from '../../../src/formats/kinds.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { stagePluginCase } from '../../../src/session/plugin-session.ts'
import { decideSandbox } from '../../../src/sandbox/decide.ts'
import { createInputCache } from '../../../src/session/inputs/input-cache.ts'
import { loadSuite } from '../../../src/formats/load-suite.ts'
import { createWorkspace, type Workspace } from '../../../src/session/workspace.ts'
import type { SandboxDecision } from '../../../src/sandbox/sandbox.ts'
import type { EvalCase } from '../../../src/formats/suite.ts'

const NONE: SandboxDecision = { backend: 'none', asked: 'none', enforced: 'none', notice: null }

interface Staged {
  readonly workspace: Workspace
  readonly notices: readonly string[]
}

async function stage(
  script: string,
  look: (staged: Staged) => void,
  { scaffold = true, sandbox = NONE }: { readonly scaffold?: boolean; readonly sandbox?: SandboxDecision } = {},
): Promise<void> {
  await using fixture = await createFixture({
    '.claude-plugin/plugin.json': '{"name":"p"}',
    'evals/one/case.yaml': `schema_version: "1.1"
name: one
context: { scaffold_script: setup.sh, history_file: history.jsonl, add_dirs: [data] }
execution: { prompt: hi }
graders: [{ type: regex, name: a, pattern: hi }]
`,
    'evals/one/setup.sh': script,
    'evals/one/data/a.txt': 'a',
    'evals/one/history.jsonl': '{"turn":1}\n',
  })
  const root = fixture.path.replace(/\/$/, '')
  const [evalCase] = (await loadSuite(fixture.getPath('evals/one/case.yaml'), { root })).cases as readonly [EvalCase]
  await using workspace = createWorkspace()
  const notices = await stagePluginCase(
    {
      evalCase,
      pluginCase: kindOf(evalCase).pluginCase(evalCase),
      label: 'one',
      inputs: createInputCache(),
      pluginEval: { scaffold, trustPlugin: false, mocks: 'record' },
      sandbox,
      signal: AbortSignal.timeout(60_000),
    },
    workspace,
  )
  look({ workspace, notices })
}

const SCRIPT = 'cp "$(dirname "$0")/data/a.txt" copied.txt\necho "$PWD" > where.txt\n'

test('a scaffold script fills the workspace from a copy of its case, which is gone afterwards', async () => {
  await stage(SCRIPT, ({ workspace, notices }) => {
    expect(notices).toEqual([])
    expect(readFileSync(join(workspace.workspace, 'copied.txt'), 'utf8')).toBe('a')
    expect(existsSync(join(workspace.config, 'case'))).toBe(false)
    expect(existsSync(join(workspace.package, 'evals/one/data/a.txt'))).toBe(true)
    expect(existsSync(join(workspace.package, 'evals/one/case.yaml'))).toBe(false)
    expect(readFileSync(join(workspace.config, 'history.jsonl'), 'utf8')).toBe('{"turn":1}\n')
  })
})

const confined = await decideSandbox('bubblewrap', { environment: process.env }).catch(() => null)

test.skipIf(confined === null)(
  'it runs in the sandbox of the case: without a network, and without the files of the host',
  async () => {
    const script = `${SCRIPT}cat /proc/net/route | wc -l > routes.txt\ntrue\n`
    await stage(
      script,
      ({ workspace }) => {
        expect(readFileSync(join(workspace.workspace, 'where.txt'), 'utf8')).toBe('/workspace\n')
        expect(readFileSync(join(workspace.workspace, 'routes.txt'), 'utf8').trim()).toMatch(/^[01]$/)
      },
      { sandbox: confined ?? NONE },
    )
  },
)

test('without --scaffold it does not run, and the case says so', async () => {
  await stage(
    SCRIPT,
    ({ workspace, notices }) => {
      expect(notices).toEqual([
        'Its scaffold script setup.sh does not run without --scaffold, so its workspace is empty.',
      ])
      expect(existsSync(join(workspace.workspace, 'copied.txt'))).toBe(false)
    },
    { scaffold: false },
  )
})

test('a script that fails is an error with what it printed', async () => {
  const failing = stage('echo "no data" >&2\nexit 3\n', () => undefined)
  await expect(failing).rejects.toMatchObject({
    code: 'scaffold-failed',
    message: expect.stringMatching(/setup\.sh of one failed: it ended with exit code 3\. no data/) as string,
  })
})
