import { SourceMap } from 'node:module'
import { expect, test } from 'vitest'
import { createLineMap } from '../../../../src/vitest/modules/test-module.ts'

test('each generated line leads to its position, forwards and backwards, and some lead nowhere', () => {
  const lines = [{ line: 1, column: 1 }, null, { line: 4000, column: 300 }, { line: 12, column: 7 }]
  const map = createLineMap('/repo/case.yaml', 'text', lines)
  const found = lines.map((_, line) => {
    const entry = new SourceMap({ ...map, sourceRoot: '' }).findEntry(line, 0)
    return 'originalLine' in entry && entry.generatedLine === line
      ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 }
      : null
  })

  expect(found).toEqual(lines)
  expect(map).toMatchObject({ version: 3, sources: ['/repo/case.yaml'], sourcesContent: ['text'] })
})
