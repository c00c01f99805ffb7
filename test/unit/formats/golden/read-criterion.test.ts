import { expect, test } from 'vitest'
import { readCriterion, scoreIn } from '../../../../src/formats/golden/pass-criteria.ts'

const NAMES = ['memory', 'tone', 'scope_discipline']

test.each([
  ['- memory ≥ 4', ['memory 4']],
  ['- memory: ≥ 4', ['memory 4']],
  ['memory: >= 4', ['memory 4']],
  ['1. memory: ≥ 4', ['memory 4']],
  ['2) memory: at least 4', ['memory 4']],
  ['- memory (30%): ≥ 4', ['memory 4']],
  ['- memory = 5', ['memory 5']],
  ['- **memory**: 5 (must name the note)', ['memory 5']],
  ['- `memory` > 3', ['memory 4']],
  ['* Memory must be at least 4', ['memory 4']],
  ['- [ ] memory score: 4/5', ['memory 4']],
  ['- memory: 4 or higher', ['memory 4']],
  ['| memory | ≥ 4 |', ['memory 4']],
  ['- Scope discipline: minimum 5', ['scope_discipline 5']],
  ['- memory and tone: ≥ 4', ['memory 4', 'tone 4']],
  ['- memory ≥ 4, tone ≥ 3', ['memory 4', 'tone 3']],
  ['weighted score ≥ 4.8', ['weighted 4.8']],
  ['- Overall score: at least 4.5', ['weighted 4.5']],
  ['All dimensions ≥ 4', ['memory 4', 'tone 4', 'scope_discipline 4']],
  ['- every dimension must score at least 3', ['memory 3', 'tone 3', 'scope_discipline 3']],
  ['- No dimension below 4', ['memory 4', 'tone 4', 'scope_discipline 4']],
  ['- tone no lower than 5', ['tone 5']],
  ['- No dimension lower than 3', ['memory 3', 'tone 3', 'scope_discipline 3']],
  ['- memory of 5 or better', ['memory 5']],
  ['- A memory score of 5 or better is required', ['memory 5']],
  ['- min memory 5', ['memory 5']],
  ['- minimum scope discipline: 4, min tone 3', ['scope_discipline 4', 'tone 3']],
  ['- at least 4 in memory and 5 or better for tone', ['memory 4', 'tone 5']],
  ['- tone: five', ['tone 5']],
  ['- memory must be at least four', ['memory 4']],
  ['- tone never below four out of five', ['tone 4']],
  ['- tone should not fall under 5', ['tone 5']],
  ['- memory must not be below four', ['memory 4']],
  ['- tone must get a 5', ['tone 5']],
  ['- tone at least 4 overall', ['tone 4']],
  ['- tone is a five', ['tone 5']],
  ['- memory higher than 3', ['memory 4']],
  ['- memory scores above three', ['memory 4']],
  ['- No dimension below four', ['memory 4', 'tone 4', 'scope_discipline 4']],
  ['- no score may fall under 3', ['memory 3', 'tone 3', 'scope_discipline 3']],
])('%s is enforced', (line, expected) => {
  const read = readCriterion(line, NAMES)
  const scores = read.kind === 'scores' ? read.scores : []
  expect(scores.map(({ dimension, least }) => `${dimension ?? 'weighted'} ${least}`)).toEqual(expected)
})

test.each([
  ['- tone: high', 'tone'],
  ['- tone: ≤ 3', 'tone'],
  ['- memory ≥ 4 or tone ≥ 4', 'memory'],
  ['- memory ≥ 4 unless no note applies', 'memory'],
  ['The answer shows memory of the debt order.', 'memory'],
  ['- memory: 80%', 'memory'],
  ['- tone: 6', 'tone'],
  ['- most dimensions should be 4', 'All dimensions'],
  ['- memory: 3 notes must be named', 'memory'],
  ['- memory: one note must be named', 'memory'],
  ['- tone no higher than 4', 'tone'],
  ['- tone must not be above 4', 'tone'],
  ['- memory: more than three notes are named', 'memory'],
  ['- memory: at least 3 notes must be named', 'memory'],
  ['- memory over 5', 'memory'],
  ['- memory has a note', 'memory'],
  ['- tone is a 4-line joke', 'tone'],
  ['- most dimensions should be four', 'All dimensions'],
])('%s is left to the judge', (line, name) => {
  expect(readCriterion(line, NAMES)).toEqual({ kind: 'left', name })
})

test('what names no dimension is prose, and an entry about another one is unknown', () => {
  expect(readCriterion('- **No hard fails — especially HF1**', NAMES)).toEqual({ kind: 'prose' })
  expect(readCriterion('- warmth: ≥ 4', NAMES)).toEqual({ kind: 'unknown', written: 'warmth', isScore: true })
  expect(readCriterion('Answer within 3 lines.', NAMES)).toEqual({ kind: 'prose' })
})

test('the score of a line that is not understood is the one that its author wrote', () => {
  expect(
    ['- tone should feel like a 5', 'memory near four, I think', '3. tone: high', 'tone: ≤ 3', 'tone in 80%'].map(
      scoreIn,
    ),
  ).toEqual([5, 4, null, null, null])
})
