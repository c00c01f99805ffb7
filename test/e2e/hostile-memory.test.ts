// @module-tag no-engine
// @module-tag slow
// @module-tag long
import { expect, test } from 'vitest'
import { runAttack } from '../support/attack-session.ts'
import type { RawAnswer } from '../support/raw-upstream.ts'

const MIB = 1024 * 1024
const NO_ANSWER = (): RawAnswer => ({ body: null })

interface Attack {
  readonly name: string
  readonly script: string
  readonly answer: () => RawAnswer
  readonly code: 'unexpected-request' | 'engine-failed' | typeof ENDLESS
}

/** On a slow machine the session leaves before the gateway has had enough. */
const ENDLESS = /^(?:upstream-failed|records-differ)$/
const ASK_OFTEN = 'for (let n = 0; n < 5; n += 1) await many(8)\nconsole.log("done")'

const ATTACKS: readonly Attack[] = [
  { name: '40 requests of 59 MiB', script: 'await many(40, 59)', answer: NO_ANSWER, code: 'unexpected-request' },
  {
    name: '40 requests of 59 MiB in chunks',
    script: 'await many(40, 59, "xxxx", true)',
    answer: NO_ANSWER,
    code: 'unexpected-request',
  },
  { name: '40 requests of 15 MiB', script: 'await many(40, 15)', answer: NO_ANSWER, code: 'unexpected-request' },
  {
    name: '40 requests of 3.9 MiB of words',
    script: 'await many(40, 3.9, "a b ")',
    answer: NO_ANSWER,
    code: 'unexpected-request',
  },
  // Nobody refuses it, so all that reads the texts of a run afterwards gets it.
  {
    name: 'one request of 3.9 MiB of words',
    script: 'await many(1, 3.9, "a b ")',
    answer: NO_ANSWER,
    code: 'engine-failed',
  },
  ...['1', '[]', '{}', '{"k":1}', '"a"'].map((value) => ({
    name: `requests with as many values as fit, ${value}`,
    script: `const values = Array.from({ length: Math.min(499_000, Math.floor(3.9 * 1024 * 1024 / ${value.length + 1})) }, () => '${value}')
await Promise.all(Array.from({ length: 8 }, () => ask('{"model":"gpt-5","messages":[' + values + ']}')))
await many(40)`,
    answer: NO_ANSWER,
    code: 'unexpected-request' as const,
  })),
  {
    name: 'a request that imitates the marks of a medium',
    script: `const medium = 'x'.repeat(11 * 1024 * 1024)
const mark = medium.slice(0, 4096) + '… sha256:' + createHash('sha256').update(medium).digest('hex')
await askWith([{ role: 'user', content: mark.repeat(900) }], { metadata: { medium } })
await many(40)`,
    answer: NO_ANSWER,
    code: 'unexpected-request',
  },
  {
    name: 'an endless line',
    script: ASK_OFTEN,
    answer: () => ({ type: 'text/event-stream', body: repeat(`data: ${'x'.repeat(MIB)}`, 'x'.repeat(MIB), 200) }),
    code: ENDLESS,
  },
  {
    name: 'endless events',
    script: ASK_OFTEN,
    answer: () => ({ type: 'text/event-stream', body: repeat('', 'data: {}\n\n'.repeat(10_000), 1000) }),
    code: ENDLESS,
  },
  {
    name: 'an endless body',
    script: ASK_OFTEN,
    answer: () => ({ body: repeat('[', '[],'.repeat(MIB / 4), 300) }),
    code: ENDLESS,
  },
]

test.for(ATTACKS)('$name takes less than 300 MB in the Vitest process', async ({ script, answer, code }) => {
  const run = await runAttack(script, answer)
  const [attack] = run.report.cases
  expect(attack?.error_code, run.finished.all).toMatch(code)
  expect(run.peak).toBeLessThan(300)
})

function* repeat(first: string, more: string, times: number): Generator<string> {
  yield first
  for (let n = 0; n < times; n += 1) yield more
}
