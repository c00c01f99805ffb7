import { expect, test } from 'vitest'
import { chooseRun, type RunChoices } from '../../../../src/vitest/runtime/agent-options.ts'

const BLOCK: RunChoices = { engine: null, skill: 'pdf', model: null, runs: null, timeout: 60, sandbox: null }

test("a run's own options win over those of its block, and an undefined one does not", () => {
  const chosen = chooseRun('Go.', { timeout: 5, skill: undefined as unknown as string, files: ['a.txt'] }, BLOCK)

  expect(chosen).toMatchObject({ timeout: 5, skill: 'pdf', files: ['a.txt'], agent: null, acceptIncomplete: false })
})

const REFUSED: readonly [what: string, prompt: string, options: Record<string, unknown>][] = [
  ['no prompt', '   ', {}],
  ['an option that does not exist', 'Go.', { timeuot: 5 }],
  ['a timeout of 0', 'Go.', { timeout: 0 }],
  ['a file outside the folder of the test', 'Go.', { files: ['../secret'] }],
  ['an unknown sandbox', 'Go.', { sandbox: 'docker' }],
  ['no runs', 'Go.', { runs: 0 }],
  ['a number of another type', 'Go.', { timeout: '5' }],
]

test('what cannot be run is refused in plain words, by the name of the option', () => {
  const messages = REFUSED.map(([what, prompt, options]) => {
    try {
      chooseRun(prompt, options, BLOCK)
      return [what, 'accepted']
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid-options' })
      return [what, (error as Error).message]
    }
  })
  expect(Object.fromEntries(messages)).toMatchInlineSnapshot(`
    {
      "a file outside the folder of the test": "The option \`files.0\` of agent.run() is "../secret": the path leaves the folder with "..".",
      "a number of another type": "The option \`timeout\` of agent.run() is "5": expected a number.",
      "a timeout of 0": "The option \`timeout\` of agent.run() is 0: must be more than 0.",
      "an option that does not exist": "The option \`timeuot\` of agent.run() is not known. Did you mean \`timeout\`?",
      "an unknown sandbox": "The option \`sandbox\` of agent.run() is "docker": expected "auto" or "prefer" or "bubblewrap" or "sandbox-runtime" or "none".",
      "no prompt": "agent.run() needs a prompt.",
      "no runs": "The option \`runs\` of agent.run() is 0: must be at least 1.",
    }
  `)
})
