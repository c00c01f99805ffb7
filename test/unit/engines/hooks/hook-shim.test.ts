// @module-tag slow
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture, type FsFixture } from 'fs-fixture'
import { afterAll, beforeAll, test } from 'vitest'
import { parseDecisions } from '../../../../src/engines/hooks/hook-decisions.ts'
import { compileShim } from '../../../support/compile-shim.ts'
import type { PlannedHook, RecordedDecision } from '../../../../src/engines/hooks/hook-plan.ts'

let compiled: FsFixture
let shim: string

beforeAll(async () => {
  compiled = await createFixture({})
  shim = compileShim(compiled.path)
}, 60_000)

afterAll(() => compiled.rm())

interface Answer {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly decisions: readonly RecordedDecision[]
  /** What the hook itself got on stdin, when it stored it. */
  readonly payload: unknown
}

const PAYLOAD = {
  session_id: 's1',
  hook_event_name: 'PreToolUse',
  tool_name: 'Write',
  tool_input: { file_path: "/src/it's a file.ts", content: 'x' },
  tool_use_id: 'toolu_1',
}

async function askHook(
  hook: Partial<PlannedHook>,
  options: { payload?: object; files?: Record<string, string> } = {},
): Promise<Answer> {
  await using pkg = await createFixture({ ...options.files, 'keep.txt': '' }, { tempDir: compiled.getPath('a dir') })
  await using session = await createFixture({ workspace: {}, hooks: {} })
  const planned = { id: 'h', event: 'pre-tool-use', command: 'true', timeout: 20, ...hook }
  const root = pkg.path.replace(/\/$/, '')
  await session.writeFile('hooks/plan.json', JSON.stringify({ packageRoot: root, hooks: [planned] }))
  const payload = { ...PAYLOAD, cwd: session.getPath('workspace'), ...options.payload }
  const ended = await start([session.getPath('hooks'), 'h'], JSON.stringify(payload))
  const recorded = await session.readFile('hooks/decisions.jsonl', 'utf8').catch(() => '')
  const seen = await session.readFile('workspace/payload.json', 'utf8').catch(() => 'null')
  return { ...ended, decisions: parseDecisions(recorded), payload: JSON.parse(seen) as unknown }
}

