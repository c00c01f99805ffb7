import { expect, test } from 'vitest'
import stringWidth from 'string-width'
import { formatTable, fitColumns } from '../../../../src/report/summary/table.ts'

test('columns are as wide as their widest cell, paint and wide characters counted as they are seen', () => {
  const rows = [
    ['\u001B[31mred\u001B[39m', '1', 'end'],
    ['日本', '200', ''],
    ['👩‍👩‍👧é', '7', ''],
    ['longer', '3', 'x'],
  ]
  expect(formatTable(rows, ['left', 'right'])).toEqual([
    '\u001B[31mred\u001B[39m       1  end',
    '日本    200',
    '👩‍👩‍👧é       7',
    'longer    3  x',
  ])
})

test('a text is cut between characters', () => {
  expect(fitColumns('abcdef', 6)).toBe('abcdef')
  expect(fitColumns('abcdefg', 6)).toBe('abcde…')
  expect(stringWidth(fitColumns('日本語です', 6))).toBeLessThanOrEqual(6)
})
