// @module-tag slow
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { acquireLease } from '../../../src/gateway/control/client.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import type { WireName } from '../../support/api-answers.ts'
import { findWire } from '../../../src/gateway/wires/wires.ts'
import { answerAll, pathOf, requestOf } from '../../support/api-answers.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel } from '../../support/model-client.ts'
import { startRawUpstream } from '../../support/raw-upstream.ts'
import { streamTurn } from '../../support/model-apis.ts'

const INPUTS = 10_000
const AT_ONCE = 25
const KEY = 'sk-real-1234567890'
const WIRE = 'anthropic-messages'

/** Numbers that look like chance and are the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Pieces by which a request is broken, or made to look like two. */
const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  '\u00FF',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '{}',
  '[',
  '"',
  'content-length: 0\r\n',
  'content-length: 5\r\n',
  'content-length: -1\r\n',
  'content-length: 1e3\r\n',
  'Content-Length : 7\r\n',
  'transfer-encoding: chunked\r\n',
  'transfer-encoding: identity, chunked\r\n',
  'expect: 100-continue\r\n',
  'upgrade: h2c\r\nconnection: upgrade\r\n',
  'host: attack.invalid\r\n',
  'GET /v1/files HTTP/1.1\r\nhost: x\r\n\r\n',
  'POST /v1/messages/batches HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}',
  'HTTP/1.0',
  'HTTP/2.0',
  '//attack.invalid',
  '/../v1/files',
  '%0d%0a',
  '?beta=true',
  '#',
  'CONNECT',
  'HEAD',
  'PUT',
]

function breakRequest(request: string, random: (below: number) => number): Buffer {
  let text = request
  for (let n = random(4); n >= 0; n -= 1) {
    const at = random(text.length + 1)
    const piece = PIECES[random(PIECES.length)]!
    const kind = random(4)
    if (kind === 0) text = text.slice(0, at) + piece + text.slice(at)
    else if (kind === 1) text = text.slice(0, at) + text.slice(at + 1 + random(20))
    else if (kind === 2) text = text.slice(0, at) + String.fromCodePoint(random(256)) + text.slice(at + 1)
    else text = text.slice(0, random(2) === 0 ? at : text.length) + text.slice(random(text.length))
  }
  return Buffer.from(text, 'latin1')
}

/** Sends bytes, ends the connection, and takes what comes until the other side ends it too. */
async function sendAndEnd(path: string, bytes: Buffer): Promise<string> {
  const socket = connect(path)
  const pieces: string[] = []
  socket.on('error', () => {}).setEncoding('latin1')
  socket.on('data', (text: string) => void pieces.push(text))
  socket.end(bytes)
  await once(socket, 'close')
  return pieces.join('')
}

test(
  `${INPUTS} broken requests reach the API as whole requests of the gateway, or not at all`,
  { timeout: 300_000 },
  async () => {
    await using upstream = await startRawUpstream((request) => answerAll(request))
    const gateway = await startGateway({
      maxCostUsd: 1e6,
      allowUnknownCost: true,
      concurrency: null,
      environment: { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: KEY },
    })
    onTestFinished(() => gateway.close())
    const open = (): ReturnType<typeof acquireLease> =>
      acquireLease(gateway.controlSocket, { ...askFor({ kind: 'live' }), wire: WIRE }, new AbortController().signal)
    const [hostile, innocent] = [await open(), await open()]
    const { socket, token } = hostile.grant
    const body = JSON.stringify(requestOf(WIRE, 'm', 'hello'))
    const whole = `POST ${pathOf(WIRE)}?beta=true HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const random = createRandom(20_260_222)
    for (let sent = 0; sent < INPUTS; sent += AT_ONCE) {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, () => sendAndEnd(socket, breakRequest(whole, random))),
      )
      expect(answers.filter((answer) => answer.includes(KEY))).toEqual([])
    }
    expect((await callModel(innocent.grant, { body })).status).toBe(200)
    expect((await innocent.meter()).problems).toEqual([])

    // A query is the session's own, and part of no path.
    const lines = new Set(upstream.requests.map(({ method, target }) => `${method} ${target.replace(/\?.*$/, '')}`))
    expect([...lines]).toEqual([`POST ${pathOf(WIRE)}`])
    expect(upstream.violations).toEqual([])
  },
)

const WIRES = ['anthropic-messages', 'openai-responses', 'openai-chat'] as const

function answersOf(wire: WireName): readonly string[] {
  const path = pathOf(wire)
  if (wire === 'openai-chat')
    return [
      [
        { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'é1' } }] },
        {
          choices: [
            { index: 0, delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"b":' } }] } },
          ],
        },
        { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"日本"}' } }] } }] },
        {
          choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
          usage: { prompt_tokens: 1, completion_tokens: 2 },
        },
      ]
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(''),
    ]
  return ['Grüße, 日本 🎉', { name: 'f', input: { a: ['é', 1] } }].map((turn) =>
    streamTurn({ path, body: '' }, [turn], 0),
  )
}

test.for(WIRES)('however an answer of %s is cut, its readers see the same', (name) => {
  const wire = findWire(name)
  const random = createRandom(7)
  const read = (chunks: readonly Buffer[]): unknown => {
    const reader = wire.readAnswer(200, 'text/event-stream')
    for (const chunk of chunks) reader.chunk(chunk)
    return { answer: reader.whole(), part: reader.part(), seen: reader.seen() }
  }
  for (const answer of answersOf(name)) {
    const bytes = Buffer.from(answer)
    const whole = read([bytes])
    expect(whole).toMatchObject({ answer: { model: 'm' }, seen: { complete: true } })
    expect(read(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(whole)
    for (let round = 0; round < 200; round += 1) {
      const chunks: Buffer[] = []
      for (let at = 0; at < bytes.length;) {
        const end = at + 1 + random(40)
        chunks.push(bytes.subarray(at, end))
        at = end
      }
      expect(read(chunks)).toEqual(whole)
      // One that breaks off, or in which bytes are wrong, is read without an error.
      const broken = Buffer.from(bytes.subarray(0, random(bytes.length)))
      for (let n = random(5); n > 0 && broken.length > 0; n -= 1) broken[random(broken.length)] = random(256)
      expect(() => read([broken])).not.toThrow()
    }
  }
})
