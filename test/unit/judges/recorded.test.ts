import { expect, test } from 'vitest'
import { erroredJudge } from '../../../src/judges/judgement.ts'
import { byCriteria } from '../../../src/judges/methods/criteria.ts'
import { agentRun } from '../../support/agent-run.ts'
import { hashJudge, recordJudge, replayJudge } from '../../../src/judges/judge-lease.ts'

const question = {
  criteria: 'It says hello.\n',
  statements: ['It says hello.'],
  prompt: '',
  run: agentRun({}),
  files: [],
}
const choice = { provider: 'anthropic', model: 'claude-sonnet', isDefault: false } as const
const evidence = [{ item: 'm1', quote: 'q' }]
const verdict = { statement: 1, reason: 'r', evidence, looked_for: [], verdict: 'pass' as const }
const answer = { verdicts: [verdict], orders: '' }

test('stored answers hold for the same criteria, prompt, votes and model, whoever carries the question', () => {
  const hash = hashJudge(byCriteria(question, 1), choice)
  expect(
    hashJudge(byCriteria({ ...question, criteria: 'It says hello.' }, 1), { ...choice, provider: 'claude-code' }),
  ).toEqual(hash)
  const changed = [
    hashJudge(byCriteria({ ...question, criteria: 'It says bye.', statements: ['It says bye.'] }, 1), choice),
    hashJudge(byCriteria(question, 1), { ...choice, model: 'claude-opus' }),
    hashJudge(byCriteria(question, 3), choice),
  ]
  const parts = ['criteria', 'prompt', 'model'] as const
  expect(changed.map((other) => parts.filter((part) => other[part] !== hash[part]))).toEqual([
    ['criteria'],
    ['model'],
    ['prompt'],
  ])
})

test('a stored answer is given again with the nonce of the new request', () => {
  const method = byCriteria(question, 1)
  const part = { ...erroredJudge('judge-failed', ''), model: 'claude-sonnet-5-5' }
  const recorded = recordJudge(method, hashJudge(method, choice), { answers: [answer], kinds: [], part })
  const scenario = replayJudge(JSON.parse(JSON.stringify(recorded)), '/package/evals/recordings/case.json')
  expect(scenario).toMatchObject({ file: '/package/evals/recordings/case.json', model: 'claude-sonnet-5-5', judge: [] })
  expect(scenario.turns.map(({ text }) => JSON.parse(text ?? ''))).toEqual([{ nonce: '${NONCE}', ...answer }])
})
