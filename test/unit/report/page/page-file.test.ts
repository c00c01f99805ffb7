import { expect, test } from 'vitest'
import { pageFile, type StoredFile } from '../../../../src/report/page/page-run.ts'

function stored(content: Buffer | string, size?: number): StoredFile {
  const bytes = Buffer.from(content)
  return { bytes, size: size ?? bytes.length }
}

const PNG = Buffer.concat([Buffer.from([0x89]), Buffer.from('PNG\r\n\u001A\n'), Buffer.from([0, 1, 2])])

test.for([
  [
    'a modified text has both sides',
    'modified',
    stored('one\n'),
    stored('two\n'),
    { before: 'one\n', after: 'two\n', note: null },
  ],
  [
    'a text whose former state was not kept says so',
    'modified',
    null,
    stored('two\n'),
    { after: 'two\n', note: /not kept/ },
  ],
  [
    'a deleted file shows what it was',
    'deleted',
    stored('gone\n'),
    null,
    { before: 'gone\n', after: null, note: null },
  ],
  ['a deleted file without content says so', 'deleted', null, null, { before: null, note: /not kept/ }],
  [
    'bytes that are no text are not shown',
    'created',
    null,
    stored(Buffer.from([0, 1, 2])),
    { after: null, note: /Not a text/ },
  ],
  [
    'bytes that are no UTF-8 are not shown',
    'created',
    null,
    stored(Buffer.from([0xc3, 0x28])),
    { after: null, note: /Not a text/ },
  ],
  [
    'a long text names its length',
    'created',
    null,
    stored('x'.repeat(300_000)),
    { note: /the first 262144 of 300000 bytes/ },
  ],
] as const)('%s', ([, change, before, after, expected]) => {
  const { note, ...rest } = expected
  const file = pageFile({ path: 'a.txt', size: 1, change, before, after })
  expect(file).toMatchObject(rest)
  if (note === null) expect(file.note).toBeNull()
  else expect(file.note).toMatch(note)
})

test('an image is known by its first bytes, not by its name', () => {
  const file = (path: string, content: Buffer): string | null =>
    pageFile({ path, size: content.length, change: 'created', before: null, after: stored(content) }).image
  expect(file('a.txt', PNG)).toMatch(/^data:image\/png;base64,/)
  expect(file('a.png', Buffer.from('<script>'))).toBeNull()
  expect(file('a.SVG', Buffer.from('<svg/>'))).toMatch(/^data:image\/svg\+xml;base64,/)
})

test('an image that was not read to its end is not shown', () => {
  const after = stored(PNG, PNG.length + 1)
  expect(pageFile({ path: 'a.png', size: after.size, change: 'created', before: null, after }).image).toBeNull()
})
