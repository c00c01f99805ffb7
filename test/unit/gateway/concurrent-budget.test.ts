// @module-tag slow
import { expect, onTestFinished, test } from 'vitest'
import { acquireLease, keepJudgeShare } from '../../../src/gateway/control/client.ts'
import { startGateway, type Gateway } from '../../../src/gateway/gateway.ts'
import { answerAll, pathOf, requestOf, type WireName } from '../../support/api-answers.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel } from '../../support/model-client.ts'
import { startRawUpstream, type RawRequest } from '../../support/raw-upstream.ts'

const BUDGET = 5
const CASES = 40
const MODELS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': 'claude-sonnet-5',
  'openai-responses': 'gpt-5.4',
  'openai-chat': 'gpt-5.4',
}
const signal = new AbortController().signal

/** What the cases of a suite are like. */
interface Load {
  readonly name: string
  /** Requests of the agent of a case. */
  requests(index: number): number
  /** Tokens of each answer. */
  outputTokens(index: number): number
}

const LOADS: readonly Load[] = [
  { name: 'that are all alike', requests: () => 4, outputTokens: () => 3000 },
  { name: 'some of which are long', requests: (index) => 1 + (index % 7), outputTokens: () => 3000 },
  { name: 'each of which takes a good part of it', requests: () => 6, outputTokens: () => 7000 },
  { name: 'of one request', requests: () => 1, outputTokens: () => 200 },
]

interface Spent {
  readonly finished: number
  readonly usd: number
}

/** Runs the cases as workers do: an agent that asks a few times, then its judge. */
async function runCases(wire: WireName, load: Load, concurrency: number): Promise<Spent> {
  await using upstream = await startRawUpstream((request) => answer(wire, load, request))
  const gateway = await startGateway({
    maxCostUsd: BUDGET,
    concurrency,
    environment: {
      ANTHROPIC_BASE_URL: upstream.url,
      OPENAI_BASE_URL: `${upstream.url}/v1`,
      ANTHROPIC_API_KEY: 'sk-real-1234567890',
      OPENAI_API_KEY: 'sk-real-1234567890',
    },
  })
  onTestFinished(() => gateway.close())
  let finished = 0
  const run = async (index: number): Promise<void> => {
    if (await runCase(gateway, wire, load, index)) finished += 1
  }
  const indexes = Array.from({ length: CASES }, (_, index) => index)
  if (concurrency === 1) for (const index of indexes) await run(index)
  else await Promise.all(indexes.map(run))
  const usd = gateway.activity().costUsd
  await gateway.close()
  return { finished, usd }
}

async function runCase(gateway: Gateway, wire: WireName, load: Load, index: number): Promise<boolean> {
  const caseId = `evals/cases/a.yaml#case-${index}`
  using share = await keepJudgeShare(gateway.controlSocket, { caseId, model: null, wire, requests: 1 }, signal)
  expect(share).toBeDefined()
  for (const [label, requests] of [
    [caseId, load.requests(index)],
    [`${caseId} (judge)`, 1],
  ] as const) {
    const asked = { ...askFor({ kind: 'live' }), wire, caseId: label }
    const lease = await acquireLease(gateway.controlSocket, asked, signal).catch(() => null)
    if (lease === null) return false
    for (let n = 0; n < requests; n += 1) {
      const words = `case ${index}: ${'word '.repeat(4000)}`
      const reply = await callModel(lease.grant, { path: pathOf(wire), body: limited(wire, words) })
      if (reply.status !== 200) {
        await lease.release()
        return false
      }
    }
    const { problems } = await lease.meter()
    await lease.finish()
    if (problems.length > 0) return false
  }
  return true
}

function limited(wire: WireName, words: string): object {
  const {
    max_tokens: _,
    max_output_tokens: __,
    ...rest
  } = requestOf(wire, MODELS[wire], words) as Record<string, unknown>
  // Codex sets no limit.
  return wire === 'anthropic-messages' ? { ...rest, max_tokens: 128_000 } : rest
}

// No tool takes as long as nothing.
async function answer(wire: WireName, load: Load, request: RawRequest): Promise<ReturnType<typeof answerAll>> {
  const index = Number(/case (\d+):/.exec(request.body)?.[1])
  await new Promise((resolve) => setTimeout(resolve, index % 5))
  const limit = Number(/"max_(?:output_|completion_)?tokens":(\d+)/.exec(request.body)?.[1])
  return answerAll(request, MODELS[wire], Math.min(limit, load.outputTokens(index)))
}

test.for((Object.keys(MODELS) as WireName[]).flatMap((wire) => LOADS.map((load) => ({ wire, name: load.name, load }))))(
  `${CASES} concurrent cases $name spend no more than the budget over $wire, and as many come to their end as one after the other`,
  { timeout: 60_000 },
  async ({ wire, load }) => {
    const oneByOne = await runCases(wire, load, 1)
    const atOnce = await runCases(wire, load, CASES)
    expect(Math.max(oneByOne.usd, atOnce.usd)).toBeLessThanOrEqual(BUDGET)
    expect(oneByOne.finished).toBeGreaterThan(0)
    expect(atOnce.finished).toBeGreaterThanOrEqual(oneByOne.finished)
  },
)
