// @module-tag claude-code
// @module-tag slow
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestProject } from '../support/project.ts'
import { createProject } from '../support/project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { config } from '../support/eval-project.ts'
import { caseOf, casesOf, PARTS, runCases, states, withEdits, type Edit } from '../support/recordings-project.ts'

const major = repositoryVitest()

const SCRIPT = 'skills/greet/scripts/greet.sh'
const EXIT_ZERO: Edit = { file: 'hooks/guard.sh', from: 'exit 2', to: 'exit 0' }
const OTHER_TEXT: Edit = { file: SCRIPT, from: 'Hello', to: 'Goodbye' }

describe('what changes behind a recording never stays green', { tags: ['claude-code'] }, () => {
  let project: TestProject

  beforeAll(async () => {
    project = await createProject(major, PARTS)
    const recorded = await runCases(project, 'record', { args: ['skill', 'hook'] })
    expect(states(recorded)).toEqual(['hook passed', 'skill passed'])
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('a script that returns other text, and a hook that now exits 0, are errors with both texts', async () => {
    const cases = await withEdits(project, [OTHER_TEXT, EXIT_ZERO], () =>
      runCases(project, 'auto', { args: ['skill', 'hook'] }),
    )
    expect(states(cases)).toEqual(['hook errored drifted', 'skill errored drifted'])
    expect(cases.get('skill')?.error).toContain(
      [
        '  Bash (sh .claude/skills/greet/scripts/greet.sh fixtures/name.txt), line 1',
        '    recorded: Hello, World',
        '    now:      Goodbye, World',
      ].join('\n'),
    )
    expect(cases.get('hook')?.error).toMatch(
      /Write \(⟨workspace⟩\/forbidden\.txt\)\n {4}recorded: an error: .*forbidden names are not written[^]*now: {6}no error: File created/,
    )
  })

  test('a check that fails comes first, and a fixture that changed is drift too', async () => {
    const edits = [
      { file: SCRIPT, from: 'echo greeted > out/log.txt', to: 'rm -r out' },
      { file: 'evals/fixtures/name.txt', from: 'World', to: 'Mars' },
    ]
    const cases = await withEdits(project, edits, () => runCases(project, 'replay', { args: ['skill'] }))
    expect(states(cases)).toEqual(['skill failed'])
    expect(cases.get('skill')?.error).toContain('out/log.txt')
  })

  test('with drift as a warning they pass and say so', async () => {
    const cases = await withEdits(project, [OTHER_TEXT], () =>
      runCases(project, 'replay', { args: ['skill'], env: { AGENT_EVALS_DRIFT: 'warn' } }),
    )
    expect(states(cases)).toEqual(['skill passed'])
    expect(cases.get('skill')?.notices.join('\n')).toContain('now:      Goodbye, World')
  })

  test('a request that the recording does not hold is an error, whatever the exit code', async () => {
    const file = 'evals/recordings/cases/skill/claude-code.1.json'
    const text = await project.files.readFile(file, 'utf8')
    const recording = JSON.parse(text) as { lanes: { turns: unknown[] }[] }
    recording.lanes[0]?.turns.splice(-1)
    await project.files.writeFile(file, JSON.stringify(recording))
    const cases = await runCases(project, 'replay', { args: ['skill'] })
    await project.files.writeFile(file, text)
    expect(states(cases)).toEqual(['skill errored recording-incompatible'])
  })
})

describe('nothing is green by silence', { tags: ['claude-code'] }, () => {
  const files = {
    'vitest.config.ts': config("{ sandbox: 'prefer' }"),
    'package.agent.json': '{ "name": "silent", "version": "1.0.0" }\n',
    'evals/fixtures/name.txt': 'World\n',
    'evals/cases/one.yaml': caseOf('one', 'Say hello.', [], 'hello')['evals/cases/one.yaml'] ?? '',
  }

  test.for([
    { source: 'auto', env: {}, state: 'one skipped' },
    { source: 'auto', env: { CI: 'true' }, state: 'one errored missing-answers' },
    { source: 'replay', env: {}, state: 'one errored missing-answers' },
    { source: 'record', env: {}, state: 'one errored no-credentials' },
  ] as const)('with no key and no recording, $source $env: $state', async ({ source, env, state }) => {
    await using project = await createProject(major, files)
    const finished = await project.run(['run', '--project', 'evals'], { env: { AGENT_EVALS_SOURCE: source, ...env } })
    expect(finished.exitCode).toBe(1)
    const cases = await casesOf(project, 0, finished.all)
    expect(states(cases)).toEqual([state])
    const message = cases.get('one')?.skip_reason ?? cases.get('one')?.error ?? ''
    if (source !== 'record') {
      expect(message).toContain('npx vitest-agent-evals run --record evals/cases/one.yaml:2')
    }
  })
})
