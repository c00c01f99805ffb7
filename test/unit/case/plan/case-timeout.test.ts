import { expect, test } from 'vitest'
import { caseTimeout } from '../../../../src/case/plan/plan.ts'
import { AAM_DEFAULTS } from '../../../../src/formats/aam/aam-defaults.ts'

const evals = { config: AAM_DEFAULTS, format: 'skill-evals' }
const nothing = { timeout: { environment: null, option: null } }

test('an eval takes 600 s by default, and its own timeout wins over every other', () => {
  expect(caseTimeout(evals, { timeout: null }, nothing)).toBe(600)
  expect(caseTimeout({ config: AAM_DEFAULTS, format: 'aam' }, { timeout: null }, nothing)).toBe(120)
  const configured = { timeout: { environment: 30, option: 60 } }
  expect(caseTimeout(evals, { timeout: null }, configured)).toBe(30)
  expect(caseTimeout(evals, { timeout: 900 }, configured)).toBe(900)
  expect(caseTimeout(evals, { timeout: null }, { timeout: { ...configured.timeout, environment: null } })).toBe(60)
})
