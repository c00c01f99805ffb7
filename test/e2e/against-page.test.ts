// @module-tag no-engine
import { expect, test } from 'vitest'
import { compare } from '../../src/report/compare/compare.ts'
import { parseReport, type ReadReport } from '../../src/report/read-report.ts'
import { chromiumExecutable, startChromium } from '../support/browser.ts'
import { makePage } from '../support/page-run.ts'

function reportOf(passed: number, rest: Readonly<Record<string, unknown>>): ReadReport {
  const cases = [
    { name: 'writes-notes', passed, runs: 5, source: 'live' },
    { name: 'mixed-case', passed: Math.min(1, passed), runs: 1, ...rest },
  ].map(({ name, passed: of, runs, ...one }) => ({
    id: name,
    name,
    verdict: of === runs ? 'PASS' : 'FAIL',
    repeats: { passed: of, completed: runs },
    duration_seconds: 14.2,
    ...one,
  }))
  return parseReport(
    JSON.stringify({ version: 1, agent_evals_version: '0.2.0', timestamp: '2026-11-01T00:00:00Z', cases }),
    'report.json',
  )
}

test.skipIf(chromiumExecutable() === null)('the page shows a comparison, and what differs', async () => {
  const against = {
    ref: 'HEAD~1',
    commit: 'a'.repeat(40),
    edits: [{ role: 'skill', path: 'skills/notes/SKILL.md', change: 'changed' }],
    texts: [{ path: 'skills/notes/SKILL.md', part: 'description of notes', before: 'Old.', after: 'New.', seen: true }],
    result: compare(reportOf(5, { source: 'replay' }), reportOf(0, { source: 'live' })),
  }
  await using made = await makePage([{ name: 'writes-notes' }], { against })
  const browser = await startChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await page.goto(`${made.url}#/charts`)
    await page.waitForSelector('figure')
    const figure = page.locator('figure').first()
    expect(await figure.locator('h3').textContent()).toBe('Compared with HEAD~1')
    const rows = await figure
      .locator('table')
      .first()
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent)))
    expect(rows).toEqual([
      [
        'writes-notes',
        'passed, 5 of 5',
        'failed, 0 of 5',
        '-100 points (-100 points to -39 points)',
        'cost unknown, 14.2 s → cost unknown, 14.2 s',
      ],
      [
        expect.stringMatching(/^mixed-casemixed: replayed before, live after\. No p-value: /),
        'passed, 1 of 1',
        'failed, 0 of 1',
        '-100 points',
        'cost unknown, 14.2 s → cost unknown, 14.2 s',
      ],
    ])
    expect(await figure.locator('li').allTextContents()).toEqual([
      'changed skill skills/notes/SKILL.md',
      'description of notes (the model saw it)1−removedOld.1+addedNew.',
    ])
    // Its words are not broken.
    expect((await figure.boundingBox())?.width).toBeGreaterThan(1000)
  } finally {
    await browser.close()
  }
})
