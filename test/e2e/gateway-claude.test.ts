// @module-tag claude-code
// @module-tag slow
import { fileURLToPath } from 'node:url'
import { trafficOf } from '../../src/engines/registry.ts'
import { createFixture } from 'fs-fixture'
import { expect, onTestFinished, test } from 'vitest'
import { runProcess } from '../../src/sandbox/process/run-process.ts'
import { acquireLease, type AcquiredLease } from '../../src/gateway/control/client.ts'
import { startGateway } from '../../src/gateway/gateway.ts'
import type { LeaseRequest } from '../../src/gateway/leases/lease.ts'
import { askFor } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const CLAUDE = fileURLToPath(new URL('../../node_modules/.bin/claude', import.meta.url))

interface Told {
  readonly type: string
  readonly is_error?: boolean
  readonly result?: string
  readonly subtype?: string
  readonly message?: {
    readonly content: readonly { readonly type: string; readonly text?: string; readonly content?: unknown }[]
  }
}

interface RunOptions {
  readonly tcp?: boolean
  /** Of the gateway. */
  readonly environment?: Record<string, string>
  readonly workspace?: Record<string, string>
}

/** Runs the real CLI in a fresh workspace under a lease, and returns what it told. */
async function runClaude(asked: LeaseRequest, options: RunOptions = {}) {
  const gateway = await startGateway({
    concurrency: 1,
    maxCostUsd: 10,
    environment: options.environment ?? {},
    traffic: trafficOf(),
  })
  onTestFinished(() => gateway.close())
  const fixture = await createFixture({
    workspace: { '.keep': '', ...options.workspace },
    'home/.keep': '',
    'config/.keep': '',
    'tmp/.keep': '',
  })
  onTestFinished(() => fixture.rm())
  const lease = await acquireLease(gateway.controlSocket, { ...asked, port: true }, new AbortController().signal)
  const events: Told[] = []
  const result = await runProcess(
    CLAUDE,
    [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--setting-sources',
      'project',
      '--permission-mode',
      'bypassPermissions',
      '--forward-subagent-text',
    ],
    {
      env: environmentOf(fixture.path, lease, options.tcp ?? false),
      cwd: fixture.getPath('workspace'),
      stdin: 'Do it.',
      onLine: (line) => void events.push(JSON.parse(line)),
      onSpawn: (pid) => void lease.reportPid(pid),
    },
  )
  const meter = await lease.meter()
  await lease.release()
  return {
    result: events.findLast((event) => event.type === 'result'),
    events,
    exitCode: result.exitCode,
    meter,
    files: fixture,
  }
}

function environmentOf(root: string, { grant }: AcquiredLease, tcp: boolean): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    HOME: `${root}/home`,
    CLAUDE_CONFIG_DIR: `${root}/config`,
    TMPDIR: `${root}/tmp`,
    IS_SANDBOX: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_MAX_RETRIES: '3',
    DISABLE_AUTOUPDATER: '1',
    AGENT_EVALS_RUN: grant.id,
    // The model that it takes by itself may be too new to have a price.
    ...Object.fromEntries(
      Object.entries(grant.aliases ?? {}).map(([alias, id]) => [`ANTHROPIC_DEFAULT_${alias.toUpperCase()}_MODEL`, id]),
    ),
    ...(grant.credential === 'oauth' ? { CLAUDE_CODE_OAUTH_TOKEN: grant.token } : { ANTHROPIC_API_KEY: grant.token }),
    ...(tcp
      ? { ANTHROPIC_BASE_URL: `http://127.0.0.1:${grant.port}` }
      : { ANTHROPIC_BASE_URL: 'http://model.invalid', ANTHROPIC_UNIX_SOCKET: grant.socket }),
  }
}

const NOTHING_TOLD = { usage: null, costUsd: 0, problems: [], stopReason: 'end-turn' }

test.for([false, true])('claude hears the text of a scenario (TCP: %s)', { tags: ['claude-code'] }, async (tcp) => {
  const run = await runClaude(askFor('turns: [Hello from the scenario.]'), { tcp })
  expect(run.result).toMatchObject({ subtype: 'success', is_error: false, result: 'Hello from the scenario.' })
  expect(run.meter).toEqual({ ...NOTHING_TOLD, requests: 1, model: 'scenario' })
})

test('claude runs the tools of a scenario for real', { tags: ['claude-code'] }, async () => {
  const run = await runClaude(
    askFor(`
model: claude-opus-5-5
turns:
  - text: I write.
    tools:
      - { name: Bash, input: { command: printf one > one.txt, description: Write } }
      - { name: Bash, input: { command: printf two > two.txt, description: Write } }
  - Done.
`),
  )
  expect(run.result).toMatchObject({ is_error: false, result: 'Done.' })
  expect(await run.files.readFile('workspace/one.txt', 'utf8')).toBe('one')
  expect(await run.files.readFile('workspace/two.txt', 'utf8')).toBe('two')
  expect(run.meter).toEqual({ ...NOTHING_TOLD, requests: 2, model: 'claude-opus-5-5' })
})

test('two sub-agents with the same prompt get an answer list each', { tags: ['claude-code'] }, async () => {
  const run = await runClaude(
    askFor(`
turns:
  - tools:
      - name: Agent
        input: { description: first, prompt: Write a file., subagent_type: general-purpose }
        turns:
          - tools: [{ name: Bash, input: { command: echo >> first.txt, description: Write } }]
          - First report.
      - name: Agent
        input: { description: second, prompt: Write a file., subagent_type: general-purpose }
        turns:
          - tools: [{ name: Bash, input: { command: echo >> second.txt, description: Write } }]
          - Second report.
  - Both are done.
`),
  )
  expect(run.result).toMatchObject({ is_error: false, result: 'Both are done.' })
  const written = await Promise.all(
    ['first', 'second'].map((name) => run.files.readFile(`workspace/${name}.txt`, 'utf8')),
  )
  expect(written).toEqual(['\n', '\n'])
  expect(run.meter).toEqual({ ...NOTHING_TOLD, requests: 6, model: 'scenario' })
})

