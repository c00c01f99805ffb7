import { expect, test } from 'vitest'
import { whyFull, type Eligibility } from '../../../../src/session/first-turn/probe.ts'
import { claudeCode } from '../../../../src/engines/claude-code/engine.ts'
import { codex } from '../../../../src/engines/codex/engine.ts'
import { copilot } from '../../../../src/engines/copilot/engine.ts'
import type { AgentRequest } from '../../../../src/session/agent-request.ts'
import type { ProgramEngine } from '../../../../src/engines/engine.ts'

interface Given {
  readonly engine?: ProgramEngine
  readonly version?: string | null
  readonly backend?: string
  readonly prompt?: string
  readonly file?: string
  readonly hook?: string
  readonly mcpServers?: readonly object[]
  readonly resume?: () => never
  readonly eligibility?: Partial<Eligibility>
}

function why(given: Given): string | null {
  const { engine = claudeCode, version = '2.1.330', backend = 'bubblewrap', prompt = 'Write.', mcpServers = [] } = given
  const file = given.file === undefined ? [] : [{ from: '/x', to: given.file }]
  const request = {
    engine: { engine, executable: '/bin/x', version },
    sandbox: { backend },
    evalCase: { prompt, files: file, workspaceFiles: [], target: null },
    package: { mcpServers, hookGroups: given.hook === undefined ? [] : [{ event: given.hook }] },
    ...(given.resume === undefined ? {} : { resume: given.resume }),
  }
  const eligibility = { overlayPaths: [], isVerified: () => false, verifies: false, ...given.eligibility }
  return whyFull(request as unknown as AgentRequest, engine.firstTurn, eligibility)
}

const UNKNOWN = 'claude-code 2.1.331 has not been verified: run once with --triggers verify'

test.for<readonly [string, Given, string | null]>([
  ['an ordinary query', {}, null],
  ['a file that is not shown', { file: 'notes.txt' }, null],
  ['Codex', { engine: codex }, expect.stringContaining('codex')],
  ['Copilot', { engine: copilot }, expect.stringContaining('copilot')],
  ['no sandbox', { backend: 'none' }, expect.stringContaining('(sandbox: none)')],
  ['another sandbox', { backend: 'sandbox-runtime' }, expect.stringContaining('(sandbox: sandbox-runtime)')],
  ['a session that goes on', { resume: () => Promise.reject() as never }, expect.stringContaining('another session')],
  ['MCP servers', { mcpServers: [{}] }, expect.stringContaining('MCP servers')],
  ['a hook that sees the prompt', { hook: 'pre-prompt' }, null],
  ['a hook of another event', { hook: 'setup' }, expect.stringContaining('a hook of setup')],
  ['a hook at the start', { hook: 'session-start' }, null],
  ['a stop hook, which sees the answer', { hook: 'stop' }, null],
  ['a CLAUDE.md of its own', { file: 'docs/CLAUDE.md' }, expect.stringContaining('docs/CLAUDE.md')],
  ['a skill of its own', { file: '.claude/skills/x/SKILL.md' }, expect.stringContaining('SKILL.md')],
  [
    'settings in the overlay',
    { eligibility: { overlayPaths: ['a/.claude/settings.json'] } },
    expect.stringContaining('settings.json'),
  ],
  ['a command', { prompt: '/notes' }, expect.stringContaining('begins with /')],
  ['a version that is not on the list', { version: '2.1.331' }, UNKNOWN],
  ['no version', { version: null }, expect.stringContaining('of an unknown version')],
  ['the run that verifies a version', { version: '2.1.331', eligibility: { verifies: true } }, null],
])('%s', ([, given, expected]) => {
  expect(why(given)).toEqual(expected)
})

test('a version runs by first turns once it is verified, and only that version of that engine', () => {
  const isVerified = (engine: string, version: string): boolean => `${engine} ${version}` === 'claude-code 2.1.331'
  expect(why({ version: '2.1.331', eligibility: { isVerified } })).toBeNull()
  expect(why({ version: '2.1.332', eligibility: { isVerified } })).toBe(UNKNOWN.replace('331', '332'))
})
