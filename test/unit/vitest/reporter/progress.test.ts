import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createProgress, formatProgressBlock, formatProgressLine } from '../../../../src/vitest/reporter/progress.ts'
import type { GatewayActivity } from '../../../../src/gateway/gateway.ts'

const BUSY: GatewayActivity = {
  running: [
    { label: 'evals/cases/pdf.yaml#pdf (run 2)', elapsedMs: 83_400, lastTool: 'Bash', costUsd: 0.123 },
    { label: 'evals/cases/odd.yaml#::error::##[error]\n::x', elapsedMs: 2_000, lastTool: null, costUsd: 0 },
    { label: 'evals/cases/new.yaml#new', elapsedMs: 20, lastTool: null, costUsd: null },
  ],
  waiting: 5,
  costUsd: 0.42,
}
const IDLE: GatewayActivity = { running: [], waiting: 0, costUsd: 0 }

test('a block for a terminal shows what has run for a while', () => {
  expect(formatProgressBlock(BUSY)).toMatchInlineSnapshot(`
    [
      "    Running  pdf (run 2)                 1m 23s  Bash  $0.12",
      "             ::error::#\\x23[error]\\n::x  2s",
      "             1 more running, 5 waiting, $0.42 so far",
    ]
  `)
  expect(formatProgressBlock(IDLE)).toEqual([])
})

test('a line for a log shows all that runs, and no log takes it for a command', () => {
  expect(formatProgressLine(BUSY)).toMatchInlineSnapshot(
    `"agent-evals: 3 running, 5 waiting, $0.42 so far: pdf (run 2) 1m 23s Bash $0.12; ::error::#\\x23[error]\\n::x 2s; new 0s"`,
  )
  expect(formatProgressLine({ ...IDLE, running: BUSY.running.slice(1, 2) })).toMatchInlineSnapshot(
    `"agent-evals: 1 running: ::error::#\\x23[error]\\n::x 2s"`,
  )
  expect(formatProgressLine(IDLE)).toBeNull()
})

test('a case is shown by its name: an id may be a number, or the hash of a query', () => {
  const labels = [
    'evals/evals.json#1',
    'evals/evals.json#t-1a2b3c4d (run 2)',
    'evals/evals.json#t-1a2b3c4d (run 2) (repeated, to continue it)',
  ]
  const running = labels.map((label) => ({ label, elapsedMs: 2_000, lastTool: null, costUsd: null }))
  const names = new Map([
    ['evals/evals.json#1', '1 pdf: Read the report (twice)'],
    ['evals/evals.json#t-1a2b3c4d', 'Summarize this PDF for me'],
  ])
  expect(formatProgressLine({ ...IDLE, running }, names)).toBe(
    'agent-evals: 3 running: 1 pdf: Read the report (twice) 2s; Summarize this PDF for me (run 2) 2s; Summarize this PDF for me (run 2) (repeated, to continue it) 2s',
  )
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test("Vitest's own block is extended, and only where there is none a line is printed now and then", () => {
  const printed: string[] = []
  const first: number[] = []
  const logger = { log: (line: string) => printed.push(line), error: (line: string) => printed.push(`stderr ${line}`) }
  const config = { reporters: ['default'] }
  const summary = { createSummary: () => ['theirs', ''] }
  const withBlock = { reporters: [{}, { summary }], config, logger }
  const run = (vitest: object, activity: GatewayActivity): void => {
    const progress = createProgress(vitest as Parameters<typeof createProgress>[0], { activity: () => activity })
    progress.start()
    vi.advanceTimersByTime(9_000)
    const early = printed.length
    vi.advanceTimersByTime(2_000)
    first.push(printed.length - early)
    vi.advanceTimersByTime(50_000)
    progress.stop()
    vi.advanceTimersByTime(61_000)
  }
  run(withBlock, { ...IDLE, running: BUSY.running.slice(0, 1) })
  expect([printed, summary.createSummary()]).toEqual([
    [],
    ['theirs', '', '    Running  pdf (run 2)  1m 23s  Bash  $0.12', ''],
  ])

  run({ reporters: [{}], config, logger }, { ...IDLE, running: BUSY.running.slice(0, 1) })
  run({ reporters: [{}], config: { reporters: ['tap'] }, logger }, { ...IDLE, running: BUSY.running.slice(0, 1) })
  run({ reporters: [{}], config, logger }, IDLE)
  const line = 'agent-evals: 1 running: pdf (run 2) 1m 23s Bash $0.12'
  expect(printed).toEqual([line, line, `stderr ${line}`, `stderr ${line}`])
  // The first one comes after ten seconds.
  expect(first).toEqual([0, 1, 1, 0])
})
