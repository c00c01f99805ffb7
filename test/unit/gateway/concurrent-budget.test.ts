// @module-tag slow
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { acquireLease, type AcquiredLease } from '../../../src/gateway/control/client.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel } from '../../support/model-client.ts'
import { startRawUpstream, type RawAnswer, type RawRequest } from '../../support/raw-upstream.ts'

const MODEL = 'claude-sonnet-5'
const PRICE = { input: 3, output: 15 }

/** An API that bills what it answers. */
function createBilling(): {
  readonly answer: (request: RawRequest) => RawAnswer
  billedUsd: number
  mostOpen: number
} {
  let open = 0
  const billing = {
    billedUsd: 0,
    mostOpen: 0,
    answer({ body }: RawRequest): RawAnswer {
      const { max_tokens: limit } = JSON.parse(body) as { readonly max_tokens: number }
      const wanted = Number(/wants (\d+)/.exec(body)?.[1])
      const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: Math.min(limit, wanted) }
      open += 1
      billing.mostOpen = Math.max(billing.mostOpen, open)
      return {
        type: 'text/event-stream',
        body: stream(usage, limit < wanted, () => {
          open -= 1
          billing.billedUsd += (usage.input_tokens * PRICE.input + usage.output_tokens * PRICE.output) / 1e6
        }),
      }
    },
  }
  return billing
}

async function* stream(usage: object, isCut: boolean, end: () => void): AsyncGenerator<string> {
  const message = { model: MODEL, usage: { ...usage, output_tokens: 1 } }
  yield `data: ${JSON.stringify({ type: 'message_start', message })}\n\n`
  // Others ask in the meantime.
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  const delta = { type: 'message_delta', delta: { stop_reason: isCut ? 'max_tokens' : 'end_turn' }, usage }
  end()
  yield [delta, { type: 'message_stop' }].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

function bodyOf(tokens: number): object {
  const content = `${'word '.repeat(1000)} wants ${tokens}`
  return { model: MODEL, max_tokens: 128_000, stream: true, messages: [{ role: 'user', content }] }
}

/** What a run of this number asks: rarely all that a model can answer, sometimes with sub-agents at once. */
function answersOf(index: number): readonly (readonly number[])[] {
  const usual = 200 + ((index * 619) % 3000)
  if (index % 40 === 7) return [[usual], [128_000], [usual]]
  return index % 5 === 0 ? [[usual], [usual, 400, 9000], [usual]] : [[usual], [usual]]
}

async function hangUp(lease: AcquiredLease, tokens: number): Promise<void> {
  const { socket, token } = lease.grant
  const request = httpRequest({
    socketPath: socket,
    method: 'POST',
    path: '/v1/messages',
    headers: { 'x-api-key': token },
  })
  request.on('error', () => {})
  request.end(JSON.stringify(bodyOf(tokens)))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  await once(response, 'data')
  response.destroy()
}

test('1,000 live runs spend what the API bills, and no more than 8,000 tokens of each open request beyond the budget', async () => {
  const budgetUsd = 20
  const billing = createBilling()
  await using upstream = await startRawUpstream(billing.answer)
  const gateway = await startGateway({
    maxCostUsd: budgetUsd,
    concurrency: 8,
    prices: { [MODEL]: PRICE },
    environment: { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-real-1234567890' },
  })
  onTestFinished(() => gateway.close())
  const ends = { finished: 0, refused: 0, skipped: 0 }
  let reportedUsd = 0

  const run = async (index: number): Promise<void> => {
    const caseId = `evals/cases/a.yaml#case-${index}`
    for (const label of [caseId, `${caseId} (judge)`]) {
      const lease = await acquireLease(
        gateway.controlSocket,
        // A probe has no process, which the end of a lease would look for on the whole machine.
        { ...askFor({ kind: 'live' }), caseId: label, firstTurn: 'probe' },
        new AbortController().signal,
      ).catch(() => null)
      if (lease === null) {
        ends.skipped += 1
        return
      }
      const turns = label === caseId ? answersOf(index) : [[1500]]
      let isRefused = false
      for (const answers of turns) {
        const replies = await Promise.all(
          answers.map((tokens) => callModel(lease.grant, { body: bodyOf(tokens) }).then(({ status }) => status)),
        )
        isRefused = replies.some((status) => status !== 200)
        if (isRefused) break
      }
      if (!isRefused && index % 9 === 0) await hangUp(lease, 3000).catch(() => {})
      const { meter } = await lease.finish()
      reportedUsd += meter.costUsd ?? Number.NaN
      if (isRefused || meter.problems.length > 0) {
        expect(meter.problems.map(({ code }) => code)).toContain(label === caseId ? 'budget-spent' : 'judge-not-paid')
        ends.refused += 1
        return
      }
    }
    ends.finished += 1
  }
  const indexes = Array.from({ length: 1000 }, (_, index) => index)
  // A probe takes no slot: eight at once are as many as a live run has.
  const work = async (): Promise<void> => {
    for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) await run(index)
  }
  await Promise.all(Array.from({ length: 8 }, work))

  const spentUsd = gateway.activity().costUsd
  expect(spentUsd).toBeCloseTo(billing.billedUsd, 6)
  expect(reportedUsd).toBeCloseTo(billing.billedUsd, 6)
  expect(billing.billedUsd).toBeLessThanOrEqual(budgetUsd + (8000 * billing.mostOpen * PRICE.output) / 1e6)
  expect(billing.billedUsd).toBeGreaterThan(0.5 * budgetUsd)
  expect(ends.finished).toBeGreaterThan(50)
  expect(ends.skipped).toBeGreaterThan(100)
  expect(ends.finished + ends.refused + ends.skipped).toBe(1000)
}, 120_000)
