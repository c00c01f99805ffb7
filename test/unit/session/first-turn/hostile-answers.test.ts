import { createFixture } from 'fs-fixture'
import { expect, onTestFinished, test } from 'vitest'
import { probe, readReply, sendProbe, type ProbeTools } from '../../../../src/session/first-turn/probe.ts'
import { useTemplate } from '../../../../src/session/first-turn/template.ts'
import { claudeCode } from '../../../../src/engines/claude-code/engine.ts'
import { firstTurn } from '../../../../src/engines/claude-code/first-turn.ts'
import { acquireLease } from '../../../../src/gateway/control/client.ts'
import { startGateway } from '../../../../src/gateway/gateway.ts'
import { agentPackage, skillOf } from '../../../support/agent-package.ts'
import { askFor } from '../../../support/gateway.ts'
import { startRawUpstream, type RawAnswer } from '../../../support/raw-upstream.ts'
import { skill } from '../../../support/skill-project.ts'
import type { FirstDecision } from '../../../../src/engines/engine.ts'
import type { AgentRequest } from '../../../../src/session/agent-request.ts'

const BODY = {
  model: 'claude-opus-5-5',
  max_tokens: 10,
  stream: true,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Write.' }] }],
}

/** A query, and an upstream that answers its first request like this. */
async function prepare(answer: RawAnswer, deadlineMs = 20_000): Promise<{ request: AgentRequest; tools: ProbeTools }> {
  const fixture = await createFixture({ 'skills/notes/SKILL.md': skill('notes', 'Writes notes.') })
  const root = fixture.path
  const upstream = await startRawUpstream(() => answer)
  const gateway = await startGateway({
    concurrency: 1,
    maxCostUsd: 1000,
    environment: { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-ant-api03-real' },
  })
  onTestFinished(async () => {
    await fixture.rm()
    await gateway.close()
    await upstream[Symbol.asyncDispose]()
  })
  const { signal } = new AbortController()
  const source = { kind: 'live' } as const
  const request = {
    label: 'suite#query (run 1)',
    engine: { engine: claudeCode, executable: process.execPath, version: '2.1.330' },
    suite: { file: '/repo/evals/x.json', config: { network: false } },
    evalCase: { prompt: 'Write.', files: [], workspaceFiles: [], target: null },
    package: agentPackage(root, { skills: [skillOf(root, 'notes')] }),
    sandbox: { backend: 'bubblewrap', asked: 'auto', enforced: 'bubblewrap' },
    source,
    model: null,
    controlSocket: gateway.controlSocket,
    deadlineMs,
    signal,
  } as unknown as AgentRequest
  const template = useTemplate({
    request: { path: '/v1/messages', headers: {}, body: JSON.stringify(BODY), thread: 'main' },
    leaseRequest: askFor(source),
    over: Promise.resolve(),
    prompt: 'Write.',
    ids: [],
    offered: ['notes', 'letters'],
    hooks: [],
    isOwn: false,
  })
  const isSubject = (name: string): boolean => name === 'notes'
  const plan = { mode: 'auto', key: '', others: [], overlayPaths: [], isSubject } as const
  return { request, tools: { rules: firstTurn, template, plan } }
}

/** What an answer decides. */
async function decisionOf(answer: RawAnswer): Promise<FirstDecision> {
  const { request, tools } = await prepare(answer)
  const { request: sent, leaseRequest } = tools.template
  const lease = await acquireLease(request.controlSocket, { ...leaseRequest, firstTurn: 'probe' }, request.signal)
  const reply = await sendProbe(lease.grant, sent, request.signal)
  await lease.release()
  return readReply(reply, tools, request.package).decision
}

const json = (message: object): RawAnswer => ({
  type: 'application/json',
  body: JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', model: BODY.model, ...message }),
})
const calls = (...content: readonly object[]): RawAnswer => json({ content, stop_reason: 'tool_use', usage: USAGE })
const use = (name: unknown): object => ({ type: 'tool_use', id: 'toolu_1', name: 'Skill', input: { skill: name } })
const USAGE = { input_tokens: 1, output_tokens: 1 }
const START = `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: BODY.model, content: [], stop_reason: null, usage: USAGE } })}\n\n`
const delta = (text: string): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`
const words = json({ content: [{ type: 'text', text: 'Here it is.' }], stop_reason: 'end_turn', usage: USAGE })

function* endless(): Iterable<string> {
  yield START
  for (;;) yield delta('x'.repeat(100_000))
}

const NO_ANSWER = 'the API gave no complete answer'

test.for<readonly [string, RawAnswer, string]>([
  [
    'an endless stream',
    { type: 'text/event-stream', body: endless() },
    'the answer is larger than 4 MiB, which is too large to keep',
  ],
  [
    'a huge answer',
    json({ content: [{ type: 'text', text: 'x'.repeat(5_000_000) }], stop_reason: 'end_turn' }),
    'the answer is larger than 4 MiB, which is too large to keep',
  ],
  ['a stream that breaks off', { type: 'text/event-stream', body: [START, delta('Here')] }, NO_ANSWER],
  [
    'a stream of no JSON',
    { type: 'text/event-stream', body: [`${START}event: content_block_start\ndata: {"type": "content\n\n`] },
    NO_ANSWER,
  ],
  ['a stream called JSON', { type: 'application/json', body: START + delta('Here it is.') }, NO_ANSWER],
  ['JSON called a stream', { ...words, type: 'text/event-stream' }, NO_ANSWER],
  ['a page', { type: 'text/html', body: '<h1>Not here</h1>' }, NO_ANSWER],
  ['no type', { type: '', body: '' }, NO_ANSWER],
  ['another JSON', { type: 'application/json', body: '[1, 2, 3]' }, NO_ANSWER],
  ['content of another kind', json({ content: 'Here it is.', stop_reason: 'end_turn' }), NO_ANSWER],
  ['a compressed answer that is none', { ...words, headers: { 'content-encoding': 'gzip' } }, NO_ANSWER],
])('a hostile upstream decides nothing by %s', async ([, answer, because]) => {
  expect(await decisionOf(answer)).toEqual({ kind: 'undecided', because })
})

