// @module-tag claude-code
// @module-tag slow
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { DIRECT_PACKAGE, greeting, greetings, readReports, saying } from '../support/eval-project.ts'
import type { FileTree } from 'fs-fixture'
import type { Report } from '../../src/report/report.ts'
import type { FinishedProcess } from '../support/running-process.ts'

const major = repositoryVitest()

const FILES: FileTree = {
  'package.agent.json': '{ "name": "sample", "version": "1.2.3" }\n',
  'evals/eval-config.json': '{ "version": 1, "engine": "claude-code" }\n',
  ...greetings({ a: 'Hello', b: 'Goodbye', c: 'Hello', d: 'Hello', e: 'Hello' }),
}

function command(project: TestProject, ...args: string[]): Promise<FinishedProcess> {
  return project.agentEvals(args, { env: { AGENT_EVALS_SANDBOX: 'prefer' }, merged: true })
}

async function read(project: TestProject, file: string): Promise<Report> {
  return JSON.parse(await readFile(join(project.root, file), 'utf8')) as Report
}

/** A report without what no two runs have in common. */
function timeless(report: Report): unknown {
  const drop = new Set(['id', 'timestamp', 'duration_seconds', 'session_id', 'folder'])
  return JSON.parse(JSON.stringify(report, (key, value: unknown) => (drop.has(key) ? undefined : value)))
}

test('four shards put together are the report of one run, but for times', async () => {
  await using project = await createProject(major, {
    ...FILES,
    'vitest.config.ts': DIRECT_PACKAGE['vitest.config.ts'] ?? '',
    'evals/eval-config.json': '{ "version": 1, "engine": "messages" }',
  })
  expect((await command(project, 'run', '-o', 'evals/reports/whole.json')).exitCode).toBe(1)
  const runs = join(project.root, '.vitest/agent-evals')
  const whole = (await readdir(runs)).find((name) => name !== '.gitignore') ?? ''
  for (const index of [1, 2, 3, 4]) await command(project, 'run', '--shard', `${index}/4`, '--no-report')
  const shards = (await readdir(runs)).filter((name) => name !== '.gitignore' && name !== whole).toSorted()
  expect(shards).toHaveLength(4)

  const folders = shards.map((name) => join(runs, name))
  const merged = await command(project, 'merge', ...folders, '-o', 'evals/reports/merged.json')
  expect(merged.exitCode).toBe(1)
  expect(timeless(await read(project, 'evals/reports/merged.json'))).toEqual(
    timeless(await read(project, 'evals/reports/whole.json')),
  )

  const partial = await command(project, 'merge', ...folders.slice(0, 3), '-o', 'evals/reports/partial.json')
  expect(partial.all).toContain('The shard 4/4 of this run is missing; its cases are not in the report.')
  expect(await read(project, 'evals/reports/partial.json')).toMatchObject({ status: 'partial', summary: { total: 4 } })

  const mixed = await command(project, 'merge', join(runs, whole), ...folders, '-o', 'evals/reports/mixed.json')
  expect(mixed.exitCode).toBe(2)
  expect(mixed.all).toContain('These runs are not parts of one')

  const empty = await command(project, 'run', '--shard', '6/6', '--no-report')
  expect(empty.all).toContain('agent-evals: no cases in this shard')
  expect(empty.exitCode).toBe(0)
})

