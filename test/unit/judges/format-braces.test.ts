import { expect, test } from 'vitest'
import { unescapeBraces } from '../../../src/judges/rubric/rubric-prompt.ts'

test('doubled braces of a prompt for str.format become single, and braces of any other prompt stay', () => {
  const forFormat = 'Score {rubric} as {{"tone": {{"score": 5}}}}. {agent_response}'
  expect(unescapeBraces(forFormat)).toBe('Score {rubric} as {"tone": {"score": 5}}. {agent_response}')
  const plain = 'Score {rubric} as {"tone": {"score": 5}}.'
  expect(unescapeBraces(plain)).toBe(plain)
  const mixed = 'A template {{name}} and {"tone": 5}'
  expect(unescapeBraces(mixed)).toBe(mixed)
})
