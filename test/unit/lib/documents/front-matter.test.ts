import { expect, test } from 'vitest'
import { readFrontMatter } from '../../../../src/lib/documents/read-document.ts'

test('splits the text and keeps the lines of the file', () => {
  const { document, body, bodyLine, issues } = readFrontMatter(
    '\uFEFF---\nname: a\ndescription: b\n---\n\n# Title\n',
    '/f',
  )
  expect(document?.value).toEqual({ name: 'a', description: 'b' })
  expect(document?.positionOf(['description'])).toEqual({ line: 3, column: 14 })
  expect({ body, bodyLine, issues }).toEqual({ body: '\n# Title\n', bodyLine: 5, issues: [] })
})

test('CRLF', () => {
  const { document, body, bodyLine } = readFrontMatter('---\r\nname: a\r\n---\r\nbody\r\n', '/f')
  expect(document?.value).toEqual({ name: 'a' })
  expect({ body, bodyLine }).toEqual({ body: 'body\r\n', bodyLine: 4 })
})

test('a mistake is at its line of the file', () => {
  const { issues } = readFrontMatter('---\nname: a\nname: b\n---\n', '/f')
  expect(issues.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual(['3:1 duplicate-key'])
})

test('none, unclosed and empty', () => {
  expect(readFrontMatter('# Title\n---\n', '/f')).toEqual({
    document: null,
    body: '# Title\n---\n',
    bodyLine: 1,
    issues: [],
  })
  expect(readFrontMatter('---\nname: a\n', '/f').issues[0]?.message).toBe(
    'the front matter is not closed; end it with a line of three dashes',
  )
  expect(readFrontMatter('---\n---\nbody', '/f').issues[0]?.code).toBe('empty-file')
})
