// @module-tag no-engine
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumExecutable, startChromium } from '../support/browser.ts'
import { conversationCase } from '../support/page-conversation.ts'
import { linkOf, marked, narrowTexts, seriousFaults } from '../support/page-reader.ts'
import { makePage } from '../support/page-run.ts'

describe.runIf(chromiumExecutable() !== null)('a conversation on the page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  test('has for each turn its prompt, its verdicts and its part of the timeline', async () => {
    await using made = await makePage([conversationCase()])
    const page = await browser.newPage()
    await page.goto(made.url)
    await linkOf(page, 'conversation').click()
    await page.waitForSelector('.turn-head')
    const plain = (texts: readonly string[]): readonly string[] => texts.map((text) => text.replaceAll(/\s+/g, ' '))
    expect(plain(await page.locator('.turn-head').allInnerTexts())).toEqual([
      'Turn 1 of 2 passed 4.2 s · 2 model requests · 1 tool call · cost $0.01',
      'Turn 2 of 2 failed 2.5 s · 2 model requests · 0 tool calls · cost $0.02',
    ])
    expect(await page.locator('.events > li').evaluateAll((all) => all.map((one) => one.id))).toEqual(
      ['turn-1', 'event-1', 'event-2', 'event-3', 'event-4', 'turn-2', 'event-5', 'event-6'].map((id) => `a-${id}`),
    )
    expect(await page.locator('.event.kind-prompt .text').allTextContents()).toEqual([
      'Write a haiku into haiku.txt.',
      'Make it about the sea.',
    ])
    const [first, second] = [page.locator('[aria-label="Turn 1"]'), page.locator('[aria-label="Turn 2"]')]
    expect(plain([await first.innerText()])[0]).toMatch(
      /^Turn 1 of 2 passed Write a haiku .+ contains: written .+ It says that it wrote one\. It says so\. It is written\. Quoted from event 4$/,
    )
    expect(plain([await second.innerText()])[0]).toMatch(
      /^Turn 2 of 2 failed Make it about the sea\. failed contains: ocean line 4 expected the output .+ Quoted from event 6$/,
    )
    expect(plain([await page.locator('section[aria-label=Checks]').innerText()])).toEqual([
      'Checks of the whole conversation passed files-created: haiku.txt line 4',
    ])
    await second.locator('.quote-link').click()
    await expect.poll(() => marked(page)).toBe('about the sea')
    await first.locator('h2 a').click()
    await expect
      .poll(() => page.locator('.event.chosen').evaluateAll((all) => all.map(({ id }) => id)))
      .toEqual(['a-event-1'])
  })

  test.for([360, 1280])('is no wider than a screen of %d px, and accessible', async (width) => {
    await using made = await makePage([conversationCase()])
    // Only the colours of the other theme are others.
    for (const [colorScheme, rules] of [
      ['light', undefined],
      ['dark', ['color-contrast']],
    ] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } })
      await page.goto(made.url)
      await linkOf(page, 'conversation').click()
      await page.waitForSelector('.turn-head')
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(await narrowTexts(page)).toEqual([])
      expect(await seriousFaults(page, rules)).toEqual([])
      await page.close()
    }
  })
})
