import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { REPOSITORY } from './repository.ts'

/** The most memory that any page of the browser has had, in bytes: that of its process, not of its script alone. */
export async function peakMemory(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const peaks = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1])
  return Math.max(...peaks.map((kilobytes) => Number(kilobytes) * 1024))
}

/** The texts that are marked as a quote. */
export function marked(page: Page): Promise<string> {
  return page
    .locator('mark.quote')
    .allTextContents()
    .then((texts) => texts.join('|'))
}

/** Whether the quote is on the screen. */
export function isInView(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.querySelector('mark.quote').getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })()`)
}

/** Presses Tab until the focus is on something that the selector matches. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
  }
  throw new Error(`Tab never reaches ${selector}.`)
}

/** Links to the cases of a name, in the order of the table. */
export function linkOf(page: Page, name: string): Locator {
  return page.locator('th.name > a').filter({ hasText: new RegExp(`^${name}$`) })
}

/** Texts that have so little room that their words are broken. */
export function narrowTexts(page: Page): Promise<readonly string[]> {
  return page.locator('h2:visible, p:visible, td:visible, th:visible').evaluateAll((all) =>
    all
      .filter((one) => /\w{4}/.test(one.textContent ?? '') && one.getBoundingClientRect().width < 45)
      .filter((one) => !one.closest('.cases thead, .rates thead, .diff'))
      .map((one) => one.textContent ?? ''),
  )
}

/** Follows an address within the page. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.assign(${JSON.stringify(hash)})`)
}

/** What an accessibility checker finds that is serious, one line each; by these of its rules, or by all. */
export async function seriousFaults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const isThere = await page.evaluate<boolean>("'axe' in globalThis")
  const axe = isThere ? '' : readFileSync(join(REPOSITORY, 'node_modules/axe-core/axe.min.js'), 'utf8')
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly: rules })
  // Through the debugger: the page's own policy lets no other script run.
  const found = await page.evaluate(`${axe}; axe.run(document, ${options})`)
  const { violations } = found as { violations: { id: string; impact: string; nodes: { html: string }[] }[] }
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
