// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { codexFolder, copilotVariables } from '../support/other-engines.ts'
import { bash, createPackage, describeEvals, runEvals, type WrittenTool } from '../support/package-run.ts'

const EVENTS = ['session-start', 'pre-prompt', 'pre-tool-use', 'stop', 'session-end']

const LISTS = { command: 'ls', description: 'Run it' }

const TALK = `name: talk
turns:
  - prompt: Say one.
    expected: { contains: [one] }
  - prompt: Say two.
    expected: { contains: [two] }
`

/** The hooks of each turn of a conversation of two, in the order of the transcript. */
async function hooksByTurn(
  engine: string,
  call: WrittenTool,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const hooks = EVENTS.map((event) => [event, [{ matcher: '', hooks: [{ type: 'command', command: 'true' }] }]])
  await using project = await createPackage({
    cases: {},
    config: { engine },
    files: {
      'hooks/hooks.json': JSON.stringify({ version: 1, hooks: Object.fromEntries(hooks) }),
      'evals/cases/talk.yaml': TALK,
      'evals/scenarios/talk.yaml': JSON.stringify({ turns: [{ tools: [call] }, 'one', { tools: [call] }, 'two'] }),
    },
  })
  const run = await runEvals(project, env)
  expect(run.case('talk').error).toBe(null)
  const turns: string[][] = [[]]
  for (const event of await run.transcript('talk')) {
    if (event.kind === 'prompt' && event.turn > 1) turns.push([])
    if (event.kind === 'hook') turns.at(-1)?.push(event.event)
  }
  return turns.map((events) => events.join(' '))
}

describeEvals('hooks in several turns', () => {
  test('run for each message of the user on Claude Code, and those of the session once', async () => {
    expect(await hooksByTurn('claude-code', bash('ls'))).toEqual([
      'session-start pre-prompt pre-tool-use stop',
      'pre-prompt pre-tool-use stop session-end',
    ])
  })

  test.for(['codex', 'copilot'] as const)('run for each process of a session on %s', async (engine) => {
    const call = engine === 'codex' ? { name: 'exec_command', input: { cmd: 'ls' } } : { name: 'bash', input: LISTS }
    const env = engine === 'codex' ? { AGENT_EVALS_ENGINES: await codexFolder() } : await copilotVariables()
    const turns = await hooksByTurn(engine, call, env)
    // Copilot starts the first two side by side.
    expect(turns.map((events) => events.replace(/^pre-prompt session-start /, 'session-start pre-prompt '))).toEqual([
      'session-start pre-prompt pre-tool-use stop session-end',
      'session-start pre-prompt pre-tool-use stop session-end',
    ])
  })
})
