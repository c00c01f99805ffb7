import { expect, test } from 'vitest'
import { contentOfFile } from '../../../src/checks/targets.ts'

const read = (bytes: Buffer, truncated = false): ReturnType<typeof contentOfFile> =>
  contentOfFile('x.txt', { status: 'read', bytes, truncated })

test('tells images from text by their first bytes, whatever the name says', () => {
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
  expect(read(png)).toEqual({ kind: 'image', mediaType: 'image/png', base64: png.toString('base64') })
  expect(read(Buffer.from('ffd8ffe0', 'hex'))).toMatchObject({ mediaType: 'image/jpeg' })
  expect(read(Buffer.from('GIF89a...'))).toMatchObject({ mediaType: 'image/gif' })
  expect(read(Buffer.from('RIFF0000WEBP'))).toMatchObject({ mediaType: 'image/webp' })
  expect(read(Buffer.from('text'))).toEqual({ kind: 'text', text: 'text' })
})

test('reads text without its byte order mark, and whatever is no UTF-8', () => {
  expect(read(Buffer.from('\uFEFFx'))).toEqual({ kind: 'text', text: 'x' })
  expect(read(Buffer.from('636166e9', 'hex'))).toEqual({ kind: 'text', text: 'caf\uFFFD' })
})

test('says why there is nothing to look at', () => {
  expect(contentOfFile('x', { status: 'missing' })).toEqual({ kind: 'none', problem: 'the file x does not exist' })
  expect(contentOfFile('x', { status: 'unreadable', reason: 'is a link' })).toEqual({
    kind: 'unknown',
    problem: 'the file x is a link',
  })
  expect(contentOfFile('x', { status: 'unreadable', reason: 'is a folder', isFile: false })).toEqual({
    kind: 'none',
    problem: 'the file x is a folder',
  })
  expect(read(Buffer.from('a\0b'))).toEqual({
    kind: 'text',
    text: 'a\0b',
    binary: expect.stringContaining('is binary'),
  })
  expect(read(Buffer.from('89504e470d0a1a0a', 'hex'), true)).toMatchObject({ problem: 'the image x.txt is too large' })
})
