import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { stringOrNull, type JsonObject } from '../../lib/json.ts'
import { commandWords, shorten, singleSpaced } from '../../lib/text.ts'
import type { StartedHook } from './hanging-hooks.ts'
import type { HookPlan, PlannedHook, RecordedDecision } from './hook-plan.ts'
import {
  contextAsJson,
  denialAsJson,
  forNativeHook,
  inBothSpellings,
  inNativeSpelling,
  nameOfCall,
  parseAnswer,
  readHookAnswer,
  saidBy,
  touchedFile,
  universalCalls,
  withSnakeCase,
  type ReadHookAnswer,
} from './hook-shim-payload.ts'

// Runs inside the sandbox: what it imports is bundled into it, so it imports little.

interface RunningHook extends StartedScript {
  readonly hook: PlannedHook
}

const [folder = '', id = ''] = process.argv.slice(2)
void standIn(folder, id).then((code) => (process.exitCode = code))

interface Ended {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  readonly stdout: string
  readonly stderr: string
}

interface AskedHook {
  readonly command: string
  readonly ended: Ended
  /** What it printed, where that is JSON. */
  readonly answer: JsonObject | null
  readonly reading: ReadHookAnswer
}

type Decided = Pick<RecordedDecision, 'decision' | 'reason'>

/** Runs the hook that it replaces with both spellings of the payload, records what it decided, and passes the answer on. */
async function standIn(hooks: string, hookId: string): Promise<number> {
  const startedAt = performance.now()
  const planned = readPlan(hooks, hookId)
  if (typeof planned === 'string') return giveUp(planned)

  const { hook, packageRoot, answers, unheeded, env: hookEnv = {} } = planned
  const payload = withSnakeCase(parseAnswer(await readStdin()) ?? {})
  const cwd = typeof payload['cwd'] === 'string' && existsSync(payload['cwd']) ? payload['cwd'] : process.cwd()
  const env = { ...process.env, ...hookEnv, PACKAGE_ROOT: packageRoot }
  const reader = { hook, nativeEvent: stringOrNull(payload['hook_event_name']), answers, unheeded }
  const ask = async (call: JsonObject): Promise<AskedHook> => {
    const sent = hook.native === true ? forNativeHook(payload, call) : { ...inBothSpellings(payload, hook), ...call }
    const command = expand(hook.command, { ...hookEnv, PACKAGE_ROOT: packageRoot, file: touchedFile(sent) })
    const ended = await run(command, { cwd, env, stdin: JSON.stringify(sent), timeout: hook.timeout })
    return { command, ended, answer: parseAnswer(ended.stdout), reading: readHookAnswer(ended.stdout, reader) }
  }
  const tool = stringOrNull(payload['tool_name'])
  const runId = `${process.pid}-${Date.now()}`
  note(hooks, 'started.jsonl', { run: runId, id: hookId, event: hook.event, tool, startedAt: Date.now() })
  const [first = {}, ...others] = universalCalls(payload, cwd)
  let outcome = await ask(first)
  for (const call of others) {
    if (outcome.ended.exitCode !== 0 || outcome.reading.kind !== 'allowed') break
    outcome = await ask(call)
  }
  const { command, ended, answer, reading } = outcome
  const decided = decide(ended, reading, { hook, command, cwd, env })
  const denial = answers === 'json' ? denialAsJson(decided, payload, hook) : null
  const context = answers === 'json' && ended.exitCode === 0 ? contextAsJson(ended.stdout, answer, hook) : null
  process.stderr.write(ended.timedOut ? `${decided.reason}\n` : ended.stderr)
  if (denial !== null) process.stdout.write(JSON.stringify(denial))
  else {
    const written = context ?? answer
    process.stdout.write(written === null ? ended.stdout : JSON.stringify(inNativeSpelling(written, payload, hook)))
  }

  const said = ended.exitCode === 0 ? saidBy(ended.stdout, reader) : []
  const failure = note(hooks, 'decisions.jsonl', {
    run: runId,
    id: hookId,
    event: hook.event,
    tool,
    toolCallId: stringOrNull(payload['tool_use_id']),
    ...nameOfCall(payload),
    decision: hook.async === true ? 'allowed' : decided.decision,
    exitCode: ended.exitCode,
    reason: decided.reason.slice(0, 2000),
    ...(said.length === 0 ? {} : { said }),
    durationMs: Math.round(performance.now() - startedAt),
  })
  if (failure !== null) giveUp(failure)
  if (denial !== null) return 0
  return ended.timedOut ? 1 : (ended.exitCode ?? 1)
}

function readPlan(hooks: string, hookId: string): (Omit<HookPlan, 'hooks'> & { hook: PlannedHook }) | string {
  try {
    const plan = JSON.parse(readFileSync(join(hooks, 'plan.json'), 'utf8')) as HookPlan
    const hook = plan.hooks.find((candidate) => candidate.id === hookId)
    return hook === undefined ? `plan.json has no hook "${hookId}"` : { ...plan, hook }
  } catch (error) {
    return `plan.json is unreadable: ${String(error)}`
  }
}

