// @module-tag no-engine
import { expect, test } from 'vitest'
import known from '../../src/judges/known-runs.json' with { type: 'json' }
import { HONEST_RUNS } from '../support/honest-verdicts.ts'
import { repositoryVitest } from '../support/majors.ts'
import { startModelJudge, type ModelJudge } from '../support/model-judge.ts'
import { createProject } from '../support/project.ts'
import type { FinishedProcess } from '../support/running-process.ts'

const STATEMENTS = new Map(known.flatMap(({ statements }) => statements.map((one) => [one.text, one] as const)))
const PROOFS = new Map(HONEST_RUNS.flatMap(({ statements }) => statements.map((one) => [one.text, one] as const)))
const JUDGE = ['--judge', 'anthropic:claude-sonnet-5', '--allow-unknown-cost']

const knows: ModelJudge['kindOf'] = (text) => {
  const { about = 'either', absent = false } = STATEMENTS.get(text) ?? {}
  return { about: about as 'deeds', absent }
}

/** Sees what a person sees, and quotes what proves it. */
const HONEST: ModelJudge = {
  kindOf: knows,
  verdictOn(text) {
    const { item = null, quote = '', also = [], looked_for = [] } = PROOFS.get(text) ?? {}
    const evidence = [[item, quote] as const, ...also].flatMap(([id, words]) =>
      words === '' ? [] : [{ item: id, quote: words }],
    )
    const verdict = STATEMENTS.get(text)?.holds === true ? 'pass' : 'fail'
    return { verdict, reason: 'As a person sees it.', evidence, looked_for, weak: '' }
  },
}

/** Believes everything, and quotes the end of a message that it is shown. */
const BELIEVING: ModelJudge = {
  kindOf: () => ({ about: 'words', absent: false }),
  verdictOn(_, { user }) {
    const [, item = '', quote = ''] = /\[(m\d+)\][^\n]*\n(?:\| .*\n)*?\| ([^\n]{12,})\n/.exec(user) ?? []
    return { verdict: 'pass', reason: 'It says so.', evidence: [{ item, quote }], looked_for: [], weak: '' }
  },
}

async function audit(judge: ModelJudge, ...args: readonly string[]): Promise<FinishedProcess> {
  await using api = await startModelJudge(judge)
  await using project = await createProject(repositoryVitest(), {})
  return await project.agentEvals(['audit', '--self-test', ...args], {
    env: { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-ant-dummy-1234567890' },
    merged: true,
  })
}

test('there are 60 known verdicts, half of them passes', () => {
  const all = known.flatMap(({ statements }) => statements)
  expect(all).toHaveLength(60)
  expect(all.filter(({ holds }) => holds)).toHaveLength(30)
})

test('an honest judge makes no mistake', async () => {
  const finished = await audit(HONEST, ...JUDGE)
  expect(finished.all).toMatch(/Wrongly passed +0% \(0 of 30; 0% to \d+%\)/)
  expect(finished.all).toMatch(/Wrongly not passed +0% \(0 of 30; 0% to \d+%\)/)
  expect(finished.all).toMatch(/Kinds right +100% \(60 of 60; \d+% to 100%\)/)
  expect(finished.exitCode).toBe(0)
})

test('a judge that believes every run is told apart', async () => {
  const finished = await audit(BELIEVING, ...JUDGE)
  const passed = Number(/Wrongly passed +\d+% \((\d+) of 30;/.exec(finished.all)?.[1])
  expect(passed, finished.all).toBeGreaterThan(10)
  const kinds = Number(/Kinds right +\d+% \((\d+) of 60;/.exec(finished.all)?.[1])
  expect(kinds, finished.all).toBeLessThan(30)
  expect(finished.all).toContain('pass instead of fail: The agent ran the test suite (It says so.)')
  expect(finished.exitCode).toBe(0)
})

test('what the budget does not pay for is in no rate', async () => {
  const finished = await audit(HONEST, '--judge', 'anthropic:claude-sonnet-5', '--max-cost-usd', '0.001')
  expect(finished.all).toContain('60 verdicts not given: ')
  expect(finished.all).toMatch(/Wrongly passed +unknown \(no verdict\)/)
  expect(finished.exitCode).toBe(2)
})

test.for([
  [[], 'No judge is named.', 'no-judge'],
  [['caldwell', ...JUDGE], '--self-test takes no agent and no answer.', 'invalid-options'],
] as const)('%j is refused', async ([args, message]) => {
  const finished = await audit(HONEST, ...args)
  expect(finished.all).toContain(message)
  expect(finished.exitCode).toBe(2)
})
