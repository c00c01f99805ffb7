// @module-tag claude-code
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { startProcess, type FinishedProcess } from '../support/running-process.ts'
import { shellCases, shellConfig } from '../support/shell-engine.ts'
import { greeting, PACKAGE, readReports, refusing, verdicts, withoutTimes } from '../support/eval-project.ts'

describe('a failure', () => {
  test('shows each failed check at its own line of the case file, and an error of the run with its code at the prompt', async () => {
    const checks =
      'expected:\n  contains:\n    - Hello\n    - Goodbye\n    - |\n      Hello,\n      Moon\n  files-created:\n    - output/a.txt\n'
    await using project = await createProject(repositoryVitest(), {
      ...PACKAGE,
      'evals/cases/errs.yaml': greeting('errs'),
      'evals/scenarios/errs.yaml': refusing(400),
      'evals/cases/greets.yaml': `# the first case\n${greeting('greets', checks)}`,
      'evals/scenarios/greets.yaml': JSON.stringify({
        turns: [
          { tools: [{ name: 'Write', input: { file_path: '${WORKSPACE}/output/b.txt', content: 'b' } }] },
          'Hello,\nWorld',
        ],
      }),
    })
    const { all, exitCode } = await project.run(['run', '--project', 'evals'], { merged: true })
    expect(exitCode).toBe(1)
    expect(positionless(withoutTimes(all))).toMatchInlineSnapshot(`
      "RUN  <root>

       ❯ |evals| evals/cases/greets.yaml (1 test | 1 failed)
         × greets
       ❯ |evals| evals/cases/errs.yaml (1 test | 1 failed)
         × errs

      ⎯⎯⎯⎯⎯⎯⎯ Failed Tests 2 ⎯⎯⎯⎯⎯⎯⎯

       FAIL  |evals| evals/cases/errs.yaml:1 > errs
      AgentEvalsError: The scenario (evals/scenarios/errs.yaml:1) answered 400: no.

      transcript:
        | .vitest/agent-evals/<time>/cases/cases/errs/claude-code.1/transcript.jsonl

      run again:
        | npx vitest run --project evals evals/cases/errs.yaml:1
       ❯ evals/cases/errs.yaml:3:11
            1| name: errs
            2| input:
            3|   prompt: Say hello.
             |           ^
            4| expected:
            5|   contains:

      ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/4]⎯

       FAIL  |evals| evals/cases/greets.yaml:2 > greets
      Error: expected the output to contain "Goodbye" but it does not

      last message:
        | Hello,
        | World

      files:
        | created  output/b.txt

      transcript:
        | .vitest/agent-evals/<time>/cases/cases/greets/claude-code.1/transcript.jsonl

      run again:
        | npx vitest run --project evals evals/cases/greets.yaml:2

      - Expected
      + Received

      - Goodbye
      + Hello,
      + World

       ❯ evals/cases/greets.yaml:8:7
            6|   contains:
            7|     - Hello
            8|     - Goodbye
             |       ^
            9|     - |
           10|       Hello,

      ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/4]⎯

       FAIL  |evals| evals/cases/greets.yaml:2 > greets
      Error: expected the output to contain "Hello,\\nMoon\\n" but it does not

      - Expected
      + Received

        Hello,
      - Moon
      -
      + World

       ❯ evals/cases/greets.yaml:9:7
            7|     - Hello
            8|     - Goodbye
            9|     - |
             |       ^
           10|       Hello,
           11|       Moon

      ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[3/4]⎯

       FAIL  |evals| evals/cases/greets.yaml:2 > greets
      Error: expected output/a.txt to be created but it was not; output/b.txt was

      Expected: "output/a.txt"
      Received: "output/b.txt"

       ❯ evals/cases/greets.yaml:13:7
           11|       Moon
           12|   files-created:
           13|     - output/a.txt
             |       ^
           14| judge:
           15|   criteria: It greets.

      ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[4/4]⎯


       Test Files  2 failed (2)
            Tests  2 failed (2)


      Agent Evals  1 failed | 1 errored (2), errored is failed in Vitest
        Pass Rate  0% (0 of 1)
          Answers  2 by scenarios, no model called
             Cost  $0.00
          Sandbox  <sandbox>
           Report  evals/reports/<time>.json

          See why  npx vitest-agent-evals view"
    `)
  })

  test('names a command that runs the case again from the same folder', async () => {
    const inner = 'my evals'
    await using project = await createProject(repositoryVitest(), {
      [`${inner}/vitest.config.ts`]: shellConfig(),
      [`${inner}/package.agent.json`]: PACKAGE['package.agent.json'] ?? '',
      ...Object.fromEntries(
        Object.entries(shellCases({ good: 'echo Hello', bad: 'echo Goodbye' })).map(([path, text]) => [
          `${inner}/${path}`,
          text,
        ]),
      ),
    })
    const args = ['run', '--root', inner, '--project', 'evals', '-t', 'bad']
    const first = await project.run(args)
    const command = rerunOf(first)
    expect(command).toBe('npx vitest run --root "my evals" --project evals "my evals/evals/cases/bad.yaml:1"')

    const again = await runInShell(project, command)
    expect(again.exitCode).toBe(1)
    expect(rerunOf(again)).toBe(command)
    expect((await readReports(project, `${inner}/evals/reports`)).map(verdicts)).toEqual([['bad FAIL'], ['bad FAIL']])
  })
})

/** Vitest 4 names the column of a failed test, 5 does not. */
function positionless(output: string): string {
  return output.replaceAll(/^( FAIL .*\.yaml:\d+):\d+/gm, '$1')
}

function rerunOf({ all }: FinishedProcess): string {
  return /^run again:\n  \| (.*)$/m.exec(all)?.[1] ?? ''
}

/** As a person who pastes it into the terminal that showed it. */
function runInShell({ root, home, major }: TestProject, command: string): Promise<FinishedProcess> {
  const env = {
    PATH: `${dirname(major.node)}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    NO_COLOR: '1',
  }
  return startProcess('/bin/sh', ['-c', command], { cwd: root, env, folders: { root } }).finished
}
