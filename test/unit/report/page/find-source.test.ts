import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { buildPage, inputOfReport } from '../../../../src/report/page/build-page.ts'

const EVENT = JSON.stringify({ n: 1, agent: null, kind: 'message', text: 'Hello' })

function folderOf(run: string): string {
  return `.vitest/agent-evals/${run}/cases/a/claude-code.1`
}

test('a merged report has the transcripts of all its runs', async () => {
  const cases = ['run-1', 'run-2'].map((run) => ({
    name: run,
    verdict: 'PASS',
    runs: [{ index: 1, status: 'completed', folder: folderOf(run) }],
  }))
  await using project = await createFixture({
    'evals/reports/merged.json': JSON.stringify({
      version: 1,
      agent_evals_version: '0.2.0',
      id: 'eval-run-x-abcdef',
      cases,
    }),
    [`${folderOf('run-1')}/transcript.jsonl`]: EVENT,
    [`${folderOf('run-2')}/transcript.jsonl`]: EVENT,
  })
  const { input, runFolder } = inputOfReport(project.getPath('evals/reports/merged.json'))
  expect(runFolder).toBeNull()
  const runs = [...buildPage(input).details].map(({ detail }) => detail.runs[0])
  expect(runs.map((run) => run?.missing)).toEqual([null, null])
  expect(runs.map((run) => run?.events.length)).toEqual([1, 1])
})

test('a secret of the environment is in no page', async () => {
  const secret = 'sk-ant-api03-0123456789abcdefghij'
  process.env['ANTHROPIC_API_KEY'] = secret
  try {
    const report = {
      version: 1,
      agent_evals_version: '0.2.0',
      cases: [{ name: 'a', verdict: 'FAIL', error: `It printed ${secret}.` }],
    }
    await using project = await createFixture({ 'report.json': JSON.stringify(report) })
    const { input } = inputOfReport(project.getPath('report.json'))
    expect(JSON.stringify(buildPage(input).overview)).not.toContain(secret)
  } finally {
    delete process.env['ANTHROPIC_API_KEY']
  }
})

test.for([
  ['a missing file', null, 'missing-input', /There is no report/],
  ['a file that is no JSON', '{', 'invalid-report', /is not an eval report/],
])('%s is an error with its path', async ([, text, code, message]) => {
  await using project = await createFixture(text === null ? {} : { 'report.json': text as string })
  const path = project.getPath('report.json')
  expect(() => inputOfReport(path)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message as RegExp) as unknown }) as Error,
  )
})
