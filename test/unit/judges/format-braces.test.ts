import { expect, test } from 'vitest'
import { unescapeBraces } from '../../../src/judges/methods/rubric-score.ts'

test('doubled braces of a prompt for str.format become single, and braces of any other prompt stay', () => {
  const forFormat = 'Score {rubric} as {{"tone": {{"score": 5}}}}. {agent_response}'
  expect(unescapeBraces(forFormat)).toBe('Score {rubric} as {"tone": {"score": 5}}. {agent_response}')
  const plain = 'Score {rubric} as {"tone": {"score": 5}}.'
  expect(unescapeBraces(plain)).toBe(plain)
  const mixed = 'A template {{name}} and {"tone": 5}'
  expect(unescapeBraces(mixed)).toBe(mixed)
})

test('a name in braces that nothing fills stays, and changes nothing else', () => {
  const unknown = 'Score {rubric} by {house_style} as {{"tone": 5}}. {agent_response}'
  expect(unescapeBraces(unknown)).toBe('Score {rubric} by {house_style} as {"tone": 5}. {agent_response}')
  expect(unescapeBraces('Write {foo} and {"tone": 5}')).toBe('Write {foo} and {"tone": 5}')
})
