import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findIssues } from '../../../src/cli/lint/find-issues.ts'
import { loadSuites } from '../../../src/cli/find/search.ts'
import { createAgent, golden } from '../../support/agent-fixture.ts'

const CONFIG = { 'package.agent.json': '{ "name": "sample", "version": "1.0.0" }\n' }

async function lint(root: string): Promise<readonly string[]> {
  const { issues } = await findIssues(await loadSuites(root.replace(/\/$/, '')))
  return issues
    .filter(({ code }) => ['judge-answer', 'scenario-without-case'].includes(code))
    .map(({ file, line, severity, message }) => `${file.split('/').slice(-3).join('/')}:${line} ${severity} ${message}`)
}

function scenario(...judge: readonly string[]): string {
  return `turns:\n  - Done.\njudge:\n${judge.map((answer) => `  - ${answer}\n`).join('')}`
}

const PASS = '{ verdict: pass, reason: It is. }'

test('lint finds answers for the judge that do not fit the case', async () => {
  const evals = (...expectations: readonly string[]): string =>
    JSON.stringify([{ id: 'brief', prompt: 'Write it.', expectations }])
  const files: FileTree = {
    ...CONFIG,
    'evals/cases/greets.yaml':
      'name: greets\ninput:\n  prompt: Say hello.\njudge:\n  criteria: It greets. It ends with a full stop.\n',
    // The answer in prose is a misbehaving judge, as its author wrote it.
    'evals/scenarios/greets.yaml': scenario(`[${PASS}]`, 'Nice.', `[${PASS}, ${PASS}]`),
    'evals/scenarios/greets.codex.yaml': scenario(`[${PASS}, ${PASS}, ${PASS}]`),
    'evals/scenarios/greets.2.yaml': scenario('{ scores: { tone: 5 } }'),
    'skills/notes/SKILL.md': '---\nname: notes\ndescription: Writes notes.\n---\nWrite.\n',
    'skills/notes/evals/evals.json': evals('It is short.', 'The file notes.md exists.'),
    'evals/scenarios/notes/brief.yaml': scenario(`[${PASS}]`, `[${PASS}, ${PASS}]`),
    'evals/scenarios/notes/brief.without_skill.codex.2.yaml': scenario('{ scores: { tone: 5 } }'),
    'evals/cases/talks.yaml':
      'name: talks\nturns:\n  - prompt: Hello.\n    judge:\n      criteria: It greets.\n  - prompt: Go on.\njudge:\n  criteria: It greets. It ends.\n',
    'evals/scenarios/talks.yaml': scenario(`[${PASS}]`, `[${PASS}, ${PASS}]`, `[${PASS}, ${PASS}, ${PASS}]`),
    'evals/scenarios/notes/brief.1.yaml': scenario(`[${PASS}, ${PASS}, ${PASS}]`),
  }
  await using fixture = await createFixture(files)
  expect(await lint(fixture.path)).toEqual([
    'evals/scenarios/greets.2.yaml:4 error the answer for the judge has scores, but this case has no rubric. Write a list with one verdict for each statement.',
    'evals/scenarios/greets.codex.yaml:4 error 3 verdicts for 2 statements: statement 3 does not exist',
    'evals/scenarios/greets.yaml:4 error 1 verdict for 2 statements: none on statement 2',
    'scenarios/notes/brief.1.yaml:4 error 3 verdicts for 2 statements: statement 3 does not exist',
    'scenarios/notes/brief.without_skill.codex.2.yaml:4 error the answer for the judge has scores, but this case has no rubric. Write a list with one verdict for each statement.',
    'scenarios/notes/brief.yaml:4 error 1 verdict for 2 statements: none on statement 2',
    'evals/scenarios/talks.yaml:6 error 3 verdicts for 1 statement: statement 2, 3 does not exist; or 3 verdicts for 2 statements: statement 3 does not exist',
  ])
})

test('lint finds scores that do not fit the rubric', async () => {
  await using fixture = await createAgent({
    'golden/happy/001_hours.md': golden('001_hours'),
    'scenarios/golden/happy/001_hours.yaml': scenario(
      '{ scores: { tone: 5, accuracy: 5 }, hard_fails: [HF1] }',
      '{ scores: { tone: 5 } }',
      '{ scores: { tone: 5, accuracy: 5 }, hard_fails: [HF77] }',
      `[${PASS}]`,
    ),
  })
  expect(await lint(fixture.path)).toEqual([
    'golden/happy/001_hours.yaml:5 error no score for accuracy',
    'golden/happy/001_hours.yaml:6 error HF77 is not in the rubric (HF1, HF2)',
    'golden/happy/001_hours.yaml:7 error the answer for the judge has verdicts, but a rubric needs scores. Write `scores` with a score for each dimension.',
  ])
})
