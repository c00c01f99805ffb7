import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createMask } from '../../../src/gateway/mask.ts'

const KEY = 'sk-real-1234567890'
const STARS = '*'.repeat(KEY.length)

async function mask(chunks: readonly string[], secret = KEY): Promise<string> {
  return text(Readable.from(chunks.map((chunk) => Buffer.from(chunk))).pipe(createMask(secret)))
}

test.for([
  { name: 'nothing to hide', chunks: ['plain ', 'text'], shown: 'plain text' },
  { name: 'in one chunk, twice', chunks: [`a ${KEY} b ${KEY}`], shown: `a ${STARS} b ${STARS}` },
  { name: 'across chunks', chunks: ['a sk-', 'real', '-1234567890 b'], shown: `a ${STARS} b` },
  { name: 'byte by byte', chunks: `x${KEY}s${KEY}`.split(''), shown: `x${STARS}s${STARS}` },
  { name: 'only begun', chunks: ['a sk-real', '-', '2 é'], shown: 'a sk-real-2 é' },
])('hides a secret: $name', async ({ chunks, shown }) => {
  expect(await mask(chunks)).toBe(shown)
})

test('hides a secret that is written in base64', async () => {
  const form = Buffer.from(KEY).toString('base64')
  for (const chunks of [[`{"text":"a ${form} b"}`], `{"text":"a ${form} b"}`.split('')])
    expect(await mask(chunks)).toBe(`{"text":"a ${'*'.repeat(form.length)} b"}`)
})

test('holds nothing back that cannot begin the secret', async () => {
  const stream = createMask(KEY)
  stream.write('data: {}\n\n')
  expect(stream.read().toString()).toBe('data: {}\n\n')
})

test.for(['x', 'dummy', 'ollama', 'sk-1234', 'text_delta'])(
  'does not search for %s, which is too short',
  async (secret) => {
    const event = `event: ${secret}\ndata: {"type":"${secret}"}\n\n`
    expect(await mask([event], secret)).toBe(event)
  },
)

test('hides a secret whose characters JSON escapes', async () => {
  const secret = 'quo"ted\\secret-1234'
  const masked = await mask([JSON.stringify({ a: secret, b: `\\${secret}"` })], secret)
  expect(JSON.parse(masked)).toEqual({ a: '*'.repeat(21), b: `\\${'*'.repeat(21)}"` })
})

test('stays quick on a long line that holds the secret', async () => {
  const line = `data: {"a":"${'"'.repeat(10)}${'\\\\'.repeat(500_000)}${KEY}${'b'.repeat(1_000_000)}"}\n`
  expect(await mask([line])).not.toContain(KEY)
})
