import { expect, test } from 'vitest'
import { withDescription } from '../../../../src/lib/documents/validate.ts'

test.for([
  [
    '---\nname: a\ndescription: Old.\n---\n\n# Body\n---\nmore\n',
    '---\nname: a\ndescription: New.\n---\n\n# Body\n---\nmore\n',
  ],
  [
    '---\ndescription: >-\n  Two\n  lines.\n# why\nname: a\n---\n',
    '---\ndescription: >-\n  New.\n# why\nname: a\n---\n',
  ],
  ['---\nname: a\n---\nx', '---\nname: a\ndescription: New.\n---\nx'],
])('everything but the description stays: %j', ([before, after]) => {
  expect(withDescription(before ?? '', 'New.')).toBe(after)
})

test('a description of several lines and signs is read as it was given', async () => {
  const { readFrontMatter } = await import('../../../../src/lib/documents/read-document.ts')
  const text = 'Use it: "always"\n- even #here\n---\nand: {there}'
  const { document } = readFrontMatter(withDescription('---\nname: a\ndescription: x\n---\nBody', text), 'SKILL.md')
  expect(document?.value).toMatchObject({ name: 'a', description: text })
})

test('a text without front matter is refused', () => {
  expect(() => withDescription('# Title\n', 'New.')).toThrow(
    expect.objectContaining({ code: 'invalid-options' }) as Error,
  )
})
