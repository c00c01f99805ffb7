import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createMask } from '../../../src/gateway/mask.ts'

async function mask(secret: string, chunks: readonly string[]): Promise<string> {
  return text(Readable.from(chunks.map((chunk) => Buffer.from(chunk))).pipe(createMask(secret)))
}

test.for([
  { name: 'nothing to hide', chunks: ['plain ', 'text'], shown: 'plain text' },
  { name: 'in one chunk, twice', chunks: ['a key-1 b key-1'], shown: 'a ***** b *****' },
  { name: 'across chunks', chunks: ['a ke', 'y', '-1 b'], shown: 'a ***** b' },
  { name: 'byte by byte', chunks: 'xkey-1kkey-1'.split(''), shown: 'x*****k*****' },
  { name: 'only begun', chunks: ['a key', '-', '2 key'], shown: 'a key-2 key' },
])('hides a secret: $name', async ({ chunks, shown }) => {
  expect(await mask('key-1', chunks)).toBe(shown)
})

test('holds nothing back that cannot begin the secret', async () => {
  const stream = createMask('key-1')
  stream.write('data: {}\n\n')
  expect(stream.read().toString()).toBe('data: {}\n\n')
})
