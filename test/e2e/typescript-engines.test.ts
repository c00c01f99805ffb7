// @module-tag claude-code
// @module-tag codex
// @module-tag slow
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codexFolder } from '../support/other-engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { PACKAGE, readReports, saying } from '../support/eval-project.ts'

const major = repositoryVitest()

const FILE = `import { describe, expect, test } from 'vitest-agent-evals/test'

test('greets', async ({ agent }) => {
  const run = await agent.run('Say hello.')
  expect(run).toContainOutput('Hello')
  await expect(run).toPassJudge('It greets.')
})
describe('a block', () => {
  test.override({ timeout: 77 })
  test.for(['one', 'two'])('says %s', { tags: ['claude-code'] }, async (word, { agent, expect }) => {
    expect(await agent.run('Say ' + word)).toContainOutput(word)
  })
})
test.skip('is left out', () => {})
`

const GREETS = { verdict: 'pass', reason: 'It greets.', quote: 'Hello, World' }

describe('tests in TypeScript on several engines', { tags: ['codex'] }, () => {
  test('a test in TypeScript is one for each engine, and the reports compare', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      'evals/hand.eval.ts': FILE,
      'evals/scenarios/greets.yaml': saying('Hello, World'),
      'evals/scenarios/greets.codex.yaml': JSON.stringify({ turns: ['Good day'], judge: [[GREETS]] }),
      'evals/scenarios/a-block-says-one-b9efe8.yaml': saying('one'),
      'evals/scenarios/a-block-says-two-921cfc.yaml': saying('two'),
    })
    const { all } = await project.run(['run', '--project', 'evals'], {
      merged: true,
      env: { AGENT_EVALS_ENGINE: 'claude-code,codex', AGENT_EVALS_ENGINES: await codexFolder() },
    })
    const reports = await readReports(project)
    const lines = reports.flatMap(({ config, cases }) =>
      cases.map(({ name, line, verdict, id }) => `${config.engine} ${line} ${name} ${verdict} ${id}`),
    )
    expect(lines.toSorted(), all).toMatchInlineSnapshot(`
      [
        "claude-code 10 a block > says one (claude-code) PASS evals/hand.eval.ts#a-block-says-one-b9efe8",
        "claude-code 10 a block > says two (claude-code) PASS evals/hand.eval.ts#a-block-says-two-921cfc",
        "claude-code 14 is left out (claude-code) SKIP evals/hand.eval.ts#is-left-out-9523b1",
        "claude-code 3 greets (claude-code) PASS evals/hand.eval.ts#greets",
        "codex 10 a block > says one (codex) PASS evals/hand.eval.ts#a-block-says-one-b9efe8",
        "codex 10 a block > says two (codex) PASS evals/hand.eval.ts#a-block-says-two-921cfc",
        "codex 14 is left out (codex) SKIP evals/hand.eval.ts#is-left-out-9523b1",
        "codex 3 greets (codex) FAIL evals/hand.eval.ts#greets",
      ]
    `)

    const names = (await readdir(join(project.root, 'evals/reports'))).toSorted((a, b) => a.length - b.length)
    const diff = await project.agentEvals(['diff', ...names.map((name) => `evals/reports/${name}`)], { merged: true })
    const printed = diff.all
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:-]+Z/g, '<time>')
      .replaceAll(/^ +(?:time|CLI version) .*\n/gm, '')
      .replaceAll(/, [\d.]+ s\b/g, '')
      .replaceAll(/(\S) {2,}/g, '$1  ')
    expect(printed).toMatchInlineSnapshot(`
      "Before  evals/reports/<time>.json  <time>
      After  evals/reports/<time>.codex.json  <time>

      What differs
        engine  claude-code  →  codex

      What 3 cases with 3 and 3 runs can show
        No single case can fail: p = 1 at best after Holm over 3 cases.
        This gate cannot fail: with so few runs the pooled test never reaches the level 0.05. Run more cases, or each more often (--runs).

      Tested (3)
        ↓ greets  passed, 1 of 1, $0.00  →  failed, 0 of 1, $0.00  -100 points  p = 0.5, 1 after Holm
            expected the run to contain "Hello" in its output
        = a block > says one  passed, 1 of 1, $0.00  →  passed, 1 of 1, $0.00  0 points
        = a block > says two  passed, 1 of 1, $0.00  →  passed, 1 of 1, $0.00  0 points

      Says nothing of a regression (1)
        ? is left out  undecided  skipped  →  skipped  it is skipped before and skipped after
            skipped in its file, by \`.skip\` or \`.todo\` or for another that has \`.only\`

      All tested cases together
        before  100% (3 of 3 runs)
        after  67% (2 of 3 runs)
        pooled test  p = 0.5, one-sided, exact, by case

      Over the 3 cases decided in both, with the same inputs
        pass rate  100% (3 of 3)  →  67% (2 of 3)
        cost  $0.00  →  $0.00
        cost of the run  $0.00  →  $0.00

      In 1 of the cases each engine has a scenario of its own. They compare these scenarios, not models.
      No regression beyond noise was found."
    `)
  })
})
