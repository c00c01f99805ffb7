// Takes the picture of the report page for the README from the example's last run: npm run evals && node scripts/screenshot.mjs
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RUNS = join(ROOT, 'example-package/.vitest/agent-evals')
const CASE = 'hook-blocks-protected-write'

const run = readdirSync(RUNS)
  .filter((name) => /^\d{4}-/.test(name))
  .toSorted()
  .at(-1)
const file = join(RUNS, run, 'report.html')
const key = new RegExp(`id="case-(${CASE}-[0-9a-f]+)"`).exec(readFileSync(file, 'utf8'))?.[1]
if (key === undefined) throw new Error(`${file} has no case ${CASE}. Run npm run evals first.`)

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
const page = await browser.newPage({ viewport: { width: 1180, height: 900 }, colorScheme: 'light' })
await page.goto(`file://${file}#/case/${key}?run=1&quote=0`)
await page.waitForSelector('mark.quote')
await page.evaluate('scrollTo(0, 0)')
await page.screenshot({ path: join(ROOT, 'docs/images/report.png') })
await browser.close()
