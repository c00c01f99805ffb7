import { expect, test } from 'vitest'
import { judgesOf } from '../../../../src/case/judge/require-judge.ts'
import { isJudged, rejudgeCase } from '../../../../src/case/rejudge-case.ts'
import { skippedJudge } from '../../../../src/judges/judgement.ts'
import { createRedactor } from '../../../../src/gateway/redact.ts'
import type { RunSettings } from '../../../../src/options/settings.ts'
import type { Criteria } from '../../../../src/formats/suite.ts'
import { caseResult } from '../../../support/case-result.ts'
import { evalCase } from '../../../support/eval-case.ts'

const at = { line: 1, column: 1 }

function requestsFor(statements: Criteria['statements']): number | undefined {
  const criteria = { text: '- a', at, ...(statements === undefined ? {} : { statements }) }
  const settings = { votes: 3, judge: { environment: 'claude-haiku', option: null } } as unknown as RunSettings
  const suite = { config: { judge: null } } as unknown as Parameters<typeof judgesOf>[0]['suite']
  return judgesOf({
    suite,
    evalCase: evalCase({ id: 'a', criteria }),
    settings,
    engineName: 'claude-code',
    model: null,
  })?.requests
}

test('the budget keeps a share for the judge of each turn that has criteria, and for that of the whole', () => {
  const one = requestsFor(undefined)
  expect(one).toBe(4)
  expect(
    requestsFor([
      { text: 'a', at },
      { text: 'b', at },
    ]),
  ).toBe(4)
  expect(requestsFor([1, 1, 3].map((turn) => ({ text: 'a', at, turn })))).toBe(8)
  expect(
    requestsFor([
      { text: 'a', at, turn: 1 },
      { text: 'a', at, turn: 2 },
      { text: 'a', at },
    ]),
  ).toBe(12)
})

test('a conversation is not judged again, and says so', async () => {
  const judge = { ...skippedJudge(''), result: 'passed' as const }
  const plain = caseResult('plain', { judge })
  const talk = caseResult('talk', { judge, runs: plain.runs.map((run) => ({ ...run, turns: [] })) })
  expect([plain, talk].map(isJudged)).toEqual([true, false])
  const again = await rejudgeCase({
    result: talk,
    found: null,
    settings: {} as RunSettings,
    redactor: createRedactor({}),
    signal: new AbortController().signal,
  })
  expect(again).toMatchObject({ outcome: 'passed', judge, costUsd: 0 })
  expect(again.notices).toEqual([expect.stringContaining('not judged again, as it has several turns')])
})
