// @module-tag claude-code
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import type { RawAnswer } from '../support/raw-upstream.ts'
import { installedEngines, type InstalledEngine } from './conformance/matrix.ts'
import { runHostile, type HostileRun } from './hostile-sessions.ts'

const MIB = 1024 * 1024

/** Answers of an API that is broken or hostile, by session. */
const FAULTS: Readonly<Record<string, () => RawAnswer>> = {
  'has-an-endless-line': () => ({
    type: 'text/event-stream',
    body: repeat(`data: ${'x'.repeat(MIB)}`, 'x'.repeat(MIB), 200),
  }),
  'has-endless-events': () => ({ type: 'text/event-stream', body: repeat('', 'data: {}\n\n'.repeat(10_000), 1000) }),
  'has-an-endless-body': () => ({ body: repeat('[', '[],'.repeat(MIB / 4), 300) }),
  'wants-an-absurd-wait': () => ({ status: 429, headers: { 'retry-after': '99999999' }, body: REFUSAL }),
  'wants-an-endless-wait': () => ({ status: 429, headers: { 'retry-after-ms': '1e300' }, body: REFUSAL }),
}
const REFUSAL = '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}'

/** Many open requests, more than all of them may hold, and one that takes much more memory than it is long. */
const HOLDS_MUCH = `
const body = 'a'.repeat(59 * 1024 * 1024)
const big = Array.from({ length: 40 }, () => send(request('POST', endpoint, question(model, body)), 15000))
const dense = send(request('POST', endpoint, '{"model":"' + model + '","max_tokens":1,"messages":[' + '[],'.repeat(8000000) + '0]}'), 15000)
console.log((await Promise.all([...big, dense])).map((text) => text.slice(9, 12)).join(' '))
`

const INNOCENTS = ['innocent-one', 'innocent-two', 'innocent-three']

describe(
  'an API that sends without end, and a session that does',
  { tags: ['claude-code', 'codex', 'copilot'] },
  () => {
    let runs: readonly { readonly engine: InstalledEngine; readonly run: HostileRun }[]

    beforeAll(async () => {
      const found = []
      for (const engine of await installedEngines())
        found.push({
          engine,
          run: await runHostile(engine, {
            attacks: { 'attack-holds-much': HOLDS_MUCH },
            innocents: [...Object.keys(FAULTS), ...INNOCENTS],
            options: { maxCostUsd: 1000, timeout: 60, concurrency: 9 },
            answer: (session) => FAULTS[session]?.() ?? null,
          }),
        })
      runs = found
    })

    test('cost themselves alone', () => {
      for (const { engine, run } of runs) {
        const ends = run.report.cases.map(({ name, outcome, error_code }) => [name, error_code ?? outcome])
        expect({ engine: engine.name, ...Object.fromEntries(ends) }, run.finished.all).toEqual({
          engine: engine.name,
          'attack-holds-much': 'unexpected-request',
          ...Object.fromEntries(Object.keys(FAULTS).map((name) => [name, 'upstream-failed'])),
          ...Object.fromEntries(INNOCENTS.map((name) => [name, 'passed'])),
        })
      }
    })

    test('say what was too much', () => {
      for (const { run } of runs) {
        expect(run.case('has-an-endless-line').error).toContain('it has a line of more than 8 MiB')
        expect(run.case('has-endless-events').error).toContain('it has more than 600000 lines of events')
        expect(run.case('has-an-endless-body').error).toContain('it is larger than 16 MiB')
      }
    })

    test('leave the main process below 300 MB', () => {
      for (const { engine, run } of runs) expect([engine.name, run.peakMiB < 300]).toEqual([engine.name, true])
    })
  },
)

function* repeat(first: string, more: string, times: number): Generator<string> {
  yield first
  for (let n = 0; n < times; n += 1) yield more
}
