import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createMask } from '../../../src/gateway/mask.ts'

const KEY = 'sk-real-1234567890'
const STARS = '*'.repeat(KEY.length)
const EVENTS = 'text/event-stream; charset=utf-8'

async function mask(chunks: readonly string[], type = 'text/plain', secret = KEY): Promise<string> {
  return text(Readable.from(chunks.map((chunk) => Buffer.from(chunk))).pipe(createMask(secret, type)))
}

test.for([
  { name: 'nothing to hide', chunks: ['plain ', 'text'], shown: 'plain text' },
  { name: 'in one chunk, twice', chunks: [`a ${KEY} b ${KEY}`], shown: `a ${STARS} b ${STARS}` },
  { name: 'across chunks', chunks: ['a sk-', 'real', '-1234567890 b'], shown: `a ${STARS} b` },
  { name: 'byte by byte', chunks: `x${KEY}s${KEY}`.split(''), shown: `x${STARS}s${STARS}` },
  { name: 'only begun', chunks: ['a sk-real', '-', '2 é'], shown: 'a sk-real-2 é' },
])('hides a secret: $name', async ({ chunks, shown }) => {
  expect(await mask(chunks)).toBe(shown)
  // The same in lines of events and in a body, however they are cut.
  expect(await mask(chunks, EVENTS)).toBe(shown)
  expect(await mask(chunks, 'application/json')).toBe(shown)
})

const FORMS = [
  Buffer.from(KEY).toString('hex'),
  Buffer.from(KEY).toString('hex').toUpperCase(),
  KEY.split('').toReversed().join(''),
  Buffer.from(KEY).toString('base64'),
]

test.for(FORMS)('hides a secret that is written as %s', async (form) => {
  for (const type of ['text/plain', EVENTS, 'application/json'])
    for (const chunks of [[`{"text":"a ${form} b"}`], `{"text":"a ${form} b"}`.split('')])
      expect(await mask(chunks, type)).toBe(`{"text":"a ${'*'.repeat(form.length)} b"}`)
})

test('holds nothing back that cannot begin the secret', async () => {
  const stream = createMask(KEY, EVENTS)
  stream.write('data: {}\n\n')
  expect(stream.read().toString()).toBe('data: {}\n\n')
})

const EVENT =
  'event: content_block_delta\ndata: {"type":"content_block_delta", "index": 0,"delta":{"type":"text_delta","text":"the text_delta x \\"content_block_delta\\""}}\n\n'

test.for(['x', 'dummy', 'ollama', 'sk-1234', 'text_delta'])(
  'does not search for %s, which is too short',
  async (secret) => {
    for (const type of ['text/plain', EVENTS, 'application/json']) expect(await mask([EVENT], type, secret)).toBe(EVENT)
  },
)

test('leaves names and words of the protocol alone', async () => {
  const shown = EVENT.replace('\\"content_block_delta\\"', `\\"${'*'.repeat(19)}\\"`)
  expect(await mask(EVENT.split(''), EVENTS, 'content_block_delta')).toBe(shown)
  const usage = '{"usage": {"cache_read_input_tokens" : 1}, "text": ["cache_read_input_tokens"]}'
  expect(await mask([usage], 'application/json', 'cache_read_input_tokens')).toBe(
    `{"usage": {"cache_read_input_tokens" : 1}, "text": ["${'*'.repeat(23)}"]}`,
  )
})

test('hides a secret whose characters JSON escapes', async () => {
  const secret = 'quo"ted\\secret-1234'
  const masked = await mask([JSON.stringify({ a: secret, b: `\\${secret}"` })], 'application/json', secret)
  expect(JSON.parse(masked)).toEqual({ a: '*'.repeat(21), b: `\\${'*'.repeat(21)}"` })
})

test('stays quick on a long line that holds the secret', async () => {
  const line = `data: {"a":"${'"'.repeat(10)}${'\\\\'.repeat(500_000)}${KEY}${'b'.repeat(1_000_000)}"}\n`
  expect(await mask([line], EVENTS)).not.toContain(KEY)
})
