// @module-tag claude-code
// @module-tag slow
import { test } from 'vitest'
import { hookDecisions } from '../../src/transcript/select.ts'
import { EVERY_SPELLING, spellingsOf } from '../support/hook-payloads.ts'
import { describeClaude, runSession, type Session } from '../support/claude-code-session.ts'
import type { HookDecision } from '../../src/transcript/transcript.ts'
import type { ReceivedRequest, Turn } from '../support/messages-server.ts'

function hooksJson(
  hooks: Readonly<Record<string, readonly { command: string; timeout?: number; matcher?: string }[]>>,
): string {
  const groups = Object.entries(hooks).map(([event, list]) => [
    event,
    list.map(({ matcher, ...hook }) => ({
      ...(matcher === undefined ? {} : { matcher }),
      hooks: [{ type: 'command', ...hook }],
    })),
  ])
  return JSON.stringify({ version: 1, hooks: Object.fromEntries(groups) as object })
}

/** One call of Write, then an end. */
function writeThenEnd({ index }: ReceivedRequest): Turn {
  return index === 0 ? { tools: [{ name: 'Write', input: { file_path: 'out.txt', content: 'x' } }] } : { text: 'done' }
}

function decisionsOf(session: Session, event?: string): readonly HookDecision[] {
  return hookDecisions(session, event).map(({ decision }) => decision)
}