function start(args: readonly string[], stdin: string): Promise<Omit<Answer, 'decisions' | 'payload'>> {
  const child = spawn(process.execPath, [shim, ...args], { stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.end(stdin)
  return new Promise((settle) => child.once('close', (exitCode) => settle({ exitCode, stdout, stderr })))
}

const BROKEN = { 'windows.sh': '#!/bin/sh\r\nexit 0\r\n', 'broken.sh': 'if then\n' }

test.concurrent('gives the hook both spellings of the payload, in the folder of the session', async ({ expect }) => {
  const { exitCode, decisions, payload } = await askHook({ command: 'cat > payload.json' })
  expect(exitCode).toBe(0)
  expect(payload).toEqual({
    ...PAYLOAD,
    cwd: expect.any(String) as string,
    sessionId: 's1',
    hookEventName: 'pre-tool-use',
    toolName: 'Write',
    toolInput: PAYLOAD.tool_input,
    toolUseId: 'toolu_1',
  })
  expect(decisions).toEqual([
    {
      id: 'h',
      event: 'pre-tool-use',
      tool: 'Write',
      toolCallId: 'toolu_1',
      decision: 'allowed',
      exitCode: 0,
      reason: '',
      durationMs: expect.any(Number) as number,
    },
  ])
})

test.concurrent.for<[string, Partial<PlannedHook>, Partial<RecordedDecision>, number]>([
  [
    'exit 2',
    { command: 'echo "no: protected path" >&2; exit 2' },
    { decision: 'blocked-exit-2', exitCode: 2, reason: 'no: protected path' },
    2,
  ],
  ['exit 1', { command: 'echo oops >&2; exit 1' }, { decision: 'failed', exitCode: 1, reason: 'oops' }, 1],
  ['a signal', { command: 'kill -SEGV $$' }, { decision: 'failed', exitCode: null, reason: 'ended by SIGSEGV' }, 1],
  [
    'a timeout',
    { command: 'sleep 60 & sleep 60', timeout: 0.2 },
    { decision: 'timed-out', exitCode: null, reason: 'The hook gave no answer within 0.2 s.' },
    1,
  ],
  ['a missing program', { command: 'no-such-program-x' }, { decision: 'missing', exitCode: 127 }, 127],
  [
    'a script that is not executable',
    { command: '${PACKAGE_ROOT}/keep.txt' },
    { decision: 'missing', exitCode: 126 },
    126,
  ],
  [
    'a missing script of bash',
    { command: 'bash ${PACKAGE_ROOT}/hooks/gone.sh' },
    { decision: 'missing', exitCode: 127 },
    127,
  ],
  ['a missing script of node', { command: 'node "${PACKAGE_ROOT}/gone.mjs"' }, { decision: 'missing', exitCode: 1 }, 1],
  ['a missing script of sh after an assignment', { command: 'A=1 sh ./gone.sh' }, { decision: 'missing' }, 127],
  [
    'a first line with the end of a line of Windows',
    { command: 'chmod +x ${PACKAGE_ROOT}/windows.sh; ${PACKAGE_ROOT}/windows.sh' },
    { decision: 'missing', exitCode: 127 },
    127,
  ],
  [
    'a script with the ends of lines of Windows, whose shell exits like a block',
    { command: 'bash "${PACKAGE_ROOT}/windows.sh"' },
    { decision: 'failed', exitCode: 2 },
    2,
  ],
  [
    'a script that its shell cannot read',
    { command: 'sh ${PACKAGE_ROOT}/broken.sh' },
    { decision: 'failed', exitCode: 2 },
    2,
  ],
  [
    'a block over another script that a shell cannot read',
    { command: 'bash -n ${PACKAGE_ROOT}/broken.sh 2>&1 | sed s/broken/other/ >&2; exit 2' },
    { decision: 'blocked-exit-2', exitCode: 2 },
    2,
  ],
  ['text that is no JSON', { command: 'echo "{ not json"' }, { decision: 'allowed', exitCode: 0 }, 0],
])('F14: records %s', async ([, hook, decision, exitCode], { expect }) => {
  const answer = await askHook(hook, { files: BROKEN })
  expect(answer.decisions).toEqual([expect.objectContaining(decision)])
  // dash says 2 or 127 for a script that is not there.
  expect([exitCode, 2]).toContain(answer.exitCode)
})

test.concurrent('does not take the exit code of an interpreter without its script for a block', async ({ expect }) => {
  await using fake = await createFixture({
    'bin/python3': "#!/bin/sh\necho \"python3: can't open file '$1': [Errno 2]\" >&2\nexit 2\n",
  })
  const { decisions } = await askHook({
    command: `chmod +x ${fake.getPath('bin/python3')}; ${fake.getPath('bin/python3')} gone.py`,
  })
  expect(decisions).toEqual([expect.objectContaining({ decision: 'missing', exitCode: 2 })])
})

test.concurrent('passes the words of a block on', async ({ expect }) => {
  const { stderr, stdout } = await askHook({ command: 'echo out; echo why >&2; exit 2' })
  expect({ stderr, stdout }).toEqual({ stderr: 'why\n', stdout: 'out\n' })
})

test.concurrent('maps the event of a JSON answer back', async ({ expect }) => {
  const answer = {
    hookSpecificOutput: {
      hookEventName: 'pre-tool-use',
      permissionDecision: 'deny',
      permissionDecisionReason: 'by policy',
    },
  }
  const { exitCode, stdout, decisions } = await askHook({ command: `echo '${JSON.stringify(answer)}'` })
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    hookSpecificOutput: { ...answer.hookSpecificOutput, hookEventName: 'PreToolUse' },
  })
  expect(decisions).toEqual([expect.objectContaining({ decision: 'denied-json', reason: 'by policy' })])
})

test.concurrent.for<[string, object, string, string]>([
  ['adds the event that an answer leaves out', { hookSpecificOutput: { permissionDecision: 'allow' } }, 'allowed', ''],
  [
    'denies what nobody can be asked',
    { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'sure?' } },
    'denied-json',
    'sure?',
  ],
  ['blocks a stop', { decision: 'block', reason: 'run the tests' }, 'denied-json', 'run the tests'],
  ['ends the session', { continue: false, stopReason: 'enough' }, 'denied-json', 'enough'],
  ['allows with nothing said', {}, 'allowed', ''],
])('%s', async ([, answer, decision, reason], { expect }) => {
  const { decisions } = await askHook({ command: `echo '${JSON.stringify(answer)}'` })
  expect(decisions).toEqual([expect.objectContaining({ decision, reason })])
})

