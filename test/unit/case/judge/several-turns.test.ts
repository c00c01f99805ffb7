import { expect, test } from 'vitest'
import { judgesOf } from '../../../../src/case/judge/require-judge.ts'
import type { RunSettings } from '../../../../src/options/settings.ts'
import type { Criteria } from '../../../../src/formats/suite.ts'
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
