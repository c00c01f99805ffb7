import { expect, test } from 'vitest'
import { CASE, createPackage, issuesOf, loadCase } from '../../../support/aam-fixture.ts'

test('one check and a list of them stand where they are written', async () => {
  const expected = `expected:
  json-schema: { schema: {} }
  matches: ^a
  not-matches:
    - ^b
    - ^c
  tool-called:
    tool: Bash
  skill-used: notes
`
  await using fixture = await createPackage(`${CASE}${expected}`)
  const { cases } = await loadCase(fixture)
  const places = cases.flatMap(({ checks }) => checks.map(({ kind, at }) => `${kind} ${at.line}:${at.column}`))
  expect(places).toEqual([
    'json-schema 7:16',
    'matches 8:12',
    'not-matches 10:7',
    'not-matches 11:7',
    'tool-called 13:5',
    'skill-used 14:15',
  ])
})

test('answers name their mistake where it is', async () => {
  const answers = (text: string): Promise<readonly string[]> => issuesOf(`${CASE}answers: ${text}\n`)
  expect(await answers('[{ question: "(?i)colou?r", answer: [Blue, Red] }, { answer: Large }]')).toEqual([])
  expect(await answers('[{ question: "(", answer: Blue }]')).toEqual([
    expect.stringMatching(/^6:23 error invalid-pattern answers\.0\.question: is not a JavaScript regular expression/),
  ])
  expect(await answers('[{ answer: " " }]')).toEqual([
    expect.stringMatching(/^6:21 error \S+ answers\.0\.answer: must not be empty/),
  ])
  expect(await answers('[]')).toHaveLength(1)
  expect(await answers('[{ question: Blue }]')).toEqual([
    expect.stringMatching(/error missing-field answers\.0\.answer: missing/),
  ])
})