test('two real reports that differ in a criterion, an answer and a file: diff says which', async () => {
  await using project = await createProject(major, {
    ...FILES,
    'skills/pdf-tools/SKILL.md': '---\nname: pdf-tools\ndescription: Reads PDFs.\n---\nRead it.\n',
  })
  await command(project, 'run', '-o', 'evals/reports/before.json')
  await project.files.writeFile(
    'skills/pdf-tools/SKILL.md',
    '---\nname: pdf-tools\ndescription: Reads PDFs.\n---\nRead it well.\n',
  )
  await project.files.writeFile('evals/scenarios/c.yaml', saying('Goodbye'))
  await project.files.writeFile('evals/scenarios/b.yaml', saying('Hello'))
  await project.files.writeFile('evals/cases/d.yaml', greeting('d').replace('It greets.', 'It greets warmly.'))
  await project.files.writeFile(
    'evals/cases/e.yaml',
    greeting('e').replace('name: e\n', 'name: e\ndescription: Only words.\n'),
  )
  await command(project, 'run', '-o', 'evals/reports/after.json')
  const after = await read(project, 'evals/reports/after.json')
  const cases = after.cases.map((one) => ({
    ...one,
    agent: { ...one.agent, model: 'claude-next', runtime_version: '9.9.9' },
  }))
  await writeFile(join(project.root, 'evals/reports/after.json'), JSON.stringify({ ...after, cases }))

  const { exitCode, all } = await command(
    project,
    'eval',
    'diff',
    'evals/reports/before.json',
    'evals/reports/after.json',
    '--fail-on-regression',
  )
  expect(exitCode).toBe(1)
  const version = (await read(project, 'evals/reports/before.json')).agent.runtime_version ?? ''
  expect(
    all
      .replaceAll(version, '<version>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, '<time>')
      .replaceAll(/^ {2}time .*\n/gm, '')
      .replaceAll(/, [\d.]+ s\b/g, '')
      .replaceAll(/(\S) {2,}/g, '$1  '),
  ).toMatchInlineSnapshot(`
    "Before  evals/reports/before.json  <time>
    After  evals/reports/after.json  <time>

    What differs
      model  scenario  →  claude-next
      CLI version  claude-code <version>  →  claude-code 9.9.9
      changed  case  evals/cases/d.yaml
      changed  case  evals/cases/e.yaml
      changed  scenario  evals/scenarios/b.yaml
      changed  scenario  evals/scenarios/c.yaml
      changed  package  skills/pdf-tools/SKILL.md

    What 4 cases with 4 and 4 runs can show
      No single case can fail: p = 1 at best after Holm over 4 cases.
      This gate cannot fail: with so few runs the pooled test never reaches the level 0.05. Run more cases, or each more often (--runs).

    Tested (4)
      ↓ c  passed, 1 of 1, $0.00  →  failed, 0 of 1, $0.00  -100 points  p = 0.5, 1 after Holm
          expected the output to contain "Hello" but it does not
      = a  passed, 1 of 1, $0.00  →  passed, 1 of 1, $0.00  0 points
      = e  passed, 1 of 1, $0.00  →  passed, 1 of 1, $0.00  0 points
      ↑ b  failed, 0 of 1, $0.00  →  passed, 1 of 1, $0.00  +100 points
          before: expected the output to contain "Hello" but it does not

    Not tested (1)
      ? d  changed  passed, 1 of 1, $0.00  →  passed, 1 of 1, $0.00  it asks something else: criteria

    All tested cases together
      before  75% (3 of 4 runs)
      after  75% (3 of 4 runs)
      pooled test  p = 0.75, one-sided, exact, by case

    Over the 4 cases decided in both, with the same inputs
      pass rate  75% (3 of 4)  →  75% (3 of 4)
      cost  $0.00  →  $0.00
      cost of the run  $0.00  →  $0.00

    Undecided: 1 case could not be tested."
  `)

  const shown = await command(project, 'show', 'evals/reports/after.json', 'c')
  expect([shown.exitCode, shown.all]).toEqual([
    0,
    expect.stringMatching(/✗ c {2}failed [^]*expected the output to contain "Hello"[^]*output:\n +Goodbye\n/),
  ])

  const latest = await command(project, 'show', 'c')
  expect(latest.all).toMatch(/^evals\/reports\/after\.json\n/)

  const json = await command(project, 'diff', 'evals/reports/before.json', 'evals/reports/after.json', '--json')
  expect(json.exitCode).toBe(0)
  expect(JSON.parse(json.all)).toMatchObject({
    version: 1,
    totals: { cases: 4, before: { passed: 3 }, after: { passed: 3 } },
  })
})

test('list, lint and init', async () => {
  await using project = await createProject(major, { 'package.json': '{ "private": true, "type": "module" }\n' })
  const nothing = await command(project, 'list')
  expect(nothing).toMatchObject({ exitCode: 2, all: expect.stringContaining('No evals found: no evals') })

  const first = await command(project, 'init')
  expect(withoutMachine(first.all)).toMatchInlineSnapshot(`
    "created  evals/eval-config.json
      created  evals/cases/first-case.yaml
      created  evals/scenarios/first-case.yaml
      created  vitest.config.ts
      added    node_modules/, .vitest/, **/evals/reports/ to .gitignore

    Next: npx vitest-agent-evals run"
  `)
  expect(withoutMachine((await command(project, 'init')).all)).toMatchInlineSnapshot(`
    "exists   evals/eval-config.json
      exists   evals/cases/first-case.yaml
      exists   evals/scenarios/first-case.yaml

    Next: npx vitest-agent-evals run"
  `)
  expect((await command(project, 'run')).exitCode).toBe(0)
  expect(await readReports(project)).toHaveLength(1)

  const listed = JSON.parse((await command(project, 'list', '--json')).all) as { cases: readonly object[] }
  expect(listed.cases).toMatchObject([{ name: 'first-case', answers: 'scenario', runs: 1, calls: 3, cost_usd: 0 }])
  const live = JSON.parse((await command(project, 'list', '--json', '--live')).all) as { cases: readonly object[] }
  expect(live.cases).toMatchObject([{ answers: 'live', calls: null, seconds: null, cost_usd: null }])

  const onBoth = await command(project, 'list', '--json', '--engine', 'claude-code', '--engine', 'codex')
  const matrix = JSON.parse(onBoth.all) as { cases: readonly object[] }
  expect(matrix.cases).toMatchObject([{ name: 'first-case (claude-code)' }, { name: 'first-case (codex)' }])

  await project.files.writeFile('evals/cases/first-case.yaml', greeting('first-case').replace('contains:', 'contians:'))
  const lint = await command(project, 'lint')
  expect(lint.exitCode).toBe(1)
  expect(lint.all).toMatchInlineSnapshot(`
    "evals/cases/first-case.yaml:5:3  error  expected.contians: unknown field. Did you mean "contains"? unknown-field

    ✗ 1 error, 0 warnings (0 cases and 0 free tests in 1 file)"
  `)
})

// Whether there is a sandbox depends on where the test runs.
function withoutMachine(text: string): string {
  return text.replace(/^ *Engine {2}claude-code \d+\.\d+\.\d+\nSandbox {2}.+\n\n/m, '')
}
