import { expect, onTestFinished, test } from 'vitest'
import { acquireLease } from '../../../src/gateway/control/client.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import type { MeterReading } from '../../../src/gateway/leases/lease.ts'
import { lengthWithMedia, putMedia, takeMedia } from '../../../src/gateway/body.ts'
import { worstCaseOf } from '../../../src/gateway/budget/worst-case.ts'
import { parseObject } from '../../../src/gateway/wires/wire.ts'
import { answerAll, pathOf, type WireName } from '../../support/api-answers.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel, type ModelReply } from '../../support/model-client.ts'
import { startRawUpstream } from '../../support/raw-upstream.ts'

const IMAGE = 'iVBORw0KGgo'.repeat(10_000)
const MIB = 1024 * 1024

/** What becomes of a body whose media are taken out and put back. */
function roundTrip(body: string): string {
  const { bytes, media } = takeMedia(Buffer.from(body))
  return Buffer.concat(putMedia(bytes.toString('utf8'), media)).toString('utf8')
}

test('a large medium is a short text while its body is read', () => {
  const { bytes, media } = takeMedia(Buffer.from(JSON.stringify({ a: IMAGE, b: ['é', IMAGE] })))
  expect([bytes.length < 10_000, media.size]).toEqual([true, 1])
  const { a, b } = parseObject(bytes.toString('utf8'))
  expect(b).toEqual(['é', a])
  expect(lengthWithMedia(typeof a === 'string' ? a : '', media)).toBeGreaterThan(IMAGE.length)
  expect(lengthWithMedia('short', media)).toBe(5)
})

test.for([
  { name: 'a medium', body: JSON.stringify({ a: IMAGE, b: `data:image/png;base64,${IMAGE}`, c: 'é' }) },
  { name: 'a long text', body: JSON.stringify({ a: 'one two '.repeat(20_000) }) },
  { name: 'a medium behind an escaped quote', body: JSON.stringify({ a: `"${IMAGE}`, b: `${IMAGE}"${IMAGE}` }) },
  { name: 'a number that is too long', body: `{"a":${'1'.repeat(70_000)},"b":1}` },
  { name: 'a string that does not end', body: `{"a":"${IMAGE}` },
  { name: 'the mark of a medium', body: JSON.stringify({ a: `${'x'.repeat(4096)}… sha256:${'0'.repeat(64)}` }) },
])('$name comes back as it was', ({ body }) => {
  expect(roundTrip(body)).toBe(body)
})

test('a medium costs as much as before: a text that looks like one is charged as a text', () => {
  const body = { messages: [IMAGE], max_tokens: 1 }
  const { bytes, media } = takeMedia(Buffer.from(JSON.stringify(body)))
  const { inputTokens } = worstCaseOf(parseObject(bytes.toString('utf8')), ['max_tokens'], media)
  expect(inputTokens).toBeGreaterThanOrEqual(worstCaseOf(body, ['max_tokens']).inputTokens)
})

async function ask(
  wire: WireName,
  body: object,
): Promise<{ readonly reply: ModelReply; readonly sent: readonly string[]; readonly reading: MeterReading }> {
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
  return { reply, sent: upstream.requests.map((request) => request.body), reading: await lease.meter() }
}

const LARGE = IMAGE.repeat(100)
const REQUESTS: Readonly<Record<WireName, object>> = {
  'anthropic-messages': {
    model: 'm',
    max_tokens: 10,
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: LARGE } }] },
    ],
  },
  'openai-responses': {
    model: 'm',
    max_output_tokens: 10,
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${LARGE}` }] }],
  },
  'openai-chat': {
    model: 'm',
    max_completion_tokens: 10,
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${LARGE}` } }] },
    ],
  },
}

test.for(Object.keys(REQUESTS) as WireName[])('10 MiB of images reach the API as they are over %s', async (wire) => {
  const { reply, sent, reading } = await ask(wire, REQUESTS[wire])
  expect([reply.status, reading.problems, sent.length]).toEqual([200, [], 1])
  expect(sent[0] === JSON.stringify(REQUESTS[wire])).toBe(true)
})

test('more text than any model reads is refused', async () => {
  const words = 'one two '.repeat(MIB / 2 + 1)
  const { reply, sent, reading } = await ask('anthropic-messages', {
    model: 'm',
    max_tokens: 10,
    messages: [{ role: 'user', content: words }],
  })
  expect([reply.status, sent]).toEqual([413, []])
  expect(reading.problems).toEqual([
    {
      code: 'unexpected-request',
      message: 'The session sent more at once than any engine. Its request was refused.',
    },
  ])
})
