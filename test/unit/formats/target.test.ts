import { describe, expect, test } from 'vitest'
import { CASE, issuesOf } from '../../support/aam-fixture.ts'

describe('C16 targets', () => {
  test.each([
    ['skill:pdf-tools', null],
    ['agent:auditor', null],
    ['hook:pre-tool-use', null],
    ['skill:pdf-tool', 'unknown-target target: the package has no skill "pdf-tool". Did you mean "pdf-tools"?'],
    ['skill:../../x', 'unknown-target target: the package has no skill "../../x". It has pdf-tools.'],
    ['agent:nobody', 'unknown-target target: the package has no agent "nobody". It has auditor.'],
    ['hook:stop', 'unknown-target target: hooks/hooks.json has no hook for "stop". It has pre-tool-use.'],
    [
      'skil:x',
      'invalid-target target: expected skill:<name>, hook:<event> or agent:<name>, got "skil:x". Did you mean "skill"?',
    ],
    ['"skill:"', 'invalid-target target: the name after "skill:" is missing'],
  ])('%s', async (target, problem) => {
    const issues = await issuesOf(`${CASE}target: ${target}\n`)
    expect(issues).toEqual(problem === null ? [] : [`6:9 error ${problem}`])
  })

  test("Claude's name of an event", async () => {
    expect(await issuesOf(`${CASE}target: hook:PreToolUse\n`)).toEqual([])
    const [issue] = await issuesOf(`${CASE}target: hook:PreTolUse\n`)
    expect(issue).toMatch(/"PreTolUse" is not a hook event; .* Did you mean "pre-tool-use"\?$/)
  })

  test('two skills of one name', async () => {
    const issues = await issuesOf(`${CASE}target: skill:pdf-tools\n`, {
      'skills/other/SKILL.md': '---\nname: pdf-tools\ndescription: Also.\n---\n',
    })
    expect(issues).toEqual([
      '6:9 error unknown-target target: two skills of the package are called "pdf-tools"; rename one of them',
    ])
  })

  test('a skill that is broken', async () => {
    expect(await issuesOf(`${CASE}target: skill:broken\n`, { 'skills/broken/x.txt': '' })).toEqual([
      '6:9 error unknown-target target: this skill is broken: skills/broken/SKILL.md:1:1 the file does not exist',
    ])
  })
})
