// @module-tag no-engine
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumExecutable, startChromium } from '../support/browser.ts'
import { HOSTILE } from '../support/hostile-texts.ts'
import {
  changedCase,
  CHARTS,
  delegatedCase,
  everyKind,
  FROM,
  hostileCase,
  message,
  quotedCase,
  QUOTES,
  scoredCase,
} from '../support/page-cases.ts'
import { goTo, isInView, linkOf, marked, narrowTexts, seriousFaults, tabTo } from '../support/page-reader.ts'
import { makePage } from '../support/page-run.ts'
import { REPOSITORY } from '../support/repository.ts'

const isInstalled = chromiumExecutable() !== null

test('the page without data has at most 400 KB and names every hash that it runs', async () => {
  const file = join(REPOSITORY, 'dist/page/template.html')
  expect((await stat(file)).size).toBeLessThanOrEqual(400 * 1024)
  const text = await readFile(file, 'utf8')
  expect(text).toMatch(/content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/)
  expect(text).not.toContain('unsafe-inline')
})

test('its libraries have their licences in the package', async () => {
  const text = await readFile(join(REPOSITORY, 'dist/LICENSES.md'), 'utf8')
  for (const name of ['preact', 'diff']) expect(text).toMatch(new RegExp(`^## ${name} \\d`, 'm'))
})

test.skipIf(isInstalled)('the page in a browser', ({ skip }) => skip('Chromium is not installed: apt install chromium'))