test('claude gives up at once past the end of a scenario', { tags: ['claude-code'] }, async () => {
  const run = await runClaude(
    askFor(`turns:
  - tools: [{ name: Bash, input: { command: echo hi, description: Say } }]
`),
  )
  const message =
    '/package/evals/scenarios/case.yaml:2: the main thread sent another request after its last turn in the scenario. The last message was the result of a tool: "hi". Add a turn that answers it.'
  expect(run.exitCode).toBe(1)
  expect(run.result).toMatchObject({ is_error: true })
  expect(run.result?.result).toContain(message)
  expect(run.meter).toEqual({
    requests: 2,
    stopReason: 'tool-calls',
    usage: null,
    model: 'scenario',
    costUsd: 0,
    problems: [{ code: 'scenario-exhausted', message }],
  })
})

test('a skill that forks answers from the turns of its call', { tags: ['claude-code'] }, async () => {
  const run = await runClaude(
    askFor(`
turns:
  - tools:
      - name: Skill
        input: { skill: count-pages }
        turns:
          - tools: [{ name: Bash, input: { command: echo 3 > pages.txt, description: Count } }]
          - Three pages.
  - It has three pages.
`),
    {
      workspace: {
        '.claude/skills/count-pages/SKILL.md':
          '---\nname: count-pages\ndescription: Counts pages.\ncontext: fork\n---\nCount the pages.\n',
      },
    },
  )
  expect(run.result).toMatchObject({ is_error: false, result: 'It has three pages.' })
  expect(await run.files.readFile('workspace/pages.txt', 'utf8')).toBe('3\n')
  expect(run.meter).toEqual({ ...NOTHING_TOLD, requests: 4, model: 'scenario' })
})

test('a prompt hook is answered beside the main thread', { tags: ['claude-code'] }, async () => {
  const hook = { type: 'prompt', prompt: 'Is this command harmless? $ARGUMENTS' }
  const settings = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } }
  const run = await runClaude(
    askFor(`
turns:
  - tools: [{ name: Bash, input: { command: echo ran > ran.txt, description: Say } }]
  - Never said.
side:
  - '{"ok": false, "reason": "not today"}'
`),
    { workspace: { '.claude/settings.json': JSON.stringify(settings) } },
  )
  expect(JSON.stringify(run.events)).toContain('not today')
  expect(await run.files.exists('workspace/ran.txt')).toBe(false)
  expect(run.meter).toEqual({ ...NOTHING_TOLD, requests: 2, model: 'scenario', stopReason: 'tool-calls' })

  // One of the end is sent below the whole conversation, and is no turn of it either.
  const stop = { hooks: { Stop: [{ hooks: [{ type: 'prompt', prompt: 'Are all tasks complete?' }] }] } }
  const ended = await runClaude(askFor(`turns: [Done.]\nside: ['{"ok": true}']`), {
    workspace: { '.claude/settings.json': JSON.stringify(stop) },
  })
  expect(ended.result).toMatchObject({ is_error: false, result: 'Done.' })
  expect(ended.meter).toEqual({ ...NOTHING_TOLD, requests: 2, model: 'scenario' })
})

test.for([
  { name: 'ANTHROPIC_API_KEY', seen: { 'x-api-key': 'sk-real-1234567890' } },
  { name: 'CLAUDE_CODE_OAUTH_TOKEN', seen: { authorization: 'Bearer sk-real-1234567890' } },
])('claude talks to the real API through the gateway with $name', { tags: ['claude-code'] }, async ({ name, seen }) => {
  await using upstream = await startUpstream([{ stream: 'Hello ', rest: 'from above.' }])
  const environment = { ANTHROPIC_BASE_URL: `${upstream.url}/prefix`, [name]: 'sk-real-1234567890' }
  const run = await runClaude(askFor({ kind: 'live' }), { environment })
  expect(run.result).toMatchObject({ is_error: false, result: 'Hello from above.' })
  expect(run.meter).toEqual({
    requests: 1,
    stopReason: 'end-turn',
    usage: { inputTokens: 11, outputTokens: 7, cacheReadTokens: 3, cacheWriteTokens: 2 },
    model: 'claude-upstream-1',
    // No price is known for the model that answers, so that the budget is charged in full.
    costUsd: expect.any(Number),
    problems: [],
  })
  const [request] = upstream.requests
  expect(request).toMatchObject({
    url: '/prefix/v1/messages?beta=true',
    headers: { ...seen, 'accept-encoding': 'identity' },
  })
  expect(
    Object.keys(request?.headers ?? {}).filter((header) => header === 'x-api-key' || header === 'authorization'),
  ).toEqual(Object.keys(seen))
})

test('a rejected key is a problem of the run and not in any text', { tags: ['claude-code'] }, async () => {
  await using upstream = await startUpstream([{ status: 403, message: 'no access for sk-real-1234567890' }])
  const environment = { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-real-1234567890' }
  const run = await runClaude(askFor({ kind: 'live' }), { environment })
  expect(run.result).toMatchObject({ is_error: true })
  expect(JSON.stringify(run)).not.toContain('sk-real-1234567890')
  expect(run.meter.problems).toEqual([
    {
      code: 'upstream-failed',
      message: `The API at ${new URL(upstream.url).host} answered 403: permission_error: no access for ******************. Check what the credential may be used for.`,
    },
  ])
})
