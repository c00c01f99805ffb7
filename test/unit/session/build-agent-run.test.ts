import { expect, test } from 'vitest'
import { buildAgentRun, type SessionRecords } from '../../../src/session/build-agent-run.ts'
import type { AgentRun } from '../../../src/transcript/transcript.ts'
import { claudeCode } from '../../../src/engines/claude-code/engine.ts'

test('a run that the CLI calls completed is completed', () => {
  expect(endOf({})).toEqual({ status: 'completed', problem: null, problemCode: null })
})

test('a request that the gateway could not answer is an error whatever the exit code says', () => {
  const problems = [{ code: 'scenario-exhausted' as const, message: 'The scenario has no further turn.' }]
  expect(endOf({ meter: { problems } })).toEqual({
    status: 'api-error',
    problem: 'The scenario has no further turn.',
    problemCode: 'scenario-exhausted',
  })
})

test('A7: a deadline comes before what the CLI said of itself', () => {
  expect(endOf({ result: { timedOut: true, exitCode: 143 }, summary: { status: 'crashed' } })).toEqual({
    status: 'timed-out',
    problem: 'The run did not end within its 120 s. Raise `timeout` if it needs longer.',
    problemCode: 'timed-out',
  })
})

test('a deadline names what was running', () => {
  const open = { kind: 'tool-call', agent: null, id: 't', tool: 'Bash', input: { command: 'sleep 600' } } as const
  const request = evidence({ result: { timedOut: true } })
  expect(buildAgentRun({ ...request, ended: { ...request.ended, stream: [open] } }).problem).toBe(
    'The run did not end within its 120 s. Still running: Bash {"command":"sleep 600"}. Raise `timeout` if it needs longer.',
  )
})

test('a model that answers nothing at all has completed nothing', () => {
  const endWith = (output: string, stream: SessionRecords['ended']['stream'] = []): string => {
    const request = evidence({ summary: { output, finalMessage: output } })
    return buildAgentRun({ ...request, ended: { ...request.ended, stream } }).problemCode ?? 'completed'
  }
  const call = { kind: 'tool-call', agent: null, id: 't', tool: 'Bash', input: {} } as const
  expect([endWith(''), endWith('...'), endWith('Hello.'), endWith('', [call])]).toEqual([
    'no-output',
    'no-output',
    'completed',
    'completed',
  ])
})

test('a deadline that an API used up says so, and is its error where it said why', () => {
  const problems = [{ code: 'upstream-failed' as const, message: 'The API at h answered 529: Overloaded.' }]
  const ends = (meter: Parts['meter']): readonly unknown[] => {
    const { problemCode, problem } = endOf({ result: { timedOut: true }, ...(meter === undefined ? {} : { meter }) })
    return [problemCode, problem]
  }
  const refused = 'The API at h answered 429: Slow down (7 times in a row, over 61 s)'
  expect([
    ends({ problems }),
    ends({ problems, waits: { ms: 61_900, for: 'start', refused } }),
    ends({ waits: { ms: 118_700, for: 'start', refused: null } }),
    ends({ waits: { ms: 118_700, for: 'rest', refused: null } }),
    ends({ waits: { ms: 900, for: 'start', refused: null } }),
  ]).toEqual([
    [
      'upstream-failed',
      'The run did not end within its 120 s, and its last request was not answered: The API at h answered 529: Overloaded. The API used up the time: run again later, or with a lower `concurrency`.',
    ],
    [
      'upstream-failed',
      `The run did not end within its 120 s, of which it waited 61 s for the API: ${refused}. The API used up the time: run again later, or with a lower \`concurrency\`.`,
    ],
    [
      'upstream-failed',
      "The run did not end within its 120 s, of which it waited 118 s for the API's last answer to begin. The API used up the time: run again later, or with a lower `concurrency`.",
    ],
    [
      'upstream-failed',
      "The run did not end within its 120 s, of which it waited 118 s for the rest of the API's last answer. The API used up the time: run again later, or with a lower `concurrency`.",
    ],
    ['timed-out', 'The run did not end within its 120 s. Raise `timeout` if it needs longer.'],
  ])
})

test('a run without a skill has used it when lines of it came back from any file', () => {
  const leftOut = {
    name: 'notes',
    dir: '/p/skills/notes',
    file: '/p/skills/notes/SKILL.md',
    description: 'Writes notes.',
    body: '# How to write notes for others\nBegin every note with the version number.\n',
  }
  const used = (text: string): readonly string[] => {
    const request = evidence({})
    const run = buildAgentRun({
      ...request,
      request: { ...request.request, package: { leftOut } },
      ended: {
        ...request.ended,
        stream: [
          { kind: 'tool-call', agent: null, id: 't', tool: 'Bash', input: { command: 'cat old.txt' } },
          { kind: 'tool-result', agent: null, id: 't', text, isError: false, blockedBy: null },
        ],
      },
    })
    return run.transcript.flatMap((event) => (event.kind === 'skill-used' ? [event.skill] : []))
  }
  expect(used('draft\nBegin every note with the version number.\n')).toEqual(['notes'])
  expect(used('# How to write notes for others\n')).toEqual([])
})