test.for<readonly [string, RawAnswer, string]>([
  ['a skill that is not offered', calls(use('other')), 'the model called the skill "other", which is not offered'],
  ['a skill of no text', calls(use(['notes'])), 'the call of the skill cannot be read'],
  [
    'a name with control characters',
    calls(use('notes\u001B[2J')),
    'the model called the skill "notes\\u001b[2J", which is not offered',
  ],
  [
    'a name without end',
    calls(use('n'.repeat(100_000))),
    expect.stringMatching(/^the model called the skill "n{59}…", which is not offered$/),
  ],
  [
    'two skills with the right one second',
    calls(use('letters'), use('notes')),
    'the model first called another skill, letters',
  ],
  [
    'a tool with a name without end',
    calls({ ...use('notes'), name: 'T'.repeat(100_000) }),
    expect.stringMatching(/^the model first called "T{59}…"$/),
  ],
  [
    'a tool with a name that a terminal acts on',
    calls({ ...use('notes'), name: 'Bash\u001B[2J\n' }),
    'the model first called "Bash\\u001b[2J\\n"',
  ],
  [
    'a stop reason without end',
    json({ content: [{ type: 'text', text: 'x' }], stop_reason: 'e'.repeat(100_000) }),
    expect.stringMatching(/^the answer ended with "e{59}…"$/),
  ],
  [
    'a block of a kind without end',
    json({ content: [{ type: 'k'.repeat(100_000) }], stop_reason: 'end_turn' }),
    expect.stringMatching(/^the answer contains a block of the kind "k{59}…"$/),
  ],
])('%s is undecided, with a reason of one line', async ([, answer, because]) => {
  expect(await decisionOf(answer)).toEqual({ kind: 'undecided', because })
})

test('two calls of skills with the right one first are a use of it', async () => {
  const { request, tools } = await prepare(calls(use('notes'), use('letters')))
  const { decided, run } = await probe(request, tools)
  expect(decided).toEqual({ by: 'probe', because: null })
  expect(run.transcript.filter(({ kind }) => kind === 'skill-used')).toMatchObject([{ skill: 'notes' }])
})

test('odd headers do not change what an answer decides', async () => {
  const headers = {
    'x-long': 'v'.repeat(8000),
    'x-latin': 'gr\u00FC\u00DFe',
    'x-empty': '',
    'set-cookie': 'a=b',
    'content-language': '\t',
    __proto__: 'x',
    'retry-after': '99999999999',
  }
  expect(await decisionOf({ ...words, headers })).toEqual({ kind: 'ended' })
})

test('an answer that never comes is one of a run that took too long', async () => {
  const { request, tools } = await prepare({ body: null }, 300)
  const { decided, run } = await probe(request, tools)
  expect([run.status, decided]).toEqual(['timed-out', { by: 'probe', because: 'the API gave no complete answer' }])
})
