import { expect, test } from 'vitest'
import {
  countTriggers,
  decidingUse,
  isAsExpected,
  type TriggerAttempt,
} from '../../../../src/case/assess/count-triggers.ts'
import { decidesRun } from '../../../../src/transcript/select.ts'
import { describeTrigger } from '../../../../src/report/build/describe-trigger.ts'
import type { ErrorCode } from '../../../../src/lib/errors.ts'
import type { RunStatus } from '../../../../src/transcript/transcript.ts'

const question = { skill: 'notes', shouldTrigger: true, runs: null, threshold: null }

function attempt(
  skills: readonly string[],
  status: RunStatus = 'completed',
  agent: string | null = null,
  problemCode: ErrorCode | null = null,
): TriggerAttempt {
  const transcript = skills.map((skill, index) => ({
    n: index + 1,
    from: 'given to the model' as const,
    kind: 'skill-used' as const,
    agent,
    skill,
    via: 'tool' as const,
  }))
  return { run: { status, transcript, problemCode }, problem: null }
}

const count = (...attempts: readonly TriggerAttempt[]): ReturnType<typeof countTriggers> =>
  countTriggers(attempts, { question, query: 'q', threshold: 0.5 })

test('broken runs and those that took too long are apart from the rate', () => {
  const part = count(attempt(['notes']), attempt([], 'timed-out'), attempt([], 'crashed'), {
    run: null,
    problem: 'stale',
  })
  expect(part).toMatchObject({ runs: 4, completed: 1, fired: 1, rate: 1, errors: 2, timeouts: 1 })
})

test('a run whose time the API used up is an error, and not too slow', () => {
  const part = count(attempt(['notes']), attempt([], 'timed-out', null, 'upstream-failed'))
  expect(part).toMatchObject({ completed: 1, errors: 1, timeouts: 0 })
})

test('a call of the skill that failed is no use, and is named', () => {
  const transcript = [
    { n: 1, from: 'model', kind: 'tool-call', agent: null, id: 't', tool: 'Skill', input: { skill: 'pack:notes' } },
    {
      n: 2,
      from: 'given to the model',
      kind: 'tool-result',
      agent: null,
      id: 't',
      text: 'Unknown skill',
      isError: true,
      blockedBy: null,
    },
  ] as const
  const part = count({ run: { status: 'completed', problemCode: null, transcript }, problem: null })
  expect(part).toMatchObject({ completed: 1, fired: 0, internal: { failedCalls: [{ skill: 'notes', runs: 1 }] } })
  expect(describeTrigger(part)).toContain('1 run tried to call notes; the call failed')
})

test('a use counts although the run broke afterwards, or was played from a recording that is stale not at all', () => {
  expect(count(attempt(['notes'], 'timed-out'))).toMatchObject({ completed: 1, fired: 1, timeouts: 0 })
  expect(count({ ...attempt(['notes']), problem: 'stale' })).toMatchObject({ completed: 0, rate: null, errors: 1 })
})

test('a run that was stopped does not count, also where the skill had been used', () => {
  expect(count(attempt(['notes'], 'cancelled'))).toMatchObject({ completed: 0, fired: 0, errors: 1 })
})

test('a use after another skill counts, and one that carries the name of its plugin', () => {
  expect(count(attempt(['letters', 'pack:notes']))).toMatchObject({ fired: 1, internal: { firedInstead: [] } })
})

test('another skill is told where it was used instead, the most frequent first', () => {
  const part = count(attempt(['mails', 'letters']), attempt(['letters', 'letters']), attempt(['letters', 'notes']))
  expect(part).toMatchObject({
    fired: 1,
    fired_instead: ['letters', 'mails'],
    internal: {
      firedInstead: [
        { skill: 'letters', runs: 2 },
        { skill: 'mails', runs: 1 },
      ],
    },
  })
})

test('a use on the main thread decides a run, and that of a sub-agent or of another skill does not', () => {
  const used = { kind: 'skill-used' as const, agent: null, skill: 'pack:notes', via: 'read' as const }
  const use = decidingUse(question)
  expect(decidesRun(used, use)).toBe(true)
  expect(decidesRun({ ...used, agent: 'helper#1' }, use)).toBe(false)
  expect(decidesRun({ ...used, skill: 'letters' }, use)).toBe(false)
  expect(decidesRun({ ...used, skill: 'letters' }, decidingUse({ ...question, skill: null }))).toBe(true)
  expect(decidesRun({ ...used, skill: 'letters' }, decidingUse({ ...question, accepts: ['letters'] }))).toBe(true)
  expect(decidesRun({ kind: 'message', agent: null, text: 'I use the skill notes.' }, use)).toBe(false)
})

test('a use by a sub-agent counts and is told', () => {
  expect(count(attempt(['notes'], 'completed', 'helper#1'))).toMatchObject({ fired: 1, fired_in_sub_agent: 1 })
})

test('no skill at all means none, and what was used all the same is named', () => {
  const none = { ...question, skill: null, shouldTrigger: false }
  const part = countTriggers([attempt(['letters'])], { question: none, query: 'q', threshold: 0.5 })
  expect(part).toMatchObject({ fired: 1, internal: { firedInstead: [{ skill: 'letters', runs: 1 }] } })
  expect(describeTrigger(part)).toContain(
    'expected no skill to be used in 50% of the runs or more, but it was in 1 of 1',
  )
  expect(describeTrigger(part)).toContain('Used: letters (1 run)')
  const any = countTriggers([attempt(['letters'])], {
    question: { ...none, shouldTrigger: true },
    query: 'q',
    threshold: 0.5,
  })
  expect(any).toMatchObject({ fired: 1, internal: { firedInstead: [] } })
  expect(isAsExpected(part)).toBe(false)
})

test('the threshold itself is enough', () => {
  expect(isAsExpected(count(attempt(['notes']), attempt([])))).toBe(true)
  expect(isAsExpected({ ...count(attempt(['notes']), attempt([])), should_trigger: false })).toBe(false)
  expect(isAsExpected({ ...count(), should_trigger: true })).toBe(false)
})
