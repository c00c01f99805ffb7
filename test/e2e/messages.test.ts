// @module-tag no-engine
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { greeting, PACKAGE, withoutMachine } from '../support/eval-project.ts'

const major = repositoryVitest()
const CONFIG = '{ "version": 1, "engine": "claude-code" }\n'

/** What a run prints as errors, without rulers and blank lines. */
async function errorsOf(project: TestProject, ...args: readonly string[]): Promise<string> {
  const { stderr } = await project.agentEvals(['run', ...args])
  return withoutMachine(stderr)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('⎯'))
    .join('\n')
}

test('a mistake in a scenario is framed at its line, and a broken case that is run by its name, or by its line, fails once', async () => {
  await using project = await createProject(major, {
    ...PACKAGE,
    'evals/eval-config.json': CONFIG,
    'evals/cases/hello.yaml': greeting('hello'),
    'evals/scenarios/hello.yaml': 'turns:\n  - Hello\nturs: 1\njudge:\n  - - { verdict: pass, reason: It greets. }\n',
    'evals/cases/guarded.yaml': greeting('guarded', 'target: hook:pre-tool-use\n'),
  })
  const byName = await errorsOf(project, 'hello', 'guarded')
  expect(byName).toMatchInlineSnapshot(`
    " FAIL  |evals| evals/cases/guarded.yaml [ evals/cases/guarded.yaml ]
    Error: evals/cases/guarded.yaml:4:9 target: the package has no hooks file, so there is no hook for "pre-tool-use". Declare hooks in hooks/hooks.json.
      Plugin: agent-evals:suites
      File: <root>/evals/cases/guarded.yaml:4:8
      2  |  input:
      3  |    prompt: Say hello.
      4  |  target: hook:pre-tool-use
         |          ^
      5  |  judge:
      6  |    criteria: It greets.
     FAIL  |evals| evals/cases/hello.yaml:1:7 > hello
    AgentEvalsError: evals/scenarios/hello.yaml:3:1 turs: unknown field. Did you mean "turns"?
    run again:
      | npx vitest-agent-evals run evals/cases/hello.yaml:1
          1| turns:
          2|   - Hello
          3| turs: 1
           | ^
          4| judge:
          5|   - - { verdict: pass, reason: It greets. }
     ❯ evals/scenarios/hello.yaml:3:1"
  `)
  expect(await errorsOf(project, 'hello', 'evals/cases/guarded.yaml:1')).toBe(byName)
})

describe('a project without evals', () => {
  const COMMANDS = ['run', 'list', 'lint', 'show', 'view', 'costs', 'audit', 'rejudge', 'triggers']

  test.for(COMMANDS)('is shown by %s how to write a first one', async (command) => {
    await using project = await createProject(major, {})
    const { exitCode, stdout, stderr } = await project.agentEvals([command])
    expect(exitCode).toBe(2)
    expect(`${stdout}${stderr}`.split(NOTHING)).toHaveLength(2)
  })

  test('is shown the same by Vitest', async () => {
    await using project = await createProject(major, { 'vitest.config.ts': PACKAGE['vitest.config.ts'] ?? '' })
    const { stderr } = await project.run(['run', '--project', 'evals'])
    expect(stderr.split(NOTHING)).toHaveLength(2)
  })
})

const NOTHING =
  'No evals found: no evals.json, no evals/cases/*.yaml and no *.eval.ts. Create a first one with npx vitest-agent-evals init.'
