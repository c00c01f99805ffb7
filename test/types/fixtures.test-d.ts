import { describe, expectTypeOf } from 'vitest'
import {
  expect,
  test,
  type Agent,
  type AgentRun,
  type AgentRunOptions,
  type ContinueOptions,
  type RunWithFiles,
} from '../../src/test.ts'

declare const run: AgentRun
declare const someone: Agent

test('has the fixture and the choices of its block', ({ agent, engine, skill, model, runs, timeout, sandbox }) => {
  expectTypeOf(agent).toEqualTypeOf<Agent>()
  expectTypeOf({ engine, skill, model }).toEqualTypeOf<Record<'engine' | 'model' | 'skill', string | null>>()
  expectTypeOf({ runs, timeout }).toEqualTypeOf<Record<'runs' | 'timeout', number | null>>()
  expectTypeOf(sandbox).toEqualTypeOf<'auto' | 'prefer' | 'bubblewrap' | 'sandbox-runtime' | 'none' | null>()
})

// @ts-expect-error: there is one agent
test('knows no other fixture', ({ agents }) => void agents)

describe('a block', () => {
  test.override({ engine: 'codex', skill: 'pdf-tools', model: 'gpt-5.5', runs: 3, timeout: 300, sandbox: 'none' })
  test.override({ engine: null })
  // @ts-expect-error: a count is a number
  test.override({ runs: '3' })
  // @ts-expect-error: seconds are a number
  test.override({ timeout: '5m' })
  // @ts-expect-error: an engine has a name
  test.override({ engine: 1 })
  // @ts-expect-error: nothing else confines the agent
  test.override({ sandbox: 'docker' })
  // @ts-expect-error: files belong to a run
  test.override({ files: ['theme.txt'] })
  // @ts-expect-error: a word that is close to an option is none
  test.override({ timeouts: 300 })
})

test('a run takes a prompt and options', () => {
  expectTypeOf<Parameters<Agent['run']>[1]>().toEqualTypeOf<AgentRunOptions | undefined>()
  expectTypeOf<ReturnType<Agent['run']>>().toEqualTypeOf<Promise<RunWithFiles>>()
  expectTypeOf<ReturnType<Agent['runs']>>().toEqualTypeOf<Promise<readonly RunWithFiles[]>>()
  // @ts-expect-error: an agent is asked something
  void someone.run()
  // @ts-expect-error: files are a list
  void someone.run('Go.', { files: 'theme.txt' })
  // @ts-expect-error: the content of a file is a text
  void someone.run('Go.', { workspaceFiles: { 'a.txt': 1 } })
  // @ts-expect-error: what is not chosen is left out
  void someone.run('Go.', { engine: null })
  // @ts-expect-error: and not undefined either
  void someone.run('Go.', { model: undefined })
  // @ts-expect-error: there is no such option
  void someone.run('Go.', { file: ['theme.txt'] })
})

test('going on takes a run, and only what a session can change', () => {
  expectTypeOf<Parameters<Agent['continue']>[2]>().toEqualTypeOf<ContinueOptions | undefined>()
  // @ts-expect-error: the run comes first
  void someone.continue('Make it about the sea.')
  // @ts-expect-error: a promise is no run
  void someone.continue(someone.run('Go.'), 'Make it about the sea.')
  // @ts-expect-error: a session stays with its engine
  void someone.continue(run, 'Make it about the sea.', { engine: 'codex' })
})

test('a run is read, not written', () => {
  expectTypeOf(run.output).toEqualTypeOf<string>()
  // @ts-expect-error: what happened stays so
  run.output = 'Hello'
  // @ts-expect-error: there is no such matcher
  expect(run).toHaveUsedTool('Bash')
  // @ts-expect-error: a score has a least value that is a number
  void expect(run).toScoreAtLeast('rubric.md', { min: 'high' })
})
