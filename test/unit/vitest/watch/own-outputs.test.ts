import { expect, test } from 'vitest'
import { outputFilter } from '../../../../src/vitest/watch/watch-cases.ts'

test('tells what a run writes from what a person edits', () => {
  const config = {
    root: '/r',
    outputFile: { junit: 'out/junit.xml' },
    reporters: ['default', ['json', { outputFile: 'result.json' }]],
  }
  const isOutput = outputFilter({ config } as unknown as Parameters<typeof outputFilter>[0], '/r/report.json')
  const outputs = [
    '/r/out/junit.xml',
    '/r/result.json',
    '/r/report.json',
    '/r/html/index.html',
    '/r/.vitest/agent-evals/x/run.json',
    '/r/.vitest-attachments/a.png',
    '/r/evals/reports/a.json',
    '/r/node_modules/a/b.js',
    '/r/.git/index',
  ]
  expect(outputs.filter((file) => !isOutput(file))).toEqual([])
  expect(['/r/skills/a/reports/b.md', '/r/report.json.md', '/r/evals/cases/a.yaml'].filter(isOutput)).toEqual([])
})
