// @module-tag no-engine
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { readReports, saying, verdicts } from '../support/eval-project.ts'
import { SHELL_PACKAGE, shellCases } from '../support/shell-engine.ts'

const major = repositoryVitest()

const FILE = `import { describe, expect, test } from 'vitest-agent-evals/test'
import { absent } from './absent.ts'

describe('a block', () => {
  test('greets', async ({ agent }) => {
    expect(await agent.run('echo Hello, World')).toContainOutput('Hello')
  })
})
test('says bye', async ({ agent }) => {
  const run = await agent.run('echo Hello, World')
  expect(run.output).toBe('Goodbye')
})
test('waves', async ({ agent }) => {
  expect(await agent.run('echo Hello, World')).toContainOutput('Hello')
})
describe('a block', () => {
  test('nods', async ({ agent }) => {
    expect(await agent.run('echo Hello, World')).toContainOutput('Hello')
  })
})
`
const FILES = {
  ...SHELL_PACKAGE,
  ...shellCases({}),
  'evals/hand.eval.ts': FILE,
  'evals/absent.ts': 'export const absent = 1\n',
  'evals/scenarios/a-block-greets-42a136.yaml': saying('Hello, World'),
  'evals/scenarios/a-block-nods-69d0a2.yaml': saying('Hello, World'),
  'evals/scenarios/says-bye-90493c.yaml': saying('Hello, World'),
  'evals/scenarios/waves.yaml': saying('Hello, World'),
}

describe('names of tests in TypeScript', () => {
  test('are counted by list, lint and a plain vitest, and lint knows their scenarios', async () => {
    await using project = await createProject(major, { ...FILES, 'evals/scenarios/nobody.yaml': saying('Hello') })
    const list = await project.agentEvals(['list'], { merged: true })
    expect(list.all).toContain('4 tests in 1 file of evals in TypeScript; what they take is known when they run.')
    const lint = await project.agentEvals(['lint'], { merged: true })
    expect(lint.all).toMatch(/nobody\.yaml:1:1 +warning +there is no case "nobody"/)
    expect(lint.all).toContain('1 warning (4 cases and 0 free tests in 1 file)')
    const plain = await project.run(['run'], { merged: true })
    expect(plain.all).toContain('agent-evals: 1 file of evals in TypeScript not run; npx vitest --project evals')
    expect(plain.exitCode).toBe(0)
  })

  test('are filters of run, as any line of a test is, and names for show; a plain expectation that fails shows what happened', async () => {
    await using project = await createProject(major, FILES)
    const ran = async (...args: string[]): Promise<{ readonly lines: readonly string[]; readonly all: string }> => {
      const { exitCode, all } = await project.agentEvals(['run', ...args], { merged: true })
      const lines = (await readReports(project)).slice(-1).flatMap(verdicts)
      return { lines: [...lines, `exits with ${exitCode}`], all }
    }
    // A title alone, one with its block, and a line inside of a test.
    const passed = await ran('greets', 'a block > nods', 'hand.eval.ts:13')
    expect(passed.lines, passed.all).toEqual([
      'a block > greets PASS',
      'waves PASS',
      'a block > nods PASS',
      'exits with 0',
    ])
    const { lines, all } = await ran('says bye')
    expect(lines).toEqual(['says bye FAIL', 'exits with 1'])
    expect(all).toContain("expected 'Hello, World' to be 'Goodbye'")
    expect(all).toMatch(/last message:\n +[|│] Hello, World/)
    expect(all).toMatch(/transcript:\n +[|│] \.vitest\/agent-evals\/.+\/transcript\.jsonl/)
    expect(all).toMatch(/run again:\n +[|│] npx vitest-agent-evals run evals\/hand\.eval\.ts:9/)

    const shown = await project.agentEvals(['show', 'says bye'], { merged: true })
    expect(shown.all).toMatch(/✗ says bye +failed/)
    const missed = await project.agentEvals(['run', 'say bye'], { merged: true })
    expect(missed.all).toContain('No case, agent or file matches "say bye". Did you mean "says bye"?')
  })
})