/** The stream reader looks for these first words: a hook that left no decision must not pass for one that allowed. */
function giveUp(why: string): number {
  process.stderr.write(`agent-evals hook shim: ${why}\n`)
  return 1
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Replaces `${NAME}` so that a value with a space or a quote stays one word, whatever quotes stand around it. */
function expand(command: string, values: Readonly<Record<string, string>>): string {
  let quote = ''
  return command.replaceAll(/\\[^]|['"]|\$\{(\w+)\}/g, (found, name: string | undefined) => {
    if (name === undefined) {
      if (quote === '') quote = found.length === 1 ? found : ''
      else if (found === quote) quote = ''
      else if (quote === "'" && found === "\\'") quote = ''
      return found
    }
    const value = values[name]
    if (value === undefined) return found
    if (quote === '"') return value.replaceAll(/[\\"$`]/g, '\\$&')
    const escaped = value.replaceAll("'", String.raw`'\''`)
    return quote === "'" ? escaped : `'${escaped}'`
  })
}

interface RunOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly stdin: string
  /** Seconds. */
  readonly timeout: number
}

function run(command: string, { cwd, env, stdin, timeout }: RunOptions): Promise<Ended> {
  const child = spawn('sh', ['-c', command], { cwd, env, detached: true, stdio: 'pipe' })
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The whole group is gone already.
    }
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => (kill(), process.exit(1)))
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, timeout * 1000)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)

  return new Promise((settle) => {
    const finish = (exitCode: number | null, signal: string | null, problem = ''): void => {
      clearTimeout(timer)
      child.stdout.destroy()
      child.stderr.destroy()
      settle({ exitCode, signal, timedOut, stdout: stdout(), stderr: stderr() + problem })
    }
    child.once('error', (error) => finish(127, null, error.message))
    child.once('close', finish)
    // A process that the hook left behind may hold the pipes for ever.
    child.once('exit', (exitCode, signal) => setTimeout(() => finish(exitCode, signal), 500).unref())
  })
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    if (size < OUTPUT_LIMIT) chunks.push(chunk.subarray(0, OUTPUT_LIMIT - size))
    size += chunk.length
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

function decide(ended: Ended, answer: ReadHookAnswer, started: RunningHook): Decided {
  const stderr = ended.stderr.trim()
  if (ended.timedOut)
    return { decision: 'timed-out', reason: `The hook gave no answer within ${started.hook.timeout} s.` }
  if (ended.exitCode === 0) {
    if (answer.kind === 'denied') return { decision: 'denied-json', reason: answer.reason }
    if (answer.kind === 'allowed') return { decision: 'allowed', reason: stderr }
    const printed = shorten(singleSpaced(ended.stdout), LONGEST_ANSWER)
    return { decision: 'invalid', reason: `${started.hook.command.slice(0, 80)}: ${printed}` }
  }

  const exit = ended.exitCode === null ? `ended by ${ended.signal}` : `exit code ${ended.exitCode}`
  const reason = stderr === '' ? exit : stderr
  // Some interpreters exit 2, the code of a block, when their script is not there.
  if (ended.exitCode === 126 || ended.exitCode === 127 || lacksScript(started, stderr))
    return { decision: 'missing', reason }
  const isBlock = ended.exitCode === 2 && !isUnreadableToShell(started, stderr)
  return { decision: isBlock ? 'blocked-exit-2' : 'failed', reason }
}

// Opened for appending and written at once, so that hooks running side by side do not mix their lines.
function note(
  hooks: string,
  file: string,
  line: StartedHook | (Pick<StartedHook, 'run'> & RecordedDecision),
): string | null {
  try {
    appendFileSync(join(hooks, file), `${JSON.stringify(line)}\n`)
    return null
  } catch (error) {
    return `the decision could not be recorded: ${String(error)}`
  }
}

const OUTPUT_LIMIT = 1_048_576
const LONGEST_ANSWER = 200

/** A command of a hook, as it was started. */
interface StartedScript {
  readonly command: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Whether the command failed because the script that it names is not there, whatever its interpreter's exit code. */
function lacksScript({ command, cwd, env }: StartedScript, stderr: string): boolean {
  const words = commandWords(command, env)
  return words.some((word, index) => {
    if (!INTERPRETERS.has(basename(word))) return false
    const script = words.slice(index + 1).find((argument) => !argument.startsWith('-'))
    return script !== undefined && stderr.includes(basename(script)) && !existsSync(resolve(cwd, script))
  })
}

/**
 * Whether the shell could not read the hook's own script, such as one with the line ends of Windows: it exits 2 then, the
 * code of a block. What a shell says of another script is the hook's business.
 */
function isUnreadableToShell({ command, env }: StartedScript, stderr: string): boolean {
  const names = new Set([...SHELLS, ...commandWords(command, env).map((word) => basename(word))])
  return [...stderr.matchAll(COMPLAINT)].some(([, script = '']) => names.has(basename(script)))
}

const COMPLAINT =
  /^(.+?): (?:line )?\d+: (?:syntax error\b|exit: (?:illegal number: |[^\n]*: numeric argument required))/gim
const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'ksh']
const INTERPRETERS = new Set([...SHELLS, 'node', 'python', 'python3', 'ruby', 'perl'])
