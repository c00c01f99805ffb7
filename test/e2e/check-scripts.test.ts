// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { bash, createPackage, describeEvals, runEvals, write, type WrittenCase } from '../support/package-run.ts'

const ACTS = [
  { tools: [write('${WORKSPACE}/total.txt', '3')] },
  { tools: [write('${WORKSPACE}/verify.mjs', 'process.exit(0)')] },
  'done',
]

// A workspace that brings its own verify.mjs must not be asked.
const VERIFY = `import { readFileSync } from 'node:fs'
const events = JSON.parse(readFileSync(0, 'utf8'))
const total = readFileSync(process.env.WORKSPACE + '/total.txt', 'utf8')
const wrote = events.filter((event) => event.kind === 'tool-call' && event.tool === 'Write').length
console.log('looking')
console.log(JSON.stringify({ pass: total === process.argv[2], score: 0.5, reason: 'total is ' + total + ', ' + wrote + ' writes' }))
process.exit(total === process.argv[2] ? 0 : 1)
`

const SCRIPTS: Readonly<Record<string, object>> = {
  a: { run: 'node checks/verify.mjs 3', files: ['checks/verify.mjs'] },
  b: { run: 'node checks/verify.mjs 4', files: ['checks/verify.mjs'] },
  c: { run: 'exit 7', files: ['checks/verify.mjs'] },
  d: { run: 'sleep 100', files: ['checks/verify.mjs'], timeout: 2 },
  e: { run: 'yes | head -c 4000000', files: ['checks/verify.mjs'] },
  f: { run: 'node other.mjs', files: ['checks/verify.mjs'] },
  g: { run: 'node checks/absent.mjs', files: ['checks/absent.mjs'] },
  h: {
    run: 'if touch "$WORKSPACE/planted" || touch checks/planted || touch /usr/planted; then exit 1; fi; (sleep 100 & sleep 100 &); exit 0',
    files: ['checks/verify.mjs'],
  },
}

// Claude Code refuses a command that names its own folder.
const HIDES = `node -e "const d = '.cl' + 'aude/.cc-writes'; fs.mkdirSync(d, { recursive: true }); fs.writeFileSync(d + '/hidden.txt', '')"`

const caseOf = (script: object): WrittenCase => ({ expected: { script }, turns: ACTS })

describeEvals('scripts that check the result', () => {
  test('decide by their exit code, and break with an error of their own', async () => {
    await using project = await createPackage({
      cases: Object.fromEntries(Object.entries(SCRIPTS).map(([name, script]) => [name, caseOf(script)])),
      files: { 'evals/checks/verify.mjs': VERIFY },
    })
    const run = await runEvals(project)
    expect(
      run.report.cases
        .slice(0, 7)
        .map(({ name, verdict, error }) => `${name} ${verdict} ${error?.replace(project.root, '.') ?? ''}`),
    ).toMatchInlineSnapshot(`
      [
        "a PASS ",
        "b FAIL the script "node checks/verify.mjs 4" refused the result (score 0.5): total is 3, 2 writes",
        "c ERROR the script "exit 7" ended with exit code 7",
        "d ERROR the script "sleep 100" took longer than 2 s",
        "e ERROR the script "yes | head -c 4000000" printed more than 1 MiB",
        "f ERROR the script "node other.mjs" names other.mjs, which is none of its files",
        "g ERROR "checks/absent.mjs" (evals/cases/g.yaml:7:15) names ./evals/checks/absent.mjs, which does not exist. Add the file or correct the entry.",
      ]
    `)
    // Without a sandbox there is nothing that keeps it from writing.
    const isConfined = run.case('a').sandbox?.enforced.startsWith('bubblewrap') === true
    expect(run.case('h').verdict).toBe(isConfined ? 'PASS' : 'FAIL')
    expect(JSON.stringify(run.report.inputs)).toContain('evals/checks/verify.mjs')
  })

  test('read nothing through links that lead out of the workspace, with and without a sandbox', async () => {
    const script = { run: 'test "$(cat "$WORKSPACE/out/total.txt")" = "$(cat checks/3.txt)"', files: ['checks/3.txt'] }
    const link = (target: string): WrittenCase => ({
      expected: { script },
      turns: [{ tools: [bash(`mkdir out && ln -s ${target} out/total.txt`)] }, 'done'],
    })
    const honest =
      'mkdir -p v1 out .venv/bin && echo 3 > v1/total.txt && ln -s ../now/total.txt out/total.txt && ln -s "$PWD/v1" now && ln -s /usr/bin/env .venv/bin/env'
    await using project = await createPackage({
      cases: {
        a: link('/opt/agent-evals/package/checks/3.txt'),
        b: link('../../package/checks/3.txt'),
        c: link('/proc/self/cwd/checks/3.txt'),
        d: link('/proc/self/cwd/evals/checks/3.txt'),
        e: {
          expected: { script: [script, { run: '"$WORKSPACE/.venv/bin/env" true', files: ['checks/3.txt'] }] },
          turns: [{ tools: [bash(honest)] }, 'done'],
        },
        f: {
          expected: { 'files-created': ['.claude/.cc-writes/hidden.txt'] },
          turns: [{ tools: [bash(HIDES)] }, 'done'],
        },
      },
      files: { 'evals/checks/3.txt': '3\n' },
    })
    for (const sandbox of ['prefer', 'none']) {
      const run = await runEvals(project, { AGENT_EVALS_SANDBOX: sandbox, AGENT_EVALS_CACHE: '0' })
      const verdicts = run.report.cases.map(({ name, verdict }) => `${name} ${verdict}`)
      expect(verdicts, `${sandbox} ${run.finished.all} ${JSON.stringify(await run.toolResults('f'))}`).toEqual([
        'a FAIL',
        'b FAIL',
        'c FAIL',
        'd FAIL',
        'e PASS',
        'f PASS',
      ])
    }
  })

  test('have their like in TypeScript: the files of a run, until the test ends', async () => {
    await using project = await createPackage({
      cases: {},
      files: {
        'evals/files.eval.ts': `import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest-agent-evals/test'
let workspace = ''
test('reads', async ({ agent }) => {
  const run = await agent.run('Go.')
  workspace = run.workspace ?? ''
  expect(await run.readFile('total.txt', 'utf8')).toBe('3')
  expect([...(await run.readFile('total.txt'))]).toEqual([51])
  expect(readFileSync(workspace + '/total.txt', 'utf8')).toBe('3')
  expect(JSON.stringify(run)).not.toContain('readFile')
  await expect(run.readFile('absent.txt')).rejects.toMatchObject({ code: 'missing-input' })
  await expect(run.readFile('../outside')).rejects.toMatchObject({ code: 'workspace-failed' })
  await expect(run).toHaveFileContaining('total.txt', '3')
  await expect(run).not.toHaveFileContaining('total.txt', '4')
  await expect(run).toMatchJsonSchema({ type: 'number' }, { path: 'total.txt' })
  expect(run).toMatchOutput(/^done$/m)
  expect(run).toHaveCalledNoTool('Bash')
  expect(run).toHaveMaxTurns(3)
})
test('then', () => {
  expect(workspace).not.toBe('')
  expect(existsSync(workspace)).toBe(false)
})
`,
        'evals/scenarios/reads.yaml': JSON.stringify({ turns: ACTS }),
      },
    })
    const run = await runEvals(project)
    expect(run.report.cases.map(({ name, verdict, error }) => [name, verdict, error])).toEqual([
      ['reads', 'PASS', null],
      ['then', 'PASS', null],
    ])
  })
})