test('a sandbox that did not start is no fault of the engine', () => {
  const cut = [{ code: 'max-tokens' as const, message: 'The answer of the model was cut off.' }]
  expect(endOf({ meter: { problems: cut } })).toMatchObject({ status: 'limit-reached', problemCode: 'max-tokens' })
  expect(endOf({ result: { setupError: 'bwrap: no permission' }, summary: { status: null } }).problemCode).toBe(
    'sandbox-unavailable',
  )
})

test('A7: a CLI that ends without a result says how it ended', () => {
  const result = { exitCode: 1, stderrTail: 'Usage: claude\nerror: unknown option\n' }
  expect(endOf({ result, summary: { status: null } })).toEqual({
    status: 'crashed',
    problem: 'claude 2.1.330 (/opt/claude) ended with exit code 1 and without a result: error: unknown option',
    problemCode: 'engine-failed',
  })
  expect(endOf({ result: { exitCode: 0 }, summary: { status: null } }).problem).toBe(
    'claude 2.1.330 (/opt/claude) ended with exit code 0 and without a result',
  )
  expect(endOf({ result: { exitCode: null, signal: 'SIGSEGV' }, summary: { status: null } }).problem).toBe(
    'claude 2.1.330 (/opt/claude) ended with signal SIGSEGV and without a result',
  )
})

test('A12: a session that lost its way to the gateway says that no API did it', () => {
  const summary = { status: 'api-error' as const, problem: 'Connection failed: error sending request' }
  expect(endOf({ summary })).toEqual({
    status: 'api-error',
    problem:
      'Connection failed: error sending request. Every request that reached the gateway was answered, so the fault is on the way to it.',
    problemCode: 'upstream-failed',
  })
  expect(endOf({ summary: { ...summary, problem: 'Overloaded' } }).problem).toBe('Overloaded')
})

test('a hook without a verdict is in the transcript as failed', () => {
  const run = buildAgentRun(evidence({ summary: { hooksWithoutVerdict: 1 } }))
  expect(run.transcript).toEqual([
    {
      n: 1,
      kind: 'hook',
      agent: null,
      event: 'unknown',
      tool: null,
      decision: 'failed',
      exitCode: null,
      reason: 'The engine says that it gave no verdict.',
      from: 'hook',
    },
  ])
})

test('a run that was ended because it had shown what it was for is completed, whatever that broke', () => {
  const problems = [{ code: 'recording-incompatible' as const, message: 'The recording does not contain a request.' }]
  const parts = { stopped: true, result: { aborted: true }, summary: { status: null }, meter: { problems } }
  expect(endOf(parts)).toEqual({ status: 'completed', problem: null, problemCode: null })
})

interface Parts {
  readonly stopped?: boolean
  readonly result?: Partial<SessionRecords['ended']['result']>
  readonly summary?: Partial<SessionRecords['ended']['summary']>
  readonly meter?: Partial<SessionRecords['ended']['meter']>
}

function endOf(parts: Parts): Pick<AgentRun, 'problem' | 'problemCode' | 'status'> {
  const { status, problem, problemCode } = buildAgentRun(evidence(parts))
  return { status, problem, problemCode }
}

function evidence({ result, summary, meter, stopped = false }: Parts): SessionRecords {
  return {
    request: {
      deadlineMs: 120_000,
      package: {},
      engine: { engine: claudeCode, executable: '/opt/claude', version: '2.1.330' },
      model: null,
      evalCase: { kind: 'task', files: [], workspaceFiles: [], prompt: 'Go.', target: null },
      sandbox: { backend: 'none', asked: 'none', enforced: 'none', notice: null },
      source: { kind: 'live' },
    },
    ended: {
      result: {
        exitCode: 0,
        signal: null,
        timedOut: false,
        aborted: false,
        stdoutTail: '',
        stderrTail: '',
        status: '',
        durationMs: 10,
        spawnError: null,
        setupError: null,
        ...result,
      },
      stream: [],
      summary: {
        status: 'completed',
        problem: null,
        version: null,
        sessionId: null,
        model: null,
        output: 'Done.',
        finalMessage: 'Done.',
        skills: null,
        hooksWithoutVerdict: 0,
        ...summary,
      },
      meter: { requests: 1, usage: null, model: null, costUsd: 0, problems: [], ...meter },
      conversation: null,
      stopped,
    },
    files: { created: [], modified: [], deleted: [], unreadable: [] },
    hookPlan: { packageRoot: '', hooks: [] },
    decisions: [],
    skills: [],
    workspace: null,
  }
}
