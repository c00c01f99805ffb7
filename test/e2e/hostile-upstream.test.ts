// @module-tag claude-code
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import type { RawAnswer } from '../support/raw-upstream.ts'
import { installedEngines, type InstalledEngine } from '../support/conformance/matrix.ts'
import { FLOOD } from '../support/flood.ts'
import { expectOutcomes, outcomesOf } from '../support/security-page.ts'
import { runHostile, type HostileRun } from '../support/hostile-sessions.ts'

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
/** All sessions and broken answers at once; without a limit it was 2.6 GB. */
const MOST_MEGABYTES = 300
const INNOCENTS = ['innocent-one', 'innocent-two', 'innocent-three']

/** Bodies without end, and as many large requests as fit, which the API leaves without an answer. */
const FLOODS = `
${FLOOD}
const many = (count, ...how) => floods(count, { address, endpoint, token, body: question(model, 'This is session floods. END') }, ...how)
await many(40, 59, 'xxxx', false)
await many(40, 59, 'xxxx', true)
await many(40, 31, 'xxxx', false)
await many(40, 7, 'a b ', false)
`

/** Connections that say nothing, more than any engine has. */
const IDLES = `
const sockets = Array.from({ length: 200 }, () => connect(address).on('error', () => {}))
await new Promise((resolve) => setTimeout(resolve, 5000))
for (const socket of sockets) socket.destroy()
`
/** Requests that are refused, each in other words. */
const IS_REFUSED = `
const ask = (n) => send(request('POST', endpoint, question('other-' + n + 'x'.repeat(10_000), 'This is session refused.')), 2000)
for (let n = 0; n < 320; n += 16) await Promise.all(Array.from({ length: 16 }, (_, index) => ask(n + index)))
`
const ATTACKS = { 'attack-floods': FLOODS, 'attack-idles': IDLES, 'attack-is-refused': IS_REFUSED }

describe('an API that sends or waits without end', { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  let runs: readonly { readonly engine: InstalledEngine; readonly run: HostileRun }[]

  beforeAll(async () => {
    const found = []
    for (const engine of await installedEngines()) {
      const run = await runHostile(engine, {
        attacks: ATTACKS,
        innocents: [...Object.keys(FAULTS), ...INNOCENTS],
        options: { maxCostUsd: 1000, timeout: 60 },
        answer: (session) => (session === 'floods' ? { body: null } : (FAULTS[session]?.() ?? null)),
      })
      found.push({ engine, run })
    }
    runs = found
  })

  test('costs its own cases alone', () => {
    for (const { engine, run } of runs) {
      const ends = run.report.cases.map(({ name, outcome, error_code }) => [name, error_code ?? outcome])
      expect({ engine: engine.name, ...Object.fromEntries(ends) }, run.finished.all).toEqual({
        engine: engine.name,
        ...Object.fromEntries(Object.keys(FAULTS).map((name) => [name, 'upstream-failed'])),
        ...Object.fromEntries(Object.keys(ATTACKS).map((name) => [name, 'unexpected-request'])),
        // The bridge to the gateway has a limit of its own, below that of the gateway.
        ...(engine.name === 'claude-code' ? {} : { 'attack-idles': 'passed' }),
        ...Object.fromEntries(INNOCENTS.map((name) => [name, 'passed'])),
      })
    }
  })

  test('ends as SECURITY.md has it', async () => {
    const ended = runs.map(({ engine, run }) => ({ engine: engine.name, cases: run.report.cases }))
    await expectOutcomes('upstream', ['session', ...ended.map(({ engine }) => engine)], outcomesOf(ended))
  })

  test('takes little memory of the Vitest process', () => {
    for (const { engine, run } of runs) {
      const { atFirst, atEnd } = run.memory
      expect({ engine: engine.name, atFirst, atEnd, isLittle: atEnd < MOST_MEGABYTES }).toMatchObject({
        isLittle: true,
      })
    }
  })

  test('says what was too much', () => {
    for (const { run } of runs) {
      expect(run.case('has-an-endless-line').error).toContain('it has a line of more than 8 MiB')
      expect(run.case('has-endless-events').error).toContain('it has more than 600000 lines of events')
      expect(run.case('has-an-endless-body').error).toContain('it is larger than 16 MiB')
    }
  })
})

function* repeat(first: string, more: string, times: number): Generator<string> {
  yield first
  for (let n = 0; n < times; n += 1) yield more
}
