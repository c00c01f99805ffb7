import { expect, test } from 'vitest'
import { whyFull } from '../../../../src/session/first-turn/probe.ts'
import { claudeCode } from '../../../../src/engines/claude-code/engine.ts'
import { codex } from '../../../../src/engines/codex/engine.ts'
import { copilot } from '../../../../src/engines/copilot/engine.ts'
import type { AgentRequest } from '../../../../src/session/agent-request.ts'
import type { ProgramEngine } from '../../../../src/engines/engine.ts'

interface Given {
  readonly engine?: ProgramEngine
  readonly backend?: string
  readonly prompt?: string
  readonly file?: string
  readonly hook?: string
  readonly mcpServers?: readonly object[]
  readonly resume?: () => never
  readonly overlayPaths?: readonly string[]
}

function why(given: Given): string | null {
  const { engine = claudeCode, overlayPaths = [], backend = 'bubblewrap', prompt = 'Write.', mcpServers = [] } = given
  const file = given.file === undefined ? [] : [{ from: '/x', to: given.file }]
  const request = {
    engine: { engine, executable: '/bin/x', version: null },
    sandbox: { backend },
    evalCase: { prompt, files: file, workspaceFiles: [], target: null },
    package: { mcpServers, hookGroups: given.hook === undefined ? [] : [{ event: given.hook }] },
    ...(given.resume === undefined ? {} : { resume: given.resume }),
  }
  return whyFull(request as unknown as AgentRequest, engine.firstTurn, { overlayPaths })
}

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
  ['settings in the overlay', { overlayPaths: ['a/.claude/settings.json'] }, expect.stringContaining('settings.json')],
  ['a command', { prompt: '/notes' }, expect.stringContaining('begins with /')],
])('%s', ([, given, expected]) => {
  expect(why(given)).toEqual(expected)
})