describeClaude('hooks in the real Claude Code', () => {
  // `permission-request` and `notification` do not fire without a person.
  const script =
    'cat >> "$CLAUDE_PROJECT_DIR/../tmp/payloads.jsonl"; echo >> "$CLAUDE_PROJECT_DIR/../tmp/payloads.jsonl"'
  const events = [
    'pre-tool-use',
    'post-tool-use',
    'pre-prompt',
    'session-start',
    'session-end',
    'stop',
    'sub-agent-end',
    'permission-request',
    'notification',
  ]

  test('each event that fires headless fires once and sees both spellings', async ({ expect }) => {
    const session = await runSession({
      package: {
        'hooks/hooks.json': hooksJson(Object.fromEntries(events.map((event) => [event, [{ command: script }]]))),
      },
      script: ({ index, isSubAgent }) => {
        if (isSubAgent) return { text: 'sub' }
        return index === 0
          ? {
              text: 'first',
              tools: [{ name: 'Agent', input: { description: 'd', prompt: 'p', subagent_type: 'general-purpose' } }],
            }
          : { text: 'last' }
      },
      keep: ['tmp/payloads.jsonl'],
    })

    const payloads = (session.read('tmp/payloads.jsonl') ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(spellingsOf(session.read('tmp/payloads.jsonl') ?? '')).toEqual(EVERY_SPELLING)
    expect(payloads.every((payload) => payload['sessionId'] === session.summary.sessionId)).toBe(true)
    expect(payloads.find((payload) => payload['hookEventName'] === 'post-tool-use')).toMatchObject({
      toolResponse: { status: 'completed' },
      toolInput: { prompt: 'p' },
    })
    expect(
      session.transcript.map((event) => (event.kind === 'hook' ? `${event.event} ${event.decision}` : event.kind)),
    ).toEqual([
      'session-start allowed',
      'pre-prompt allowed',
      'message',
      'tool-call',
      'pre-tool-use allowed',
      // The sub-agent's.
      'message',
      'tool-result',
      'post-tool-use allowed',
      'message',
      'sub-agent-end allowed',
      'stop allowed',
      'session-end allowed',
    ])
  })

  test('pre-compact fires too', async ({ expect }) => {
    const session = await runSession({
      package: { 'hooks/hooks.json': hooksJson({ 'pre-compact': [{ command: script }] }) },
      workspace: { 'big.txt': 'word '.repeat(20_000) },
      command: {
        model: 'haiku',
        env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '10000', CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '5' },
      },
      script: ({ index }) =>
        index < 2 ? { text: 'more', tools: [{ name: 'Read', input: { file_path: 'big.txt' } }] } : { text: 'done' },
      keep: ['tmp/payloads.jsonl'],
    })
    expect(JSON.parse((session.read('tmp/payloads.jsonl') ?? '').split('\n')[0] ?? '')).toMatchObject({
      hookEventName: 'pre-compact',
      hook_event_name: 'PreCompact',
      trigger: 'auto',
    })
  })

  const deny = JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'pre-tool-use',
      permissionDecision: 'deny',
      permissionDecisionReason: 'by policy',
    },
  })
  test.for<[string, { command: string; timeout?: number }, HookDecision, boolean]>([
    ['exit 0', { command: 'exit 0' }, 'allowed', true],
    ['exit 2', { command: 'echo "blocked: protected path" >&2; exit 2' }, 'blocked-exit-2', false],
    ['a JSON denial', { command: `echo '${deny}'` }, 'denied-json', false],
    ['a JSON denial of another event', { command: `echo '${deny.replace('pre-tool', 'post-tool')}'` }, 'invalid', true],
    ['a decision in another word', { command: `echo '{"decision":"deny","reason":"no"}'` }, 'invalid', true],
    // It ends the session, and the call is carried out before.
    ['an end of the session', { command: `echo '{"continue":false,"stopReason":"no"}'` }, 'invalid', true],
    [
      'a JSON answer after text',
      { command: `echo Checking; echo '{"decision":"block","reason":"no"}'` },
      'invalid',
      true,
    ],
    ['exit 1', { command: 'echo oops >&2; exit 1' }, 'failed', true],
    ['a timeout', { command: 'sleep 30', timeout: 1 }, 'timed-out', true],
    ['a missing script', { command: 'bash ${PACKAGE_ROOT}/hooks/gone.sh' }, 'missing', true],
  ])('%s is a decision of its own', async ([, hook, decision, isWritten], { expect }) => {
    const session = await runSession({
      package: { 'hooks/hooks.json': hooksJson({ 'pre-tool-use': [{ matcher: 'Write|Edit', ...hook }] }) },
      script: writeThenEnd,
      keep: ['workspace/out.txt'],
    })
    expect(decisionsOf(session)).toEqual([decision])
    expect(session.read('workspace/out.txt')).toBe(isWritten ? 'x' : null)
    const results = session.transcript.filter((event) => event.kind === 'tool-result')
    expect(results.map(({ blockedBy }) => blockedBy)).toEqual([isWritten ? null : 'hook'])
    const output = hook.command.includes('continue') ? '' : 'done'
    expect(session.summary).toMatchObject({ status: 'completed', output })
    // The CLI itself says so of some answers that it ignores.
    if (decision !== 'invalid') expect(session.summary.hooksWithoutVerdict).toBe(0)
  })

  test('a stop hook that blocks sends the agent on, in either way', async ({ expect }) => {
    const once = (block: string): string =>
      `test -e "$CLAUDE_PROJECT_DIR/../tmp/done" || { touch "$CLAUDE_PROJECT_DIR/../tmp/done"; ${block}; }`
    const run = (block: string): Promise<Session> =>
      runSession({
        package: { 'hooks/hooks.json': hooksJson({ stop: [{ command: once(block) }] }) },
        script: ({ index }) => ({ text: index === 0 ? 'first' : 'second' }),
      })
    const byExit = await run('echo "run the tests" >&2; exit 2')
    const byJson = await run(`echo '{"decision":"block","reason":"run the tests"}'`)
    expect([decisionsOf(byExit), byExit.summary.output]).toEqual([['blocked-exit-2', 'allowed'], 'first\n\nsecond'])
    expect([decisionsOf(byJson), byJson.summary.finalMessage]).toEqual([['denied-json', 'allowed'], 'second'])
  })

  test('a prompt that a hook blocks never reaches the model', async ({ expect }) => {
    const session = await runSession({
      package: { 'hooks/hooks.json': hooksJson({ 'pre-prompt': [{ command: 'echo "no such prompt" >&2; exit 2' }] }) },
      script: () => ({ text: 'never' }),
    })
    expect(decisionsOf(session)).toEqual(['blocked-exit-2'])
    expect([session.requests.length, session.summary.output, session.summary.status]).toEqual([0, '', 'completed'])
  })

  test('a hook reads the file and the transcript that its payload names', async ({ expect }) => {
    const session = await runSession({
      package: {
        'hooks/hooks.json': hooksJson({
          'post-tool-use': [{ matcher: 'Write', command: 'cat ${file} > "$CLAUDE_PROJECT_DIR/../tmp/file"' }],
          stop: [
            {
              command: `node -e 'const p = JSON.parse(require("fs").readFileSync(0)); process.exit(require("fs").existsSync(p.transcript_path) ? 0 : 1)'`,
            },
          ],
        }),
      },
      script: ({ index }) =>
        index === 0
          ? { tools: [{ name: 'Write', input: { file_path: "a 'b' c.txt", content: 'x' } }] }
          : { text: 'done' },
      keep: ['tmp/file'],
    })
    expect(session.read('tmp/file')).toBe('x')
    expect(decisionsOf(session)).toEqual(['allowed', 'allowed'])
  })

  test('a session-end hook has its own time', async ({ expect }) => {
    const session = await runSession({
      package: { 'hooks/hooks.json': hooksJson({ 'session-end': [{ command: 'sleep 2.5' }] }) },
      script: () => ({ text: 'done' }),
    })
    expect(decisionsOf(session)).toEqual(['allowed'])
  })

  test('a prompt hook is judged by the model, and its block is told apart from the shim’s', async ({ expect }) => {
    const prompt = {
      version: 1,
      hooks: { 'pre-tool-use': [{ hooks: [{ type: 'prompt', prompt: 'Is it fine? $ARGUMENTS' }] }] },
    }
    const run = (side: string): Promise<Session> =>
      runSession({
        package: { 'hooks/hooks.json': JSON.stringify(prompt) },
        script: (request) => (request.isSide ? { text: side } : writeThenEnd(request)),
      })
    const blocked = await run('{"ok":false,"reason":"not fine"}')
    expect(hookDecisions(blocked)).toEqual([
      expect.objectContaining({ event: 'pre-tool-use', tool: 'Write', decision: 'denied-json', exitCode: null }),
    ])
    const garbage = await run('what?')
    expect([hookDecisions(garbage), garbage.summary.hooksWithoutVerdict]).toEqual([[], 1])
  })
})