describe.runIf(isInstalled)('in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  test('hostile texts are shown as texts: nothing runs, nothing is requested, and no policy has to stop it', async () => {
    await using made = await makePage(HOSTILE.map(hostileCase))
    const { page, seen } = await open(made.url)
    await page.waitForSelector('tbody tr.case')
    expect(await page.locator('tbody tr.case').count()).toBe(HOSTILE.length)
    const links = await page
      .locator('th.name > a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    for (const link of links) {
      await goTo(page, link)
      await page.waitForSelector(`.case-view .verdicts`)
      await page.waitForFunction(`location.hash === ${JSON.stringify(link)}`)
    }
    await goTo(page, '#/run')
    await page.waitForSelector('#run-title')
    expect(await page.locator('script:not([type]), iframe, object, embed, form[action]').count()).toBe(1)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'pwned') ?? null)).toBeNull()
    expect(await page.locator('a:not([href^="#"])').count()).toBe(0)
    expect(seen).toEqual({ requests: [made.url], dialogs: [], errors: [] })
  })

  test('characters without a shape are shown by their code', async () => {
    await using made = await makePage([{ name: 'bidi', events: [message(1, 'safe \u202Etxt.exe\u202C \u0007 end')] }])
    const { page } = await open(made.url)
    await page.click('th.name > a')
    await page.waitForSelector('.hidden-character')
    expect(await page.locator('.hidden-character').allTextContents()).toEqual(['U+202E', 'U+202C', 'U+0007'])
  })

  test('every quote leads to the text that it quotes', async () => {
    await using made = await makePage([quotedCase()])
    const { page } = await open(made.url)
    await page.click('th.name > a')
    await page.waitForSelector('.quote-link')
    const links = await page.locator('.quote-link').all()
    expect(links).toHaveLength(QUOTES.length)
    for (const [index, link] of links.entries()) {
      await link.click()
      await page.waitForFunction(`location.hash.includes('quote=${index}')`)
      await page.waitForSelector('mark.quote')
      await expect.poll(() => marked(page)).toBe(QUOTES[index]?.marked)
      await expect.poll(() => isInView(page)).toBe(true)
    }
  })

  test('a link to a quote opens the case there', async () => {
    await using made = await makePage([quotedCase()])
    const { page } = await open(made.url)
    const href = await page.locator('th.name > a').getAttribute('href')
    const other = await open(`${made.url}${href}?run=1&quote=2`)
    await other.page.waitForSelector('mark.quote')
    expect(await marked(other.page)).toBe(QUOTES[2]?.marked)
    await expect.poll(() => isInView(other.page)).toBe(true)
  })

  test('filters, search and order are in the address', async () => {
    await using made = await makePage([
      { name: 'green' },
      { name: 'red', verdict: 'FAIL', error: 'It did not hold.', engine: 'codex', tags: ['nightly'] },
      { name: 'broken', verdict: 'ERROR', error: 'The API failed.', error_code: 'upstream-failed' },
      { name: 'left out', verdict: 'SKIP', skip_reason: 'no key' },
    ])
    const { page } = await open(made.url)
    await page.waitForSelector('tr.case')
    const names = (): Promise<string[]> => page.locator('th.name > a').allTextContents()
    expect(await names()).toEqual(['red', 'broken', 'left out', 'green'])
    expect(await page.locator('.reason').allTextContents()).toEqual([
      ' It did not hold.',
      'upstream-failed The API failed.',
      ' no key',
    ])
    await page.selectOption('select >> nth=0', 'errored')
    expect(await names()).toEqual(['broken'])
    expect(page.url()).toContain('outcome=errored')
    await page.goto(`${made.url}#/?engine=codex`)
    await page.reload()
    await expect.poll(names).toEqual(['red'])
    await page.goto(`${made.url}#/?tag=nightly&q=HOLD`)
    await expect.poll(names).toEqual(['red'])
  })

  test('it works with the keyboard: filters, a case, a quote, and back', async () => {
    await using made = await makePage([quotedCase(), { name: 'other' }, ...everyKind()])
    const { page } = await open(made.url)
    await page.waitForSelector('tr.case')
    await tabTo(page, 'input[type=search]')
    await page.keyboard.type('quoted')
    await expect.poll(() => page.locator('tr.case').count()).toBe(2)
    await tabTo(page, 'select')
    await page.keyboard.press('p')
    await expect.poll(() => page.locator('th.name > a').allTextContents()).toEqual(['quoted'])
    await tabTo(page, 'th button')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('sort=outcome-desc')
    await tabTo(page, 'th.name > a')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.quote-link')
    await tabTo(page, '.quote-link')
    await page.keyboard.press('Enter')
    await expect.poll(() => marked(page)).toBe(QUOTES[0]?.marked)
    await expect.poll(() => page.evaluate<string>('document.activeElement.className')).toBe('quote')
  })

  test('runs and arms stand side by side, and the story of another opens beside the first', async () => {
    await using made = await makePage([quotedCase(), ...everyKind()])
    const { page } = await open(made.url)
    await linkOf(page, 'quoted').last().click()
    const table = page.locator('.side-by-side')
    await expect
      .poll(() => table.locator('thead th').allTextContents())
      .toEqual(['Run 1with skill', 'Run 1without skill'])
    expect(await table.locator('tbody tr >> nth=0').textContent()).toBe('Outcomepassedfailed')
    await table.locator('text="Show beside"').click()
    await expect.poll(() => page.locator('.story').count()).toBe(2)
    await goTo(page, '#/')
    await linkOf(page, 'query').click()
    await expect
      .poll(() => table.locator('tbody tr').allTextContents())
      .toEqual(
        expect.arrayContaining([
          'Outcomecompletedcompletedcompleted',
          `Decided by${'the first turn and the rest of its session'.repeat(3)}`,
        ]),
      )
    const panel = page.locator('section[aria-label=Trigger]').first()
    expect(await panel.locator('p').first().textContent()).toMatch(
      /should be used\. It was used in \d of 3 completed runs/,
    )
  })

  test('graders are shown with their score, their votes and a quote that leads to its text', async () => {
    await using made = await makePage(everyKind())
    const { page } = await open(made.url)
    await linkOf(page, 'graded').click()
    const panel = page.locator('section[aria-label=Graders]')
    await panel.waitFor()
    expect(await panel.locator('p >> nth=0').textContent()).toBe('Score 0.50, needed 0.8')
    expect(await panel.locator('li .where').allTextContents()).toEqual([
      'regex · weight 1 · line 4',
      'llm-rubric · weight 2 · 1 of 3 votes for it · line 4',
    ])
    await panel.locator('.quote-link').click()
    await expect.poll(() => marked(page)).toBe('Hello, World')
  })

  test('a rubric shows what is quoted for each dimension, and each event where it is known from', async () => {
    await using made = await makePage([scoredCase()])
    const { page } = await open(made.url)
    expect(await page.locator('td[data-label=Tokens]').allTextContents()).toEqual(['1,234'])
    await linkOf(page, 'scored').click()
    const panel = page.locator('section[aria-label=Scores]')
    await panel.waitFor()
    expect(await panel.locator('li .statement').allTextContents()).toEqual(['clarity: It is plain.', 'depth: ?'])
    expect(await panel.locator('li .weak').allTextContents()).toEqual(["Only the agent's own words show this."])
    await panel.locator('.quote-link').click()
    await expect.poll(() => marked(page)).toBe('The total is 254.50')
    expect(await page.locator('.event-head .from').allTextContents()).toEqual(FROM)
    expect(await page.locator('.provenance').textContent()).toContain("the engine's own stream")
  })

  test('each picture is a table with its numbers as text', async () => {
    await using made = await makePage([quotedCase(), ...everyKind()], CHARTS)
    const { page } = await open(`${made.url}#/charts`)
    await page.waitForSelector('figure')
    const figures = await page
      .locator('figure')
      .evaluateAll((all) =>
        all.map((one) => [
          one.querySelector('h3')?.textContent,
          [...one.querySelectorAll('tbody tr')].map((row) =>
            [...row.querySelectorAll('th, td')].map((cell) => cell.textContent).join(' | '),
          ),
        ]),
      )
    expect(figures).toMatchInlineSnapshot(`
      [
        [
          "Triggers: was the skill used when it should be?",
          [
            "Should be used | 4✓ used as wanted | 2✗ missed",
            "Should not be used | 1✗ used without need | 3✓ rightly left alone",
          ],
        ],
        [
          "Lift: what each skill adds",
          [
            "skill:made, with+67 points · 3 cases · 2 better, 0 worse, 1 same · too few cases for a test |  | 67% | 20–94% | 2 of 3",
            "skill:made, without |  | 0% | 20–94% | 0 of 3",
          ],
        ],
        [
          "Rates over several runs",
          [
            " several (claude-code) failed |  | 67% | 20–94% | 2 of 3",
            " query (codex) passed |  | 67% | 20–94% | 2 of 3",
          ],
        ],
        [
          "Engines and models",
          [
            "quoted | passed $0.01 · 1.2 s | not planned",
            "several | failed passed 2 of 3 · $0.01 · 3.6 s | not planned",
            "query | not planned | passed used 2 of 3 · $0.01 · 3.6 s",
            "graded | failed $0.01 · 1.2 s | not planned",
            "broken | errored $0.01 · 1.2 s | not planned",
            "left out | skipped $0.01 · 1.2 s | not planned",
            "All cases | 33% 1 of 3 passed · $0.05 · 8.4 s | 100% 1 of 1 passed · $0.01 · 3.6 s",
          ],
        ],
      ]
    `)
    expect(await page.locator('figure svg:not([aria-hidden])').count()).toBe(0)
  })

  test('cases by engine and model have their rates, cost and time, and the sum of each column', async () => {
    const of = (model: string, engine: string, more: object): Parameters<typeof makePage>[0][number] => ({
      ...more,
      name: `pdf (${engine}, ${model})`,
      id: `evals/cases/0.yaml#pdf@${model}`,
      model,
      engine,
      duration_seconds: 2,
    })
    await using made = await makePage([
      of('a', 'claude-code', { cost_usd: 0.25 }),
      of('b', 'claude-code', { cost_usd: 0.5, verdict: 'FAIL', error: 'No.' }),
      of('c', 'codex', { cost_usd: null }),
    ])
    const { page } = await open(made.url)
    await goTo(page, '#/charts')
    await page.waitForSelector('.matrix')
    const rows = await page.locator('.matrix tr').allInnerTexts()
    expect(rows.map((row) => row.replaceAll(/\s+/g, ' '))).toMatchInlineSnapshot(`
      [
        "Case claude-code, a claude-code, b codex, c",
        "pdf passed $0.25 · 1.2 s failed $0.50 · 1.2 s passed unknown · 1.2 s",
        "All cases 100% 1 of 1 passed · $0.25 · 1.2 s 0% 0 of 1 passed · $0.50 · 1.2 s 100% 1 of 1 passed · unknown · 1.2 s",
      ]
    `)
  })

  test('it prints in black on white, complete, without what only a screen can use', async () => {
    await using made = await makePage([quotedCase(), ...everyKind()], CHARTS)
    const { page } = await open(made.url, { colorScheme: 'dark' })
    await page.click('.theme')
    await page.click('.theme')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
    for (const hidden of ['.top', '.filters']) expect(await page.locator(hidden).isVisible()).toBe(false)
    await page.setViewportSize({ width: 718, height: 1000 })
    expect(await page.locator('.cases thead th >> nth=0').isVisible()).toBe(true)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(718)
    await linkOf(page, 'quoted').last().click()
    await page.waitForSelector('.verdict-column')
    const clipped = await page
      .locator('.verdict-column, .event-column')
      .evaluateAll((all) => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length)
    expect(clipped).toBe(0)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(718)
  })

  test('each of twelve sub-agents has a number of its own, and can be shown alone', async () => {
    await using made = await makePage([delegatedCase(12)])
    const { page } = await open(made.url, { viewport: { width: 360, height: 800 } })
    await page.click('th.name > a')
    await page.waitForSelector('.event')
    const names = await page.locator('.event .chip.thread').allTextContents()
    expect(new Set(names)).toEqual(new Set(Array.from({ length: 12 }, (_, at) => `${at + 1} reviewer`)))
    await page.selectOption('.timeline-filters select >> nth=1', 'reviewer#call-6')
    await expect
      .poll(() => page.locator('.event-head').allTextContents())
      .toEqual(['message7 reviewermodel', 'message7 reviewermodel'])
    await goTo(page, `${await page.evaluate<string>('location.hash')}?run=1&event=20`)
    await expect.poll(() => page.locator('.event.chosen .number').allTextContents()).toEqual(['20'])
  })

  test('a report whose run folder is missing says so', async () => {
    await using made = await makePage([{ name: 'gone', keepsEvidence: false, agent_output_snippet: 'Hello' }])
    const { page } = await open(made.url)
    await page.click('th.name > a')
    await page.waitForSelector('.missing')
    expect(await page.locator('.missing').textContent()).toMatch(/The transcript is missing: .* is not there\..*Hello/)
  })

  test('images, differences and deleted files are shown', async () => {
    await using made = await makePage([changedCase()])
    const { page } = await open(made.url)
    await page.click('th.name > a')
    await page.waitForSelector('.file img')
    expect(await page.locator('.file img').evaluate((image) => Reflect.get(image, 'naturalWidth') as unknown)).toBe(1)
    expect(await page.locator('tr.removed code').allTextContents()).toEqual(['two'])
    expect(await page.locator('tr.added code').allTextContents()).toEqual(['2'])
    expect(await page.locator('.file.deleted').textContent()).toContain('was here')
  })

  // Only the colours of the other theme are others.
  test.for([
    ['light', undefined],
    ['dark', ['color-contrast']],
  ] as const)('an accessibility checker finds no serious fault, %s', async ([colorScheme, rules]) => {
    await using made = await makePage([quotedCase(), changedCase(), ...everyKind()], CHARTS)
    const { page } = await open(made.url, { colorScheme })
    for (const hash of ['#/', '#/charts', '#/run', ...(await linksOf(page)).slice(0, 3)]) {
      await goTo(page, hash)
      await page.waitForTimeout(100)
      expect(await seriousFaults(page, rules), hash).toEqual([])
    }
  })

  test.for([360, 768, 1600])('nothing is wider than a screen of %d px', async (width) => {
    await using made = await makePage([quotedCase(), changedCase(), ...everyKind()], CHARTS)
    const { page } = await open(made.url, { viewport: { width, height: 800 } })
    for (const hash of ['#/', '#/charts', '#/run', ...(await linksOf(page))]) {
      await goTo(page, hash)
      await expect.poll(() => page.locator('text="Reading the case…"').count()).toBe(0)
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), hash).toBeLessThanOrEqual(width)
      expect(await narrowTexts(page), hash).toEqual([])
    }
  })

  async function open(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Opened> {
    const page = await browser.newPage(options)
    page.setDefaultTimeout(15_000)
    const seen: Opened['seen'] = { requests: [], dialogs: [], errors: [] }
    page.on('request', (request) => {
      // Chromium reports pictures that are in the page itself, too.
      if (!request.url().startsWith('data:')) seen.requests.push(request.url())
    })
    page.on('dialog', (dialog) => {
      seen.dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    page.on('pageerror', (error) => seen.errors.push(error.message))
    page.on('console', (entry) => {
      if (entry.type() === 'error') seen.errors.push(entry.text())
    })
    await page.goto(url)
    return { page, seen }
  }
})

async function linksOf(page: Page): Promise<readonly string[]> {
  await page.waitForSelector('th.name > a')
  return page.locator('th.name > a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
}

interface Opened {
  readonly page: Page
  readonly seen: { readonly requests: string[]; readonly dialogs: string[]; readonly errors: string[] }
}
