import { expect, onTestFinished, test, vi } from 'vitest'
import { anthropicScorer, answered, startJudging } from '../../../support/golden-judge.ts'
import { startUpstream, type Upstream, type UpstreamAnswer } from '../../../support/upstream.ts'

function keys(openai: Upstream, anthropic: Upstream): Readonly<Record<string, string>> {
  return {
    OPENAI_API_KEY: 'sk-openai',
    OPENAI_BASE_URL: openai.url,
    ANTHROPIC_API_KEY: 'sk-anthropic',
    ANTHROPIC_BASE_URL: anthropic.url,
  }
}

function startFallback(): Promise<Upstream> {
  return startUpstream(async (body) => anthropicScorer(answered)(body))
}

/** Answers that the API is down, and lets a minute pass by the clock of this process each time. */
function downForMinutes(): () => Promise<UpstreamAnswer> {
  const now = performance.now.bind(performance)
  let minutes = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + minutes * 60_000)
  onTestFinished(() => spy.mockRestore())
  return async () => {
    minutes += 1
    return { status: 503, message: 'down' }
  }
}

test.for<readonly [string, UpstreamAnswer]>([
  ['refuses the credential (401)', { status: 401, message: 'invalid key' }],
  ['has no credit left', { status: 429, message: 'insufficient_quota' }],
])('every test falls back where the account of the first judges %s', async ([why, refusal]) => {
  await using openai = await startUpstream([refusal])
  await using anthropic = await startFallback()
  const judge = await startJudging(keys(openai, anthropic))
  const first = await judge({})
  const before = openai.requests.length
  const later = [await judge({}), await judge({})]
  for (const { part } of [first, ...later]) {
    expect(part, part.reason).toMatchObject({ result: 'passed', provider: 'anthropic', error: null })
    expect(part.notices[0]).toMatch(/^The judge gpt-5-2026-04-15 could not be asked, so \S+ judged: /)
  }
  expect(first.part.notices.join()).toContain(why)
  expect(openai.requests).toHaveLength(before)
})

test('a judge that is down for half a minute is passed over for the rest of the run', async () => {
  await using openai = await startUpstream(downForMinutes())
  await using anthropic = await startFallback()
  const judge = await startJudging(keys(openai, anthropic))
  const parts = [await judge({}), await judge({}), await judge({})].map(({ part }) => part)
  for (const part of parts) {
    expect(part, part.reason).toMatchObject({ result: 'passed', provider: 'anthropic' })
    expect(part.notices.join()).toMatch(/ answered 503: api_error: down\. It has answered nothing for \d+ s/)
  }
  // The two judges of that API, each until the first retry.
  expect(openai.requests.length).toBeLessThan(6)
})

test('where every judge is down, each test names all of them', async () => {
  const answer = downForMinutes()
  await using openai = await startUpstream(answer)
  await using anthropic = await startUpstream(answer)
  const judge = await startJudging(keys(openai, anthropic))
  for (const { part } of [await judge({}), await judge({})]) {
    expect(part.result).toBe('errored')
    expect(part.reason.split('\n').map((line) => /^The judge (\S+) could not be asked/.exec(line)?.[1])).toEqual([
      'gpt-5-2026-04-15',
      'gpt-5.5',
      'claude-sonnet-4-6',
    ])
  }
})
