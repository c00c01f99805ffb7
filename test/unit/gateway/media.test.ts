import { expect, onTestFinished, test } from 'vitest'
import { acquireLease } from '../../../src/gateway/control/client.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import type { MeterReading } from '../../../src/gateway/leases/lease.ts'
import { answerAll, pathOf, type WireName } from '../../support/api-answers.ts'
import type { Conversation } from '../../../src/recordings/conversation.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel, type ModelReply } from '../../support/model-client.ts'
import { startRawUpstream } from '../../support/raw-upstream.ts'

const IMAGE = 'iVBORw0KGgo'.repeat(10_000)

async function ask(
  wire: WireName,
  body: object,
): Promise<{
  readonly reply: ModelReply
  readonly sent: readonly string[]
  readonly reading: MeterReading
  readonly conversation: Conversation
}> {
  await using upstream = await startRawUpstream((request) => answerAll(request))
  const gateway = await startGateway({
    maxCostUsd: 10,
    allowUnknownCost: true,
    concurrency: null,
    environment: {
      ANTHROPIC_BASE_URL: upstream.url,
      OPENAI_BASE_URL: `${upstream.url}/v1`,
      ANTHROPIC_API_KEY: 'sk-real-1234567890',
      OPENAI_API_KEY: 'sk-real-1234567890',
    },
  })
  onTestFinished(() => gateway.close())
  const asked = { ...askFor({ kind: 'live' }), wire, listen: true }
  const lease = await acquireLease(gateway.controlSocket, asked, new AbortController().signal)
  const reply = await callModel(lease.grant, { path: pathOf(wire), body })
  const sent = upstream.requests.map((request) => request.body)
  return { reply, sent, reading: await lease.meter(), conversation: await lease.conversation() }
}

const LARGE = IMAGE.repeat(50)
const four = (part: object): readonly object[] => [part, part, part, part]
const REQUESTS: Readonly<Record<WireName, object>> = {
  'anthropic-messages': {
    model: 'm',
    max_tokens: 10,
    messages: [
      {
        role: 'user',
        content: four({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: LARGE } }),
      },
    ],
  },
  'openai-responses': {
    model: 'm',
    max_output_tokens: 10,
    input: [{ role: 'user', content: four({ type: 'input_image', image_url: `data:image/png;base64,${LARGE}` }) }],
  },
  'openai-chat': {
    model: 'm',
    max_completion_tokens: 10,
    messages: [
      { role: 'user', content: four({ type: 'image_url', image_url: { url: `data:image/png;base64,${LARGE}` } }) },
    ],
  },
}

test.for(Object.keys(REQUESTS) as WireName[])(
  '21 MiB in four images reach the API as they are over %s, and are short texts in the conversation',
  async (wire) => {
    const { reply, sent, reading, conversation } = await ask(wire, REQUESTS[wire])
    expect([reply.status, reading.problems, sent.length]).toEqual([200, [], 1])
    expect(sent[0] === JSON.stringify(REQUESTS[wire])).toBe(true)
    expect(JSON.stringify(conversation).length).toBeLessThan(20_000)
  },
)
