import { expect, test } from 'vitest'
import { hashJudge, recordJudge, replayJudge } from '../../../src/judges/recorded.ts'

const question = { criteria: 'It says hello.\n', statements: ['It says hello.'] }
const choice = { provider: 'anthropic', model: 'claude-sonnet', isDefault: false } as const
const evidence = [{ item: 'm1', quote: 'q' }]
const verdict = { statement: 1, reason: 'r', evidence, looked_for: [], verdict: 'pass' as const }
const answer = { verdicts: [verdict], orders: '' }

test('stored answers hold for the same criteria, prompt, votes and model, whoever carries the question', () => {
  const hash = hashJudge(question, choice, 1)
  expect(hashJudge({ ...question, criteria: 'It says hello.' }, { ...choice, provider: 'claude-code' }, 1)).toEqual(
    hash,
  )
  const changed = [
    hashJudge({ criteria: 'It says bye.', statements: ['It says bye.'] }, choice, 1),
    hashJudge(question, { ...choice, model: 'claude-opus' }, 1),
    hashJudge(question, choice, 3),
  ]
  const parts = ['criteria', 'prompt', 'model'] as const
  expect(changed.map((other) => parts.filter((part) => other[part] !== hash[part]))).toEqual([
    ['criteria'],
    ['model'],
    ['prompt'],
  ])
})

test('a stored answer is given again with the nonce of the new request', () => {
  const recorded = recordJudge(hashJudge(question, choice, 1), [answer], 'claude-sonnet-5-5')
  const scenario = replayJudge(JSON.parse(JSON.stringify(recorded)), '/package/evals/recordings/case.json')
  expect(scenario).toMatchObject({ file: '/package/evals/recordings/case.json', model: 'claude-sonnet-5-5', judge: [] })
  expect(scenario.turns.map(({ text }) => JSON.parse(text ?? ''))).toEqual([{ nonce: '${NONCE}', ...answer }])
})
