// @module-tag no-engine
// @module-tag slow
import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumExecutable, startChromium } from '../support/browser.ts'
import { largeCase } from '../support/page-cases.ts'
import { peakMemory } from '../support/page-reader.ts'
import { makePage } from '../support/page-run.ts'
import { countUnpacked, serveHeld } from '../support/page-server.ts'

const isInstalled = chromiumExecutable() !== null

test.skipIf(isInstalled)('a large page', ({ skip }) => skip('Chromium is not installed: apt install chromium'))

describe.runIf(isInstalled)('a large page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  test('the overview waits for no transcript and unpacks nothing but its own block', async () => {
    await using made = await makePage(Array.from({ length: 400 }, (_, index) => ({ ...largeCase(index), events: [] })))
    const text = await readFile(made.file, 'utf8')
    const head = text.slice(0, text.indexOf('</script>') + '</script>'.length)
    await using server = await serveHeld(head, text.slice(head.length))
    const page = await browser.newPage()
    await page.addInitScript(countUnpacked)
    await page.goto(server.url, { waitUntil: 'commit' })
    await page.waitForSelector('tr.case')
    expect(await page.evaluate('document.readyState')).toBe('loading')
    await page.fill('input[type=search]', 'case-377')
    await expect.poll(() => page.locator('th.name > a').allTextContents()).toEqual(['case-377'])
    expect(await page.evaluate('unpacked')).toBe(1)
    server.release()
    await page.click('th.name > a')
    await page.waitForSelector('.story')
    expect(await page.evaluate('unpacked')).toBe(2)
  })

  test('with 1,000 cases and 50 MB of transcripts it opens, finds a case, and stays below 500 MB', async () => {
    await using made = await makePage(Array.from({ length: 1000 }, (_, index) => largeCase(index)))
    const page = await browser.newPage()
    await page.goto(made.url, { waitUntil: 'commit' })
    await page.waitForSelector('tr.case')
    await page.fill('input[type=search]', 'case-777')
    await expect.poll(() => page.locator('th.name > a').allTextContents()).toEqual(['case-777'])
    await page.click('th.name > a')
    await page.waitForSelector('.event')
    expect(await peakMemory(browser)).toBeLessThan(500 * 1024 ** 2)
  })
})
