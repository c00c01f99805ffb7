import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { declaredName } from '../../src/packages/package-root.ts'
import { neutralise } from '../../src/judges/evidence/write-evidence.ts'
import { createQuoteFinder } from '../../src/judges/quotes/find-quote.ts'
import { selectEvidence } from '../../src/judges/evidence/select-evidence.ts'
import { termsOf } from '../../src/judges/statement-kinds.ts'
import { recordResult } from '../../src/recordings/build.ts'
import { openingOf } from '../../src/recordings/visible-texts.ts'
import { toPrintableMessage } from '../../src/lib/text.ts'
import { splitSections } from '../../src/formats/golden/sections.ts'

// With a step for each pair of characters, one of these would take minutes, and its test would run out of time.
const MANY = 400_000
const BLANKS = ' '.repeat(MANY)
const LINES = '\n'.repeat(MANY)

test('a long run of blanks, lines or dots from outside is read in one pass', async () => {
  await using fixture = await createFixture({})
  const file = join(fixture.path, 'SKILL.md')
  writeFileSync(file, `---\nname: a${BLANKS}b\n---\n`)
  expect(declaredName(file)).toBe(`a${BLANKS}b`)
  expect(neutralise(`<${BLANKS}x`)).toBe(`<${BLANKS}x`)
  const marks = ['.', '*', '_', '-', '"', '|', ' *', '- ', '…'].map((mark) => mark.repeat(MANY / 10))
  const run = { files: { created: [], modified: [], deleted: [], unreadable: [] }, output: '', transcript: [] }
  for (const mark of marks) {
    const files = [{ name: 'a.md', text: `${mark} the end of it` }]
    const find = createQuoteFinder(selectEvidence({ run, files, statements: [] }))
    expect(find('the end of it')).toHaveLength(1)
    expect(find(`nothing${mark}of the kind`)).toEqual([])
  }
  expect(createQuoteFinder(selectEvidence({ run, files: [], statements: [] }))(`a${BLANKS}b`)).toEqual([])
  expect(termsOf(['a'.repeat(MANY)]).names).toEqual([])
  expect(toPrintableMessage(`a${LINES}b`)).toBe(`a${LINES}b`)
  const result = { id: '1', text: `a${BLANKS}b${'<system-reminder>'.repeat(50_000)}`, isError: false }
  expect(recordResult(result, undefined, (line) => line).lines[0]).toMatch(/^a /)
  expect(openingOf('a'.repeat(MANY * 4))).toEqual(['a'.repeat(120)])
  expect(openingOf(`abc${'- '.repeat(MANY)}`)).toHaveLength(1)
  expect(splitSections(`## a${BLANKS}b${'#'.repeat(MANY)}c\ntext`, 1)).toHaveLength(1)
})
