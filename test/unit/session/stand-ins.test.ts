import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findMockedCalls, mocksOnlyPlugins, planStandIns } from '../../../src/session/stand-ins.ts'
import { isRefusal } from '../../../src/session/plugin-session.ts'
import { answerCall } from '../../../src/engines/mocks/mock-answer.ts'
import { registeredName, type MockSpecTool } from '../../../src/engines/mocks/mock-spec.ts'
import { openTrackedFs } from '../../../src/lib/documents/read-text.ts'
import { loadMocks } from '../../../src/formats/plugin-eval/mocks.ts'
import type { JsonObject } from '../../../src/lib/json.ts'
import type { UnnumberedEvent } from '../../../src/transcript/transcript.ts'
import type { FsFixture } from 'fs-fixture'

const PLUGIN = {
  root: '/greeter',
  manifest: { file: '/greeter/.claude-plugin/plugin.json', name: 'greeter', version: null, raw: {} },
  mcpServers: [
    { name: 'tracker', config: {} },
    { name: 'mail', config: {} },
  ],
}

async function plan(fixture: FsFixture, hasPlugin: boolean): Promise<ReturnType<typeof planStandIns>> {
  const { servers } = await loadMocks([fixture.path.replace(/\/$/, '')], openTrackedFs())
  return planStandIns({ mocks: servers, plugins: [PLUGIN], hasPlugins: hasPlugin })
}

test('each server of the plugin has a stand-in, so that none is started; others stand alone', async () => {
  await using fixture = await createFixture({
    'mocks/tracker/create.md': 'ok',
    'mocks/wiki/read.md': 'page',
  })
  const words = (standIns: ReturnType<typeof planStandIns>): readonly string[] =>
    standIns.map(({ name, plugin, spec }) => `${name} ${plugin} ${spec.tools.map((tool) => tool.name).join()}`)
  expect(words(await plan(fixture, true))).toEqual(['tracker greeter create', 'mail greeter ', 'wiki null read'])
  expect(words(await plan(fixture, false))).toEqual(['wiki null read'])
})

test('answers are filled in from the call and from files, and never leave their folder', async () => {
  await using fixture = await createFixture({
    'mocks/tracker/get.md': '{{input.id}} {{input.nested.x}} {{ file:data/{input.id}.json }}',
    'mocks/tracker/data/7.json': '{"seven": true}',
    'secret.json': 'secret',
  })
  const [tracker] = await plan(fixture, true)
  const [tool] = tracker?.spec.tools ?? []
  const answer = (input: unknown): string => JSON.stringify(answerOf(tool, input))
  expect(answer({ id: '7', nested: { x: [1] } })).toBe(
    JSON.stringify({ verdict: 'ok', output: '7 [1] {"seven": true}' }),
  )
  expect(answer({ id: '..' })).toContain('is not a plain file-name segment')
  expect(answer({ id: '8' })).toContain('{{file:data/8.json}}: no such fixture')
  expect(answer({ id: 'a/../../..' })).toContain('tool_error')
})

function answerOf(tool: MockSpecTool | undefined, input: unknown): ReturnType<typeof answerCall> | null {
  return tool === undefined
    ? null
    : answerCall(tool.responder, { server: 'tracker', tool: tool.name, input, earlier: [] })
}

test('a violated expectation ends the run, before anything is answered', async () => {
  await using fixture = await createFixture({ 'mocks/tracker/create.md': '---\nexpect: { project: CORE }\n---\nok' })
  const [tracker] = await plan(fixture, true)
  expect(answerOf(tracker?.spec.tools[0], { project: 'X' })).toEqual({
    verdict: 'abort',
    output: `the model's call violates expect: project = "X" is not "CORE"`,
  })
})

test('the calls of mocks are those that the model made, with the answers that it got', async () => {
  await using fixture = await createFixture({
    'mocks/tracker/create.md': '---\nexpect: { project: CORE }\n---\nfiled {{input.title}}',
  })
  const standIns = await plan(fixture, true)
  const made = (tool: string, input: JsonObject, text: string, part: object = {}): readonly UnnumberedEvent[] => [
    { kind: 'tool-call', agent: null, id: 'c', tool, input },
    { kind: 'tool-result', agent: null, id: 'c', text, isError: false, blockedBy: null, ...part },
  ]
  const bug = { project: 'CORE', title: 'Bug' }
  const filed = { server: 'tracker', tool: 'mcp__plugin_greeter_tracker__create', input: bug, verdict: 'ok' }
  for (const tool of ['mcp__plugin_greeter_tracker__create', 'mcp__tracker__create', 'tracker-create'])
    expect(findMockedCalls(made(tool, bug, 'filed Bug'), standIns)).toEqual({
      calls: [{ ...filed, output: 'filed Bug' }],
      problem: null,
    })
  const none = { calls: [], problem: null }
  const create = 'mcp__tracker__create'
  expect(findMockedCalls(made('create', bug, 'filed Bug'), standIns)).toEqual(none)
  expect(findMockedCalls(made(create, bug, 'no', { isError: true, blockedBy: 'hook' }), standIns)).toEqual(none)
  expect(findMockedCalls(made(create, bug, 'no such tool', { isError: true }), standIns)).toEqual(none)
  expect(findMockedCalls(made(create, bug, 'refused'), standIns)?.problem).toBe(
    'The gateway saw the model get another answer to the call of mcp__tracker__create (c) than its mock gives.',
  )
  const aborted = made(create, { project: 'X' }, 'eval aborted by mock n: project = "X" is not "CORE"', {
    isError: true,
  })
  const said = findMockedCalls(aborted, standIns)
  expect(said?.problem).toBeNull()
  expect(findMockedCalls(made(create, bug, 'filed Bug'), [])).toBeNull()
})

test('servers of several plugins keep their plugin in their names, also where they share one', async () => {
  await using fixture = await createFixture({ 'mocks/plugin_other_tracker/create.md': 'ok' })
  const { servers } = await loadMocks([fixture.path.replace(/\/$/, '')], openTrackedFs())
  const other = { ...PLUGIN, manifest: { ...PLUGIN.manifest, name: 'other' }, root: '/other' }
  const planned = planStandIns({ mocks: servers, plugins: [PLUGIN, other], hasPlugins: true })
  expect(planned.map((one) => `${registeredName(one)} ${one.tools.join()}`)).toEqual([
    'plugin:greeter:tracker ',
    'plugin:greeter:mail ',
    'plugin:other:tracker create',
    'plugin:other:mail ',
  ])
  expect(mocksOnlyPlugins(servers, [PLUGIN, other])).toBe(true)
  expect(mocksOnlyPlugins(servers, [PLUGIN])).toBe(false)
  expect(mocksOnlyPlugins([], [PLUGIN])).toBe(false)
})

test('a call that a mock refuses ends the run, and no other answer does', () => {
  const ends = isRefusal('n1')
  const result = (text: string): UnnumberedEvent => {
    return { kind: 'tool-result', agent: null, id: 't1', text, isError: true, blockedBy: null }
  }
  expect(ends(result('eval aborted by mock n1: tracker/create — no'))).toBe(true)
  expect(ends(result('eval aborted by mock n2: tracker/create — no'))).toBe(false)
  expect(ends({ kind: 'message', agent: null, text: 'eval aborted by mock n1: x' })).toBe(false)
})
