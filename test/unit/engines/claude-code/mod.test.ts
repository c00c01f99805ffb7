import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { installMod, readMods } from '../../../../src/engines/claude-code/mod.ts'
import type { ModSession } from '../../../../src/engines/hooks/hook-plan.ts'
import { loadPackage } from '../../../../src/packages/load-package.ts'

const NOTHING: ModSession = { module: 'hooks/register.mjs', version: '2.1.330', results: new Map(), texts: [] }

// Lines of the log of Claude Code 2.1.330.
const LOADED = 'hooks module guard@inline loaded (worker, environment 1, tier user); events: tool.check,tool.call'

function settled(event: string, mod = 'guard@inline'): string {
  return `hooks module ${mod} ${event} settled in 2.0ms (worker hop, next() included)`
}

function read(lines: readonly string[], session: Partial<ModSession> = {}): readonly unknown[] {
  const log = lines.map((line) => `2026-11-28T07:14:04.808Z [DEBUG] ${line}\n`).join('')
  const decisions = readMods(log, { ...NOTHING, ...session })
  return decisions.map(({ event, decision, tool, toolCallId, reason, said }) =>
    [event, decision, tool, toolCallId, reason, ...(said ?? []).map(({ text }) => text)].filter(Boolean).join(' '),
  )
}

test('a call that a mod lets through ran its hooks before it and after it', () => {
  const lines = [
    LOADED,
    settled('tool.check'),
    settled('tool.call', 'cc-plugin-agents-md@builtin'),
    settled('tool.call'),
  ]
  expect(read(lines)).toEqual(['pre-tool-use allowed', 'pre-tool-use allowed', 'post-tool-use allowed'])
})

test.for<[what: string, event: string, line: string, expected: string]>([
  [
    'at the check',
    'tool.check',
    'tool.check Bash toolu_1: unevaluated -> deny by plugins guard, cc-plugin-privacy: no rm here',
    'pre-tool-use denied-json Bash toolu_1 no rm here',
  ],
  [
    'by asking',
    'tool.check',
    'tool.check Bash t1: allow -> ask by plugin guard: ask me',
    'pre-tool-use denied-json Bash t1 ask me',
  ],
  [
    'in its place',
    'tool.call',
    'tool.call Bash toolu_1: resolved by a hooks module (deny of 23 chars; reason left out because it can quote tool input)',
    'pre-tool-use denied-json Bash toolu_1 not at the call',
  ],
  ['a prompt', 'prompt.submit', 'prompt.submit: dropped (no prompts today)', 'pre-prompt denied-json no prompts today'],
  ['a sub-agent', 'agent.spawn', 'agent.spawn general-purpose: refused by a hook (no)', 'agent.spawn denied-json no'],
])('what a mod refuses %s', ([what, event, line, expected]) => {
  const results = new Map(
    what === 'in its place' ? [['toolu_1', '<tool_use_error>not at the call</tool_use_error>']] : [],
  )
  expect(read([LOADED, settled(event), line], { results })).toEqual([expected])
})

test('what the CLI or another plugin decides is not the mod', () => {
  const lines = [
    LOADED,
    settled('tool.check'),
    'tool.check Bash t1: unevaluated -> deny by plugin cc-plugin-privacy: private',
    settled('tool.call'),
    'tool.call Read t2: resolved by a hooks module (result)',
  ]
  expect(read(lines)).toEqual(['pre-tool-use allowed', 'pre-tool-use allowed', 'post-tool-use allowed'])
})

test('a handler that throws fails each time, and its reason is said once', () => {
  const failed =
    'hook failed: guard: errorKind=Error errorChars=4 (tool.call; skipped; what is below it ran in its place)'
  const why = 'guard: tool.call hook skipped: threw Error: boom'
  expect(read([LOADED, failed, why, settled('tool.call'), failed, settled('tool.call'), settled('tool.call')])).toEqual(
    [
      'pre-tool-use failed threw Error: boom',
      'pre-tool-use failed threw Error: boom',
      'pre-tool-use allowed',
      'post-tool-use allowed',
    ],
  )
})

test('context that a mod adds to a call is what it told the model', () => {
  const texts = [
    'tool.call hook additional context: words of the mod',
    'PreToolUse:Bash hook additional context: others',
  ]
  expect(read([LOADED, settled('tool.call')], { texts })).toEqual([
    'pre-tool-use allowed words of the mod',
    'post-tool-use allowed',
  ])
})

test.for<[what: string, lines: readonly string[], version: string, expected: string]>([
  [
    'a version without mods',
    [],
    '2.1.150',
    'mod missing Claude Code 2.1.150 did not load hooks/register.mjs; mods need 2.1.287 or newer',
  ],
  [
    'a module that throws',
    ['hooks module guard@inline failed to load: cannot register'],
    '2.1.330',
    'mod missing Claude Code did not load hooks/register.mjs: cannot register',
  ],
  [
    'settings',
    ['hooks module guard@inline not loaded: disableAllHooks in managed settings'],
    '2.1.330',
    'mod missing Claude Code did not load hooks/register.mjs: disableAllHooks in managed settings',
  ],
])('a mod that is not loaded breaks every case: %s', ([, lines, version, expected]) => {
  expect(read(lines, { version })).toEqual([expected])
})

test('a mod is a plugin of its own in the session, with the name and the options of its package', async () => {
  const manifest = { name: 'guard', version: '1.0.0', userConfig: { strict: { type: 'boolean' } }, skills: './more' }
  await using fixture = await createFixture({
    '.claude-plugin/plugin.json': JSON.stringify(manifest),
    'hooks/hooks.json': '{"modules":["./register.mjs"]}',
    'hooks/register.mjs': 'export function register() {}\n',
    'more/wave/SKILL.md': '---\nname: wave\ndescription: Waves.\n---\nWave.\n',
  })
  const { configFiles, configCopies = [], plan } = installMod(await loadPackage(fixture.path.replace(/\/$/, '')))
  expect(Object.fromEntries(configFiles.map(({ to, content }) => [to, JSON.parse(content)]))).toEqual({
    'mod/.claude-plugin/plugin.json': { name: 'guard', version: '1.0.0', userConfig: { strict: { type: 'boolean' } } },
    'mod/hooks/hooks.json': { modules: ['./register.mjs'] },
  })
  expect(configCopies.map(({ to }) => to)).toEqual(['mod'])
  expect(plan).toEqual({ mod: 'hooks/register.mjs' })
})
