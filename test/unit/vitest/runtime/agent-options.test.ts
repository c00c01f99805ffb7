import { expect, test } from 'vitest'
import { chooseRun, type RunChoices } from '../../../../src/vitest/runtime/agent-options.ts'

const BLOCK: RunChoices = { engine: null, skill: 'pdf', model: null, runs: null, timeout: 60, sandbox: null }

test("a run's own options win over those of its block, and an undefined one does not", () => {
  const chosen = chooseRun('Go.', { timeout: 5, skill: undefined as unknown as string, files: ['a.txt'] }, BLOCK)

  expect(chosen).toMatchObject({ timeout: 5, skill: 'pdf', files: ['a.txt'], agent: null, acceptIncomplete: false })
})

test.each<[string, string, Record<string, unknown>, string]>([
  ['no prompt', '   ', {}, 'agent.run() needs a prompt'],
  [
    'an option that does not exist',
    'Go.',
    { timeuot: 5 },
    'The option `timeuot` of agent.run() is not known. Did you mean `timeout`?',
  ],
  ['a timeout of 0', 'Go.', { timeout: 0 }, 'The option `timeout` of agent.run() is 0: must be more than 0.'],
  ['a file outside the folder of the test', 'Go.', { files: ['../secret'] }, 'The option `files.0`'],
  [
    'an unknown sandbox',
    'Go.',
    { sandbox: 'docker' },
    'The option `sandbox` of agent.run() is "docker": expected "auto" or',
  ],
  ['no runs', 'Go.', { runs: 0 }, 'The option `runs` of agent.run() is 0: must be at least 1.'],
  [
    'a number of another type',
    'Go.',
    { timeout: '5' },
    'The option `timeout` of agent.run() is "5": expected a number.',
  ],
])('%s is refused by name', (_, prompt, options, message) => {
  expect(() => chooseRun(prompt, options, BLOCK)).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: expect.stringContaining(message) as string }),
  )
})
