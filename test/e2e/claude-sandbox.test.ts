// @module-tag claude-code
import { describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { isContainer } from '../../src/sandbox/environment.ts'
import { programsWithout } from '../support/bare-machine.ts'
import { startUpstream, tryFetch } from '../support/upstream.ts'
import { SHELL_VARIABLES, shellCases, shellConfig } from '../support/shell-engine.ts'
import { verdicts } from '../support/eval-project.ts'
import { bash, createPackage, describeEvals, runEvals, write, type WrittenTurn } from '../support/package-run.ts'

/** What the parent has and no session may see; the commands name them so that they do not find themselves. */
const SECRETS = { ANTHROPIC_API_KEY: 'sk-real-1234567890', DEPLOY_TOKEN: 'dt-real-1234567890' }

const LOOK: readonly WrittenTurn[] = [
  { tools: [bash("env | grep -c 'EVAL_MODE=[t]rue'; env | grep -c '[a-z]-rea[l]'")] },
  { tools: [bash("tr '\\0' '\\n' < /proc/self/environ | grep -c '[a-z]-rea[l]'; env | grep -c DEPLOY_TOKE[N]")] },
  'done',
]

const bubblewrap = await probeBubblewrap(process.env)

describeEvals('a session', () => {
  describe.skipIf(!bubblewrap.works)(
    `in bubblewrap${bubblewrap.works ? '' : ` (skipped: ${bubblewrap.reason})`}`,
    () => {
      test('A4 and A5: writes only where it may, reaches no network and sees no secret', async () => {
        await using server = await startUpstream([{ text: 'reached' }])
        await using project = await createPackage({
          options: "{ sandbox: 'bubblewrap' }",
          config: { sandbox: { network: false, 'writable-paths': ['output/'] }, env: { EVAL_MODE: 'true' } },
          cases: {
            'a-writes': {
              expected: { 'files-created': ['output/a.txt', 'output/b.txt'] },
              workspaceFiles: ['src/app.ts'],
              turns: [
                { tools: [bash('echo a > output/a.txt && cat output/a.txt')] },
                {
                  tools: [bash('echo a > src/a.txt; echo a >> src/app.ts; rm src/app.ts; mkdir new; echo a > /usr/a')],
                },
                { tools: [bash('mkdir .claude; echo a > /opt/agent-evals/package/a')] },
                { tools: [write('${WORKSPACE}/output/b.txt')] },
                { tools: [write('${WORKSPACE}/src/b.txt')] },
                'done',
              ],
            },
            'b-network': { turns: [{ tools: [bash(tryFetch(server.url))] }, 'done'] },
            'c-environment': { turns: LOOK },
            'd-others': {
              turns: [
                { tools: [bash("cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c '[a-z]-rea[l]'; whoami; id -u")] },
                'done',
              ],
            },
          },
        })
        const run = await runEvals(project, SECRETS)
        expect(verdicts(run.report)).toEqual(['a-writes PASS', 'b-network PASS', 'c-environment PASS', 'd-others PASS'])
        expect(run.report.cases.map(({ sandbox }) => sandbox)).toEqual(
          run.report.cases.map(() => ({ asked: 'bubblewrap', enforced: 'bubblewrap' })),
        )
        const written = await run.toolResults('a-writes')
        expect(written.slice(0, 3).join('\n\n')).toMatchInlineSnapshot(`
          "a

          Exit code 1
          /bin/bash: line 1: src/a.txt: Read-only file system
          /bin/bash: line 1: src/app.ts: Read-only file system
          rm: cannot remove 'src/app.ts': Read-only file system
          mkdir: cannot create directory ‘new’: Read-only file system
          /bin/bash: line 1: /usr/a: Read-only file system

          Exit code 1
          mkdir: cannot create directory ‘.claude’: Read-only file system
          /bin/bash: line 1: /opt/agent-evals/package/a: Read-only file system"
        `)
        expect(written[4]).toMatch(/^EROFS: read-only file system/)
        expect(run.run('a-writes').files).toMatchObject({ modified: [], deleted: [] })
        expect(await run.toolResults('b-network')).toEqual([expect.stringMatching(/^no network: E\w+$/)])
        expect(server.requests).toEqual([])
        expect(await run.toolResults('c-environment')).toEqual(['1\n0', '0\n0'])
        expect(await run.toolResults('d-others')).toEqual(['0\nagent\n1000'])
      })

      test('reaches the network where it is open', async () => {
        await using server = await startUpstream([{ text: 'reached' }])
        await using project = await createPackage({
          options: "{ sandbox: 'bubblewrap' }",
          config: { sandbox: { network: true } },
          cases: {
            'a-network': {
              turns: [{ tools: [bash(`node -e "fetch('${server.url}').then((r) => console.log(r.status))"`)] }, 'done'],
            },
          },
        })
        const run = await runEvals(project)
        expect(verdicts(run.report)).toEqual(['a-network PASS'])
        expect([await run.toolResults('a-network'), server.requests.length]).toEqual([['200'], 1])
      })
    },
  )

  test('without a sandbox has the environment of the suite and no secret either', async () => {
    await using project = await createPackage({
      options: "{ sandbox: 'none' }",
      config: { env: { EVAL_MODE: 'true' } },
      cases: { 'a-environment': { turns: LOOK } },
    })
    const run = await runEvals(project, SECRETS)
    expect(verdicts(run.report)).toEqual(['a-environment PASS'])
    expect(await run.toolResults('a-environment')).toEqual(['1\n0', '0\n0'])
    expect(run.case('a-environment').sandbox).toEqual({ asked: 'none', enforced: 'none' })
    expect(run.finished.all).toContain('none')
  })
})

describe('where there is no bubblewrap', () => {
  const CASES = shellCases({ 'a-case': 'echo Hello' })

  test('A2: a case that asks for it is errored with what to install', async () => {
    await using programs = await programsWithout('bwrap', 'socat')
    await using project = await createPackage({
      cases: {},
      files: { ...CASES, 'vitest.config.ts': shellConfig({ sandbox: 'bubblewrap' }) },
    })
    const run = await runEvals(project, { ...SHELL_VARIABLES, PATH: programs.path })
    expect(verdicts(run.report)).toEqual(['a-case ERROR sandbox-unavailable'])
    expect(run.case('a-case').error).toMatch(
      /^The sandbox bubblewrap does not work here: bubblewrap not found\. Install it: .+\. To run without a sandbox, .*`--sandbox none`/,
    )
    expect(run.case('a-case').runs).toEqual([])
  })

  // What each choice comes to on each machine is in test/unit/sandbox/decide.test.ts.
  test('in CI it runs without any, and says so', async () => {
    await using programs = await programsWithout('bwrap', 'socat')
    await using project = await createPackage({
      cases: {},
      files: { ...CASES, 'vitest.config.ts': shellConfig({ sandbox: 'auto' }) },
    })
    const run = await runEvals(project, { ...SHELL_VARIABLES, PATH: programs.path, CI: 'true' })
    expect(verdicts(run.report)).toEqual(['a-case PASS'])
    expect(run.case('a-case').sandbox).toEqual({
      asked: 'auto',
      enforced: isContainer({}) ? 'none (container)' : 'none (CI)',
    })
    const notices = run.finished.all.split('\n').filter((line) => line.startsWith('agent-evals: no sandbox'))
    expect(notices).toHaveLength(1)
  })
})
