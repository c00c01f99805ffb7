// @module-tag no-engine
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { SHELL_PACKAGE, shellCases } from '../support/shell-engine.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { greeting, greetings, PACKAGE, readReport, verdicts } from '../support/eval-project.ts'

describe('bad files', () => {
  test('a bad file shows all its mistakes, the others run, and the report has it', async () => {
    await using project = await createProject(repositoryVitest(), {
      ...SHELL_PACKAGE,
      ...shellCases({ good: 'echo Hello' }),
      'evals/cases/bad.yaml': 'name: bad\ninptu:\n  prompt: Say hello.\nexpected:\n  contains: [3]\n',
      'evals/cases/twin.yaml': `\n${greeting('twin')}`,
      'evals/cases/zwilling.yaml': greeting('twin'),
      'evals/cases/bomb.yaml': BOMB,
    })
    const { exitCode, stderr } = await project.run(['run', '--project', 'evals'])
    expect(exitCode).toBe(1)
    expect(mistakes(stderr)).toMatchInlineSnapshot(`
      "evals/cases/bad.yaml:1:1 input: missing; expected an object
      evals/cases/bad.yaml:2:1 inptu: unknown field. Did you mean "input"?
      evals/cases/bad.yaml:5:14 expected.contains.0: expected a string, got a number; put it in quotes
      evals/cases/bomb.yaml:1:5 anchors and aliases are not supported (&a0); write the value out, or quote the text
      evals/cases/twin.yaml:2:7 name: "twin" is also the name of the case at evals/cases/zwilling.yaml:1:7; rename one
      evals/cases/zwilling.yaml:1:7 name: "twin" is also the name of the case at evals/cases/twin.yaml:2:7; rename one"
    `)
    expect(stderr, 'no frames of ours').not.toContain('suite-store')
    expect(verdicts(await readReport(project))).toEqual([
      'bad ERROR invalid-suite',
      'bomb ERROR invalid-suite',
      'good PASS',
      'twin ERROR invalid-suite',
      'zwilling ERROR invalid-suite',
    ])
  })
})

describe('on every Vitest', () => {
  const major = repositoryVitest()

  test('an engine that is not supported is refused before anything starts', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      ...greetings({ fine: 'Hello', good: 'Hello' }),
      'evals/eval-config.json': '{ "version": 1, "engine": "cursor" }\n',
    })
    const fromFile = await project.run(['run', '--project', 'evals'])
    expect(fromFile.exitCode).toBe(1)
    // Both tests are named; what is wrong with all of them is printed once.
    expect(fromFile.stderr.split('unsupported-engine: The engine "cursor" is not supported: ')).toHaveLength(2)
    expect(fromFile.stderr).toMatch(/ FAIL .*> fine\n.* FAIL .*> good\nAgentEvalsError: unsupported-engine/)
    expect(await outcome(project)).toEqual(['fine ERROR unsupported-engine', 'good ERROR unsupported-engine'])

    const env = { AGENT_EVALS_ENGINE: 'claude-cod' }
    const fromEnvironment = await project.run(['run', '--project', 'evals'], { env })
    expect(fromEnvironment.exitCode).toBe(1)
    expect(fromEnvironment.stderr).toContain(
      '[AgentEvalsError: The engine "claude-cod" is not supported. Did you mean "claude-code"? Use one of: ',
    )
    expect(fromEnvironment.stdout).not.toContain('RUN')
  })
})

const LAUGHS = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`)
const BOMB = ['a0: &a0 lol', ...LAUGHS, 'name: bomb', ''].join('\n')

/** Lines such as `evals/cases/bad.yaml:2:1 inptu: ...`, in the order of the files. */
function mistakes(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^Error: /, ''))
  return [...new Set(lines.filter((line) => /^evals\/cases\/\S+:\d+:\d+ /.test(line)))].toSorted().join('\n')
}

async function outcome(project: TestProject): Promise<readonly string[]> {
  const report = await readReport(project)
  expect(report.cases.flatMap(({ runs }) => runs)).toEqual([])
  await project.files.rm('evals/reports')
  return verdicts(report)
}
