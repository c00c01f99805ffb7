import { expect, test } from 'vitest'
import { whatDiffers } from '../../../../src/report/compare/what-differs.ts'
import { readReport, type ReadCase } from '../../../../src/report/read-report.ts'

/** A case of a report with these hashes, by role. */
function having(hashes: Readonly<Record<string, string>>): ReadCase {
  const inputs = Object.entries(hashes).map(([role, hash], index) => [
    `${index}`,
    { path: 'evals/a.eval.ts', role, hash },
  ])
  const one = { name: 'a', verdict: 'PASS', inputs: inputs.map((_, index) => `${index}`) }
  const [read] = readReport(
    { version: 1, agent_evals_version: '0.2.0', cases: [one], inputs: Object.fromEntries(inputs) },
    'report.json',
  ).cases
  if (read === undefined) throw new Error('no case')
  return read
}

test.for([
  ['came as far', { code: 'c', prompt: 'p' }, { code: 'c', prompt: 'p' }, []],
  ['ended before its first run', { code: 'c', prompt: 'p' }, { code: 'c' }, []],
  ['has other code', { code: 'c', prompt: 'p' }, { code: 'd', prompt: 'p' }, ["test's code"]],
  ['asks by a text of another file', { code: 'c', prompt: 'p' }, { code: 'c', prompt: 'q' }, ['prompt']],
  ['is of a report that says no code', { code: 'c', prompt: 'p' }, { prompt: 'p' }, ["test's code"]],
  ['is a case of a file without criteria', { prompt: 'p', criteria: 'k' }, { prompt: 'p' }, ['criteria']],
] as const)('a test in TypeScript that %s', ([, before, after, differs]) => {
  expect(whatDiffers(having(before), having(after))).toEqual(differs)
})
