// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestProject } from '../support/project.ts'
import { createProject } from '../support/project.ts'
import { repositoryVitest } from '../support/majors.ts'
import type { ReportCase } from '../../src/report/report.ts'
import { PARTS, runCases, states, withEdits, type Edit } from '../support/recordings-project.ts'

const major = repositoryVitest()

const EVERY = ['command', 'delegate', 'hook', 'skill', 'tool']

/** One edit for each kind of text that only some cases are shown; each run would otherwise cost all cases once more. */
const EDITS: readonly Edit[] = [
  { file: 'evals/cases/hook.yaml', from: 'called forbidden.txt', to: 'named forbidden.txt' },
  { file: 'skills/greet/SKILL.md', from: 'and nothing else', to: 'and add a joke' },
  { file: 'agents/critic/prompt.md', from: 'one weakness', to: 'two strengths' },
  { file: 'commands/wave.md', from: 'both hands', to: 'one foot' },
  { file: 'mcp/tally.mjs', from: 'the letters', to: 'the vowels' },
]

describe('an edit makes exactly the recordings stale whose model saw the text', { tags: ['claude-code'] }, () => {
  let project: TestProject

  beforeAll(async () => {
    project = await createProject(major, PARTS)
    const recorded = await runCases(project, 'record')
    expect(states(recorded)).toEqual(EVERY.map((name) => `${name} passed`))
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('prompt, skill body, agent prompt, command and MCP tool description', async () => {
    const cases = await withEdits(project, EDITS, () => runCases(project, 'auto'))
    expect(states(cases)).toEqual(EVERY.map((name) => `${name} errored stale`))
    expect(EVERY.map((name) => staleLines(cases.get(name)))).toEqual([
      ['commands/wave.md (body)'],
      ['agents/critic/prompt.md (prompt)'],
      ['evals/cases/hook.yaml (prompt)'],
      ['skills/greet/SKILL.md (body)'],
      ['mcp/tally.mjs (tool mcp__tally__count)'],
    ])
    expect(cases.get('skill')?.error).toContain(
      'Record it again: npx vitest-agent-evals run --record evals/cases/skill.yaml:',
    )
  })

  test('skill description and rule, which every model sees', async () => {
    const edits = [
      { file: 'skills/greet/SKILL.md', from: 'Greets whoever', to: 'Greets everybody who' },
      { file: 'rules/polite/RULE.md', from: 'stay polite', to: 'be rude' },
    ]
    const cases = await withEdits(project, edits, () => runCases(project, 'auto'))
    const lines = ['skills/greet/SKILL.md (description)', 'rules/polite/RULE.md (rule)']
    expect(EVERY.map((name) => staleLines(cases.get(name)))).toEqual(EVERY.map(() => lines))
  })

  test('a line that is added is an edit, a rule that is added is a remark, and a text that no model saw is neither', async () => {
    const edits = [
      { file: 'agents/critic/prompt.md', from: 'shown.', to: 'shown.\nThen praise it.' },
      { file: 'skills/greet/SKILL.md', from: 'and nothing else', to: 'and add a joke' },
    ]
    await project.files.mkdir('rules/brief')
    await project.files.writeFile('rules/brief/RULE.md', '---\nname: brief\n---\nNever write more than one sentence.\n')
    const cases = await withEdits(project, edits, () =>
      runCases(project, 'replay', { args: ['delegate', 'hook', 'command'] }),
    )
    await project.files.rm('rules/brief')
    expect(states(cases)).toEqual(['command passed', 'delegate errored stale', 'hook passed'])
    expect(staleLines(cases.get('delegate'))).toEqual(['agents/critic/prompt.md (prompt)'])
    expect(cases.get('hook')?.notices).toContain(
      'The model is shown rules/brief/RULE.md (rule), which is new since the recording.',
    )
  })

  test('undone, they pass, at no cost, and say that no model spoke', async () => {
    const cases = await runCases(project, 'replay')
    expect(states(cases)).toEqual(EVERY.map((name) => `${name} passed`))
    expect([...cases.values()].map(({ source, cost_usd: cost, recorded }) => [source, cost, recorded?.origin])).toEqual(
      EVERY.map(() => ['replay', 0, 'scenario']),
    )
    expect(cases.get('hook')?.notices).toContain('This was recorded from a scenario, not from a model.')
  })
})

/** The lines of an error that name what is stale. */
function staleLines(one: ReportCase | undefined): readonly string[] {
  return (one?.error ?? '')
    .split('\n')
    .flatMap((line) => /^(.+\)) has changed since the model saw it[,.]/.exec(line)?.[1] ?? [])
}