test.concurrent('denies a request', async ({ expect }) => {
  const answer = { hookSpecificOutput: { decision: { behavior: 'deny', message: 'no' } } }
  const { decisions } = await askHook({ event: 'permission-request', command: `echo '${JSON.stringify(answer)}'` })
  expect(decisions).toEqual([expect.objectContaining({ decision: 'denied-json', reason: 'no' })])
})

test.concurrent('an answer that engines ignore is invalid, with the command that gave it', async ({ expect }) => {
  const { decisions, exitCode, stdout } = await askHook({ command: `echo '{"decision":"deny","reason":"no"}'` })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{"decision":"deny","reason":"no"}' })
  expect(decisions).toEqual([
    expect.objectContaining({
      decision: 'invalid',
      exitCode: 0,
      reason: `echo '{"decision":"deny","reason":"no"}': {"decision":"deny","reason":"no"}`,
    }),
  ])
})

test.concurrent('an answer that engines ignore is named by its beginning', async ({ expect }) => {
  const answer = `{"decision":"deny","reason":"${'no '.repeat(5000)}"}`
  const { decisions } = await askHook(
    { command: 'cat "${PACKAGE_ROOT}/answer.json"' },
    { files: { 'answer.json': answer } },
  )
  expect(decisions[0]?.decision).toBe('invalid')
  expect(decisions[0]?.reason).toMatch(/^cat .*: \{"decision":"deny","reason":"no no .*…$/)
  expect(decisions[0]?.reason.length).toBeLessThan(300)
})

test.concurrent('keeps a path with spaces and quotes one word, whatever quotes stand around the variable', async ({
  expect,
}) => {
  const command = `printf '%s\\n' "\${PACKAGE_ROOT}/x" \${PACKAGE_ROOT}/x '\${file}' \${file} "\${file}" "it's" \${file}`
  const { stdout } = await askHook({ command })
  const [root, ...rest] = stdout.trimEnd().split('\n')
  expect(root).toMatch(/a dir.*\/x$/)
  expect(rest).toEqual([root, ...Array.from({ length: 3 }, () => "/src/it's a file.ts"), "it's", "/src/it's a file.ts"])
})

test.concurrent('gives PACKAGE_ROOT to scripts too', async ({ expect }) => {
  const { stdout } = await askHook(
    { command: 'bash ${PACKAGE_ROOT}/hooks/say.sh' },
    { files: { 'hooks/say.sh': 'basename "$(dirname "$PACKAGE_ROOT")"' } },
  )
  expect(stdout).toBe('a dir\n')
})

test.concurrent('F14: does not wait for what a hook leaves behind, and kills the whole group of one that is late', async ({
  expect,
}) => {
  const left = await askHook({ command: 'sleep 60 & echo $!' })
  expect(left.exitCode).toBe(0)
  process.kill(Number(left.stdout), 'SIGKILL')

  const late = await askHook({ command: 'sleep 61 & echo $!; wait', timeout: 0.3 })
  // One that nobody has reaped yet is dead too.
  const { stdout: state } = spawnSync('ps', ['-o', 'stat=', '-p', late.stdout.trim()], { encoding: 'utf8' })
  expect(state.trim().replace(/^Z.*/, '')).toBe('')
})

test.concurrent('F14: caps what a hook prints', async ({ expect }) => {
  const { stdout } = await askHook({ command: 'head -c 3000000 /dev/zero | tr "\\0" x' })
  expect(stdout).toHaveLength(1_048_576)
})

test.concurrent.for([
  ['no plan', {}, 'plan.json is unreadable: '],
  ['no such hook', { 'plan.json': '{"packageRoot":"/p","hooks":[]}' }, 'plan.json has no hook "h"'],
] as const)('says that it could not work: %s', async ([, files, message], { expect }) => {
  await using hooks = await createFixture(files)
  const { exitCode, stderr } = await start([hooks.path, 'h'], '{}')
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`agent-evals hook shim: ${message}`)
})

test.concurrent('hooks that run side by side each leave a whole line', async ({ expect }) => {
  await using session = await createFixture({
    'plan.json': JSON.stringify({
      packageRoot: '/',
      hooks: [{ id: 'h', event: 'stop', command: 'head -c 2000 /dev/zero | tr "\\0" y >&2; exit 2', timeout: 20 }],
    }),
  })
  await Promise.all(Array.from({ length: 6 }, () => start([session.path, 'h'], '{}')))
  const lines = readFileSync(join(session.path, 'decisions.jsonl'), 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as RecordedDecision).reason.length)).toEqual([
    2000, 2000, 2000, 2000, 2000, 2000,
  ])
})
