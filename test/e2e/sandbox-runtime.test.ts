// @module-tag claude-code
// @module-tag slow
import { createFixture } from 'fs-fixture'
import { describe, expect, test, vi } from 'vitest'
import { probeSandboxRuntime } from '../../src/sandbox/sandbox-runtime/command.ts'
import { processesWith } from '../support/processes.ts'
import { openPlace, whyNoSandboxRuntime, type Place } from '../support/sandbox-runtime.ts'
import { startUpstream, tryFetch } from '../support/upstream.ts'
import { verdicts } from '../support/eval-project.ts'
import { bash, createPackage, describeEvals, runEvals, write, type WrittenPackage } from '../support/package-run.ts'

const SECRETS = { ANTHROPIC_API_KEY: 'sk-ant-real-1234567890', DEPLOY_TOKEN: 'dt-real-1234567890' }
const skipped = await whyNoSandboxRuntime()

describeEvals('a session', () => {
  describe.skipIf(skipped !== null)(`in sandbox-runtime${skipped === null ? '' : ` (skipped: ${skipped})`}`, () => {
    test('writes only where it may, sees no secret, reaches nobody, is blocked by hooks and leaves nothing', async () => {
      const sleep = `96${process.pid}`
      await using server = await startUpstream([{ text: 'reached' }])
      await using place = await openPackage({
        config: { sandbox: { network: false, 'writable-paths': ['output/'] }, env: { EVAL_MODE: 'true' } },
        cases: {
          'a-writes': {
            expected: { 'files-created': ['output/a.txt', 'output/b.txt'] },
            workspaceFiles: ['src/app.ts'],
            turns: [
              { tools: [bash('echo a > output/a.txt && cat output/a.txt')] },
              { tools: [bash('echo a > src/a.txt; echo a >> src/app.ts; rm src/app.ts; mkdir new; echo a > /usr/a')] },
              {
                tools: [
                  bash('mkdir -p output/.claude/skills output/.vscode; echo {} > output/.mcp.json; ls -A output'),
                ],
              },
              { tools: [write('${WORKSPACE}/output/b.txt')] },
              { tools: [write('${WORKSPACE}/src/b.txt')] },
              'done',
            ],
          },
          'b-hook': {
            target: 'hook:pre-tool-use',
            expected: { 'agent-blocked': true },
            turns: [{ tools: [write('/etc/config.txt')] }, 'done'],
          },
          'c-looks': {
            turns: [
              {
                tools: [
                  bash(
                    "env | grep -c 'rea[l]-1'; env | grep -c EVAL_MOD[E]; ls -A /home /root /srv | grep -c '[a-z]$'",
                  ),
                ],
              },
              { tools: [bash("cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c 'rea[l]-1'")] },
              { tools: [bash(tryFetch(server.url))] },
              'done',
            ],
          },
          'd-stays': {
            turns: [
              { tools: [bash(`setsid nohup sh -c 'trap "" TERM; sleep ${sleep}' >/dev/null 2>&1 & echo started`)] },
              'done',
            ],
          },
        },
        files: {
          'hooks/hooks.json': JSON.stringify(BLOCKING),
        },
      })
      const run = await runEvals(place.project, { ...place.env, ...SECRETS })

      expect(verdicts(run.report), run.finished.all).toEqual([
        'a-writes PASS',
        'b-hook PASS',
        'c-looks PASS',
        'd-stays PASS',
      ])
      expect(run.report.cases.map(({ sandbox }) => sandbox)).toEqual(
        run.report.cases.map(() => ({ asked: 'sandbox-runtime', enforced: 'sandbox-runtime' })),
      )
      expect((await run.toolResults('a-writes')).slice(0, 3).join('\n\n')).toMatchInlineSnapshot(`
        "a

        Exit code 1
        /bin/bash: line 1: src/a.txt: Read-only file system
        /bin/bash: line 1: src/app.ts: Read-only file system
        rm: cannot remove 'src/app.ts': Read-only file system
        mkdir: cannot create directory ‘new’: Read-only file system
        /bin/bash: line 1: /usr/a: Read-only file system

        .claude
        .mcp.json
        .vscode
        a.txt"
      `)
      expect((await run.toolResults('a-writes'))[4]).toMatch(/^EROFS: read-only file system/)
      expect(run.run('a-writes').files).toEqual({
        created: ['.mcp.json', 'a.txt', 'b.txt'].map((name) => expect.objectContaining({ path: `output/${name}` })),
        modified: [],
        deleted: [],
        unreadable: [],
      })
      expect(await run.toolResults('c-looks')).toEqual(['0\n1\n0', '0', expect.stringMatching(/^no network: E\w+$/)])
      expect(server.requests).toEqual([])
      expect(`${JSON.stringify(run.report)}${run.finished.all}`).not.toContain('-real-1234')
      expect([place.left(), processesWith(sleep)]).toEqual([[], []])
    })

    test('leaves nothing when all that started it is killed, and at its deadline', async () => {
      const sleep = `95${process.pid}`
      const sleeping = { turns: [{ tools: [bash(`sleep ${sleep}`)] }, 'done'] }
      await using place = await openPackage({ config: { timeout: 3 }, cases: { 'a-hangs': sleeping } })
      const args = ['run', '--project', 'evals']
      const killed = place.project.start(args, { env: { ...place.env, AGENT_EVALS_TIMEOUT: '100' } })
      await vi.waitFor(() => expect(processesWith(sleep)).not.toEqual([]), WAIT)
      process.kill(killed.pid, 'SIGKILL')
      await killed.finished
      await vi.waitFor(() => expect(processesWith(place.folder)).toEqual([]), WAIT)
      expect(processesWith(sleep)).toEqual([])

      const run = await runEvals(place.project, place.env)
      expect(verdicts(run.report), run.finished.all).toEqual(['a-hangs ERROR timed-out'])
      expect([place.left(), processesWith(sleep)]).toEqual([[], []])
    })
  })
})

describe('a sandbox-runtime', () => {
  test.for([
    ['that is another program', '', 'it has no SandboxManager.initialize, SandboxManager.wrapWithSandbox'],
    [
      'that confines nothing',
      `export const SandboxManager = { initialize() {}, wrapWithSandbox: (command) => command.replace('exec ', ''), cleanupAfterCommand() {} }`,
      'the workspace can be written, files of the host can be read',
    ],
    [
      'that fails',
      `export const SandboxManager = { initialize() { throw new Error('socat not installed') }, wrapWithSandbox() {}, cleanupAfterCommand() {} }`,
      'socat not installed',
    ],
  ] as const)('%s is not taken for a sandbox', async ([, source, reason]) => {
    await using files = await createFixture({
      'node_modules/@anthropic-ai/sandbox-runtime': {
        'package.json': '{ "type": "module", "main": "./index.js" }',
        'index.js': source,
      },
    })
    expect(await probeSandboxRuntime({ environment: process.env, root: files.path }, false)).toEqual({
      works: false,
      found: true,
      reason: expect.stringContaining(reason) as string,
      exhausted: false,
    })
  })
})

function openPackage(written: WrittenPackage): Promise<Place> {
  const options = "{ sandbox: 'sandbox-runtime', concurrency: 2 }"
  return openPlace((major) => createPackage({ major, options, workers: 'default', ...written }))
}

const WAIT = { timeout: 60_000, interval: 100 }

const BLOCKING = {
  version: 1,
  hooks: {
    'pre-tool-use': [
      {
        matcher: 'Write',
        hooks: [{ type: 'command', command: 'case "${file}" in /etc/*) echo "no" >&2; exit 2 ;; esac' }],
      },
    ],
  },
}
