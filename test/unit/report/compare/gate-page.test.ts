import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compare } from '../../../../src/report/compare/compare.ts'
import { formatComparison } from '../../../../src/report/compare/format-comparison.ts'
import { parseReport, type ReadReport } from '../../../../src/report/read-report.ts'
import { REPOSITORY } from '../../../support/repository.ts'

/** A report of five live runs of each case, by how many passed. */
function reportOf(passed: Readonly<Record<string, number>>): ReadReport {
  const cases = Object.entries(passed).map(([name, count]) => ({
    id: `evals/cases/${name}.yaml#${name}`,
    name,
    verdict: count === 5 ? 'PASS' : 'FAIL',
    source: 'live',
    duration_seconds: 41,
    cost_usd: 0.21,
    repeats: { passed: count, completed: 5 },
  }))
  const report = { version: 1, agent_evals_version: '0.2.0', timestamp: '2026-11-01T00:00:00Z', cases }
  return parseReport(JSON.stringify(report), 'report.json')
}

test('a failed gate looks as the page on gates shows it', async () => {
  const before = reportOf({ 'extracts-text': 5, 'merges-pages': 5, 'sums-invoices': 4 })
  const after = reportOf({ 'extracts-text': 5, 'merges-pages': 0, 'sums-invoices': 4 })
  const layout = {
    paint: (_: unknown, text: string) => text,
    paths: ['before.json', 'after.json'] as const,
    decides: true,
  }
  const page = await readFile(join(REPOSITORY, 'docs/gates.md'), 'utf8')
  expect(page).toContain(`\`\`\`text\n${formatComparison(compare(before, after), layout).join('\n').trim()}\n\`\`\``)
})
