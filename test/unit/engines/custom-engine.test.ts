import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { AgentEvalsError } from '../../../src/lib/errors.ts'
import { loadCustomEngine } from '../../../src/engines/custom-engine.ts'
import type { CommandRequest, InstallRequest, ProgramEngine } from '../../../src/engines/engine.ts'

const BASE = `{
  executable: 'mine', wire: 'openai-chat', transport: 'tcp', versionArguments: [],
  runtimeFiles: () => [], parseVersion: () => null,
  install: () => ({ files: [], copies: [], configFiles: [], hookPlan: { packageRoot: '/p', hooks: [] }, warnings: [] }),
  command: () => ({ arguments: [], env: {}, stdin: '' }),
  createReader: () => ({ line: (text) => [{ kind: 'message', agent: null, text }], end: () => ({}) }),
}`

/** Loads an engine that is the smallest one but for these fields, and uses it. */
async function use(name: string, fields: string, work: (engine: ProgramEngine) => unknown): Promise<unknown> {
  await using fixture = await createFixture({ 'mine.mjs': `export default { ...${BASE}, ${fields} }` })
  const file = fixture.getPath('mine.mjs')
  try {
    const engine = await loadCustomEngine(name, { [name]: file })
    return engine === undefined ? undefined : work(engine)
  } catch (error) {
    return error instanceof AgentEvalsError ? [error.code, error.message.replaceAll(file, 'FILE')] : error
  }
}

const INSTALL: (engine: ProgramEngine) => unknown = ({ install }) => install({} as InstallRequest)
const COMMAND: (engine: ProgramEngine) => unknown = ({ command }) => command({} as CommandRequest)
const LINE: (engine: ProgramEngine) => unknown = ({ createReader }) => createReader().line('hi')
const END: (engine: ProgramEngine) => unknown = ({ createReader }) => createReader().end()

test('what an engine of the user’s own returns is passed on', async () => {
  expect(await use('mine', '', COMMAND)).toEqual({ arguments: [], env: {}, stdin: '' })
  expect(await use('mine', '', LINE)).toEqual([{ kind: 'message', agent: null, text: 'hi' }])
})

describe('a mistake of such an engine is told as its own', () => {
  test.for([
    ['install() { throw new Error("no skills.") }', INSTALL, '`install` of FILE threw Error: no skills.'],
    [
      'install: () => undefined',
      INSTALL,
      '`install` of FILE returned an invalid value (Invalid input: expected object, received undefined).',
    ],
    [
      'command: () => ({ arguments: [], env: { A: 1 }, stdin: "" })',
      COMMAND,
      '`command` of FILE returned an invalid value (env.A: Invalid input: expected string, received number).',
    ],
    ['createReader: () => ({})', LINE, '`createReader` of FILE returned an invalid value (line: expected a function).'],
    [
      'createReader: () => ({ line: () => undefined, end: () => ({}) })',
      LINE,
      '`line` of FILE returned an invalid value (Invalid input: expected array, received undefined).',
    ],
    [
      '',
      END,
      '`end` of FILE returned an invalid value (status: Invalid option: expected one of "completed"|"timed-out"|"cancelled"|"api-error"|"limit-reached"|"crashed").',
    ],
  ] as const)('%s', async ([fields, work, problem]) => {
    expect(await use('mine', fields, work)).toEqual(['engine-failed', `The engine "mine" has a mistake: ${problem}`])
  })

  test.for([
    ['mine', "wire: 'http'", 'has no `wire` (anthropic-messages, openai-chat, openai-responses, google).'],
    [
      'mine',
      'install: null, versionArguments: 1',
      'has no `versionArguments` (a list of texts), `install` (a function).',
    ],
    ['codex', '', 'has the name of a built-in engine; rename it.'],
  ] as const)('%s with %s cannot be used', async ([name, fields, problem]) => {
    const refused = ['unsupported-engine', `The engine "${name}" cannot be used: FILE ${problem}`]
    expect(await use(name, fields, INSTALL)).toEqual(refused)
  })
})
