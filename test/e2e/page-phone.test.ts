// @module-tag no-engine
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumExecutable, startChromium } from '../support/browser.ts'
import { makePage } from '../support/page-run.ts'

describe.runIf(chromiumExecutable() !== null)('the page of a failing run', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  test('a phone shows the first failure at once, and a run has one time', async () => {
    const notices = ['Copies of the package leave out node_modules/.', 'Copies of the package leave out coverage/.']
    const tags = ['a', 'b']
    await using made = await makePage(
      [
        { name: 'fine', tags: ['a'], category: 'one' },
        {
          name: 'late',
          verdict: 'FAIL',
          error: 'expected "Friday"',
          tags,
          category: 'two',
          duration_seconds: 9,
          runCount: 2,
        },
      ],
      { notices },
    )
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await page.goto(made.url)
    await page.waitForSelector('tr.failed')
    const bottom = await page.locator('tr.failed .reason').evaluate((one) => one.getBoundingClientRect().bottom)
    expect(bottom).toBeLessThan(844)
    expect(await page.locator('.notice').count()).toBe(0)
    // Two runs of 1.2 seconds.
    expect(await page.locator('tr.failed [data-label="Time"]').textContent()).toBe('2.4 s')

    await page.click('text=2 notices about this run')
    await page.waitForSelector('.notice')
    expect(await page.locator('.notice').allTextContents()).toEqual(notices)
  })
})
