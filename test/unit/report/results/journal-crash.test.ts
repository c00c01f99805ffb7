// @module-tag slow
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentEvalsError } from '../../../../src/lib/errors.ts'
import { foldReports } from '../../../../src/report/fold/fold.ts'
import { openJournal } from '../../../../src/report/results/journal.ts'
import { readJournals } from '../../../../src/report/results/read-journal.ts'
import { createRunId } from '../../../../src/report/results/run-folder.ts'
import { createRunFolder } from '../../../../src/report/results/start-run.ts'
import { createRedactor } from '../../../../src/gateway/redact.ts'
import { writeReports } from '../../../../src/report/write-report.ts'
import { buildReport } from '../../../../src/report/build/build-report.ts'
import { knownProvenance } from '../../../../src/report/results/provenance.ts'
import { caseResult, plannedCase, runPlan } from '../../../support/case-result.ts'

const ROOT = join(import.meta.dirname, '../../../..')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-crash-'))
  const compiler = join(ROOT, 'node_modules/.bin/tsc')
  const settings = [
    '--noCheck',
    '--rewriteRelativeImportExtensions',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
  ]
  execFileSync(
    compiler,
    [
      ...settings,
      '--ignoreConfig',
      '--outDir',
      join(folder, 'dist'),
      '--rootDir',
      'src',
      'src/report/results/journal.ts',
    ],
    { cwd: ROOT },
  )
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'result.json'), JSON.stringify(caseResult('a')))
  writeFileSync(join(folder, 'worker.js'), WORKER)
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const WORKER = `
import { readFileSync, writeSync } from 'node:fs'
import { openJournal } from './dist/report/results/journal.js'
const result = JSON.parse(readFileSync(new URL('result.json', import.meta.url), 'utf8'))
const journal = openJournal(process.argv[2])
let n = 0
async function work() {
  for (;;) {
    const mine = n++
    const name = 'case-' + mine
    // Some lines are longer than a page, so that a kill can tear them.
    await journal.end({ ...result, id: name, name, agent_output_snippet: 'x'.repeat(mine % 3 === 0 ? 300_000 : 200) })
    writeSync(1, name + '\\n')
  }
}
await Promise.all([work(), work(), work()])
`

// Forty processes one after the other; each is killed at another moment.
test.for(Array.from({ length: 40 }, (_, round) => round))(
  'S1: kill -9 loses nothing that had ended (round %i)',
  async (round) => {
    const run = mkdtempSync(join(folder, 'run-'))
    const worker = spawn(process.execPath, [join(folder, 'worker.js'), run], { stdio: ['ignore', 'pipe', 'inherit'] })
    const acknowledged: string[] = []
    const lines = createInterface({ input: worker.stdout })
    const enough = 1 + Math.floor(round / 2) + Math.floor(Math.random() * 20)
    lines.on('line', (line) => {
      acknowledged.push(line)
      if (acknowledged.length === enough) setTimeout(() => worker.kill('SIGKILL'), Math.random() * 5)
    })
    await Promise.all([once(worker, 'exit'), once(lines, 'close')])

    const { entries, skipped } = readJournals(run)
    const found = new Set(entries.flatMap((entry) => (entry.kind === 'case-end' ? [entry.result.id] : [])))
    expect(acknowledged.length).toBeGreaterThanOrEqual(enough)
    expect(acknowledged.filter((name) => !found.has(name))).toEqual([])
    expect(skipped.corrupt).toBeLessThanOrEqual(1)
  },
)

test('a worker that goes on in a torn journal loses only the torn line', async () => {
  const run = mkdtempSync(join(folder, 'run-'))
  for (let round = 0; round < 2; round++) {
    const worker = spawn(process.execPath, [join(folder, 'worker.js'), run], { stdio: ['ignore', 'pipe', 'inherit'] })
    worker.stdout.once('data', () => setTimeout(() => worker.kill('SIGKILL'), 30))
    await once(worker, 'exit')
  }
  await using journal = openJournal(run)
  await journal.end(caseResult('after'))
  expect(readJournals(run).entries.some((entry) => entry.kind === 'case-end' && entry.result.name === 'after')).toBe(
    true,
  )
})

test('a disk that is full takes whole lines or nothing, and says so', async ({ skip }) => {
  const fs = mkdtempSync(join(folder, 'disk-'))
  const reason = mountTmpfs(fs, '1m')
  if (reason !== null) return skip(`a file system of its own cannot be mounted: ${reason}`)
  try {
    const run = createRunFolder(fs, createRunId(new Date()), { ...runPlan([plannedCase('case-0')]) })
    await using journal = openJournal(run.path)
    let written = 0
    const fill = async (): Promise<void> => {
      for (; ; written += 1)
        await journal.end(caseResult(`case-${written}`, { agent_output_snippet: 'x'.repeat(10_000) }))
    }
    await expect(fill()).rejects.toThrow(AgentEvalsError)
    const after = readJournals(run.path)
    expect(after.skipped.corrupt).toBe(0)
    expect(written).toBeGreaterThan(0)
    expect(after.entries.length).toBe(written)

    const [folded] = foldReports([{ plan: run.plan, journal: after }], 'finished')
    const report = buildReport(folded!, knownProvenance('4.1.12'))
    const redactor = createRedactor({})
    const elsewhere = { report, packageRoot: folder, engineName: 'claude-code' }
    expect(() => writeReports([{ ...elsewhere, packageRoot: fs }], { runFolder: run.path, redactor })).toThrow(
      'the disk is full',
    )
    expect(writeReports([elsewhere], { runFolder: run.path, redactor })[0]?.problem).toBeNull()
  } finally {
    execFileSync('umount', [fs])
  }
})

function mountTmpfs(path: string, size: string): string | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'pipe' })
    return null
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error)
  }
}
