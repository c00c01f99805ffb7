// How soon the report page of 1,000 cases with 50 MB of transcripts can be used, and how much memory its browser takes.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const RUN = '2026-02-22T14-30-00-000Z-abcdef'
const CASES = 1000
const EVENTS = 12
const BYTES = 50 * 1024 ** 2
const TIMES = Number(process.env.TIMES ?? 5)

export async function bench() {
  const root = mkdtempSync(join(tmpdir(), 'page-bench-'))
  try {
    const page = makePage(root)
    const opened = []
    for (let time = 0; time < TIMES; time += 1) opened.push(await open(page))
    const what = `${CASES} cases, ${Math.round(BYTES / 1024 ** 2)} MB of transcripts`
    return [
      {
        what: `${what}: until the overview answers a search`,
        value: middle(opened.map(({ ms }) => ms)) / 1000,
        unit: 's',
        reach: 2,
      },
      {
        what: `${what}: computing of the renderer until then`,
        value: middle(opened.map(({ computed }) => computed)),
        unit: 's',
        reach: null,
      },
      {
        what: `${what}: memory of the renderer`,
        value: Math.max(...opened.map(({ mb }) => mb)),
        unit: 'MB',
        reach: 500,
      },
      { what: `${what}: the file`, value: statSync(page).size / 1024 ** 2, unit: 'MB', reach: null },
    ]
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function middle(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

function makePage(root) {
  let seed = 1
  // Words that compress no better than those of a model.
  const word = () => (seed = (seed * 48_271) % 2_147_483_647).toString(36)
  const words = (length) => Array.from({ length }, word).join(' ')
  const length = Math.round(BYTES / CASES / EVENTS / 6.9)
  const cases = Array.from({ length: CASES }, (_, index) => {
    const folder = `.vitest/agent-evals/${RUN}/cases/case-${index}/claude-code.1`
    mkdirSync(join(root, folder), { recursive: true })
    const events = Array.from({ length: EVENTS }, (_event, n) => ({
      n: n + 1,
      agent: n % 4 === 3 ? 'reviewer#a' : null,
      ...eventOf(n, words(length)),
    }))
    writeFileSync(join(root, folder, 'transcript.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''))
    const file = `evals/cases/${index}.yaml`
    const isFailed = index % 10 === 0
    return {
      id: `${file}#case-${index}`,
      name: `case-${index}`,
      target: `skill:skill-${index % 20}`,
      verdict: isFailed ? 'FAIL' : 'PASS',
      error: isFailed ? words(20) : null,
      file,
      line: 1,
      tags: [`tag-${index % 7}`, `owner-${index % 11}`],
      engine: index % 2 === 0 ? 'claude-code' : 'codex',
      agent: { runtime_version: '2.1.0', model: 'claude-made' },
      source: 'live',
      duration_seconds: 12.5,
      cost_usd: 0.01,
      checks: [{ kind: 'contains', value: words(3), line: 9, result: 'PASS', message: null, weak: null }],
      expectations: Array.from({ length: 3 }, () => ({
        text: words(12),
        result: 'PASS',
        evidence: events[0].text.slice(0, 60),
        evidence_found_in: 'output',
        reason: words(15),
        agreement: { agree: 1, of: 1 },
        weak: null,
      })),
      hashes: Array.from({ length: 20 }, (_input, n) => ({ path: `input-${n}`, role: 'skill', hash: words(6) })),
      runs: [{ index: 1, status: 'completed', folder }],
    }
  })
  writeFileSync(join(root, 'report.json'), JSON.stringify({ version: 1, id: 'eval-run', cases }))
  execFileSync(process.execPath, [MAIN, 'view', 'report.json', '-o', 'page.html', '--no-open'], { cwd: root })
  return join(root, 'page.html')
}

function eventOf(n, text) {
  const id = `call-${Math.floor(n / 3)}`
  if (n % 3 === 0) return { kind: 'message', text }
  if (n % 3 === 1) return { kind: 'tool-call', id, tool: 'Bash', input: { command: text } }
  return { kind: 'tool-result', id, text: text.replaceAll(/(?:\S+ ){9}/g, '$&\n'), isError: false, blockedBy: null }
}

/** Opens the page in a browser of its own, searches a case and opens it. */
async function open(file) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const page = await browser.newPage()
    const start = performance.now()
    await page.goto(`file://${file}`, { waitUntil: 'commit' })
    await page.fill('input[type=search]', 'case-777')
    await page.waitForFunction("document.querySelectorAll('td.name > a').length === 1")
    const ms = performance.now() - start
    const { computed } = largestRenderer()
    await page.click('td.name > a')
    await page.waitForSelector('.event')
    return { ms, computed, mb: largestRenderer().mb }
  } finally {
    await browser.close()
  }
}

// The memory of the page is that of its process, not of its JavaScript heap alone. On a busy machine the seconds that it
// computed say more than those that went by.
function largestRenderer() {
  const renderers = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const isRenderer = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')
        const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
        if (!isRenderer || kilobytes === undefined) return []
        const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13)
        return [{ mb: Number(kilobytes) / 1024, computed: (Number(user) + Number(system)) / TICKS }]
      } catch {
        return []
      }
    })
  return renderers.toSorted((a, b) => b.mb - a.mb)[0]
}

// Of a second, as every Linux counts them in /proc.
const TICKS = 100
