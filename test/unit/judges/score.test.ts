import { describe, expect, it } from 'vitest'
import { found, gradeAs, rolesOf, scoreOf, type Arm } from '../../../src/judges/grader-score.ts'
import type { Grader } from '../../../src/formats/plugin-eval/model.ts'
import { grader } from '../../support/plugin-eval/grader.ts'

const SAYS: Grader = regex('says', 'last_message', null)
const SKILL: Grader = toolUsed('skill', 'Skill', null)

describe('with two arms', () => {
  it('makes an indicator of what asks whether the plugin was used', () => {
    const graders = [
      SAYS,
      SKILL,
      toolUsed('both', 'Skill', 'both'),
      regex('ind', 'last_message', 'with-only'),
      regex('calls', 'mock_calls', null),
      toolUsed('mcp', 'mcp__plugin_p_s__t', null),
    ]
    const roles = rolesOf(graders, armOf('with'))
    expect(roles.filter(({ scored }) => !scored).map((role) => role.grader.name)).toEqual(['skill', 'ind', 'calls'])
    expect(rolesOf(graders, armOf('without')).map((role) => role.grader.name)).toEqual(['says', 'both', 'mcp'])
    expect(rolesOf(graders, { ...armOf('with'), isCompared: false }).every(({ scored }) => scored)).toBe(true)
  })

  it('scores what asks for calls where the run without the plugin has mocked tools, too', () => {
    const calls = regex('calls', 'mock_calls', null)
    for (const name of ['with', 'without'] as const)
      expect(rolesOf([SAYS, calls], { ...armOf(name), mocksPlugin: false }).every(({ scored }) => scored)).toBe(true)
    expect(rolesOf([SAYS, calls], armOf('without')).map((role) => role.grader.name)).toEqual(['says'])
  })

  it('scores the indicators where there is nothing else', () => {
    for (const name of ['with', 'without'] as const)
      expect(rolesOf([SKILL], armOf(name))).toEqual([{ grader: SKILL, scored: true }])
  })
})

describe('a score', () => {
  const [says, skill] = rolesOf([{ ...SAYS, weight: 3 }, SKILL], { ...armOf('with'), isCompared: false })
  if (says === undefined || skill === undefined) throw new Error('two roles')

  it('is the share of the weights', () => {
    expect(scoreOf([gradeAs(says, found('PASS', '')), gradeAs(skill, found('FAIL', ''))])).toBe(0.75)
    expect(scoreOf([gradeAs(says, found('PASS', '')), gradeAs({ ...skill, scored: false }, found('FAIL', ''))])).toBe(1)
  })

  it('is unknown where a grader that counts has no verdict', () => {
    const broken = found('ERROR', 'no judge')
    expect(scoreOf([gradeAs(says, found('PASS', '')), gradeAs(skill, broken)])).toBeNull()
    expect(scoreOf([gradeAs(says, found('PASS', '')), gradeAs({ ...skill, scored: false }, broken)])).toBe(1)
  })
})

function armOf(name: Arm['name']): Arm {
  return { name, isCompared: true, mocksPlugin: true }
}

function regex(name: string, target: 'last_message' | 'mock_calls', arm: Grader['arm']): Grader {
  return { ...grader({ name, type: 'regex', pattern: 'x', target }), arm }
}

function toolUsed(name: string, tool: string, arm: Grader['arm']): Grader {
  return { ...grader({ name, type: 'tool_used', tool }), arm }
}
