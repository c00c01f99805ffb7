import { expect, test } from 'vitest'
import { addNotices, createNoticePrinter, lintNotices } from '../../../../src/vitest/reporter/create-plan.ts'
import type { Issue } from '../../../../src/lib/documents/document.ts'
import type { PlannedReport } from '../../../../src/report/results/run-folder.ts'

const REPORT: PlannedReport = {
  packageRoot: '/p',
  engineName: 'claude-code',
  packageName: null,
  packageVersion: null,
  judge: null,
  timeout: null,
}

function issue(code: string, rest: Partial<Issue> = {}): Issue {
  return {
    code,
    severity: 'warning',
    file: '/p/evals/a.md',
    field: '',
    message: `is ${code}`,
    line: 3,
    column: 1,
    ...rest,
  }
}

function printed(...reports: readonly PlannedReport[]): readonly string[] {
  const lines: string[] = []
  const print = createNoticePrinter((line) => lines.push(line))
  print({ reports })
  print({ reports })
  return lines
}

test('a notice names its file and line; errors and fields without effect are not among them', () => {
  const issues = [issue('left'), issue('wrong', { severity: 'error' }), issue('extra', { noEffect: true })]
  const findings = [{ ...issue('file-missing', { file: '/p/package.agent.json', line: 1 }), part: null }]
  const notices = lintNotices({ issues }, { findings }, '/p')
  expect(notices.map(({ text }) => text)).toEqual(['evals/a.md:3:1 is left', 'package.agent.json:1:1 is file-missing'])
})

test('a notice is printed once: for all files, engines and passes that have it', () => {
  const notices = lintNotices({ issues: [issue('left')] }, { findings: [] }, '/p')
  const report = addNotices(addNotices(REPORT, notices), notices)
  expect(report.notices).toHaveLength(1)
  expect(printed(report, { ...report, engineName: 'codex' })).toEqual(['agent-evals: evals/a.md:3:1 is left'])
})

test('evals that are not used are not printed: the search for suites has named them', () => {
  const notices = lintNotices({ issues: [issue('unused-evals')] }, { findings: [] }, '/p')
  expect(printed(addNotices(REPORT, notices))).toEqual([])
})

test('a file that can be absent is not printed, and of many notices the first are', () => {
  const issues = [issue('no-eval-config'), ...Array.from({ length: 12 }, (_, line) => issue('left', { line }))]
  const report = addNotices(REPORT, lintNotices({ issues }, { findings: [] }, '/p'))
  expect(report.notices).toHaveLength(13)
  const lines = printed(report)
  expect(lines).toHaveLength(11)
  expect(lines[10]).toBe('agent-evals: and 2 more; npx vitest-agent-evals lint lists them all')
})
