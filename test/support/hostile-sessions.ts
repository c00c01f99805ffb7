import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { streamTurn, type ApiTurn } from './model-apis.ts'
import { startRawUpstream, type RawAnswer, type RawRequest, type RawUpstream } from './raw-upstream.ts'
import { variablesOf, type InstalledEngine } from './conformance/matrix.ts'
import { config } from './eval-project.ts'
import { KEEP_STATUS, mebibytesIn } from './attack-session.ts'
import { createPackage, runEvals, type PackageRun } from './package-run.ts'

/** The real credential, which only requests of the gateway may hold. */
export const REAL_KEY = 'sk-real-1234567890abcdef'

/** Models whose prices are known, by engine. */
const MODELS: Readonly<Record<string, string>> = {
  'claude-code': 'claude-sonnet-4-5',
  codex: 'gpt-5',
  copilot: 'claude-sonnet-4-5',
}

/** What one session does: a script that its only command runs, with the functions of {@link PRELUDE}. */
export type Attacks = Readonly<Record<string, string>>

/** Sessions of one engine that have ended. */
export interface HostileRun extends PackageRun {
  readonly upstream: RawUpstream
  /** The most memory that the Vitest process ever had, in MiB, until its first session asked and until it ended. */
  readonly memory: { readonly atFirst: number; readonly atEnd: number }
}

export interface HostileSetup {
  readonly attacks: Attacks
  /** Sessions beside them that run a command and end. */
  readonly innocents: readonly string[]
  /** Further files of the package. */
  readonly files?: Readonly<Record<string, string>>
  /** Options of the plugin. */
  readonly options?: object
  /** The credential that the gateway is given. */
  readonly key?: string
  /** The variable that holds it, besides OPENAI_API_KEY. @default ANTHROPIC_API_KEY */
  readonly variable?: string | undefined
  /** @default a model whose price is known */
  readonly model?: string | undefined
  /** Answers instead of the model, by the name of the session; `null` leaves it to the model. */
  readonly answer?: (session: string, request: RawRequest, before: number) => RawAnswer | null
}

/** Runs hostile and innocent sessions of an engine at once, against an API on a bare socket. */
export async function runHostile(engine: InstalledEngine, setup: HostileSetup): Promise<HostileRun> {
  const { attacks, innocents, options, answer, key = REAL_KEY, variable = 'ANTHROPIC_API_KEY' } = setup
  const names = [...Object.keys(attacks), ...innocents]
  const asked = new Map<string, number>()
  let atFirst: number | null = null
  await using upstream = await startRawUpstream(async (request) => {
    atFirst ??= await peakOfProcess(project.root)
    const session = /This is session ([a-z-]+)\./.exec(request.body)?.[1] ?? ''
    const before = asked.get(session) ?? 0
    asked.set(session, before + 1)
    const own = answer?.(session, request, before) ?? null
    if (own !== null) return own
    const path = request.target.split('?')[0] ?? ''
    const call = engine.shell(session in attacks ? runScript(attacks[session]!, engine.name) : 'echo fine')
    const turns: readonly ApiTurn[] = [call, `${session} is done`]
    const body = streamTurn({ path, body: request.body }, turns, before)
    return { type: 'text/event-stream', body }
  })
  await using project = await createPackage({
    cases: {},
    files: {
      ...setup.files,
      'evals/sessions.eval.ts': sessions(names),
      'vitest.config.ts':
        NOTE_PROCESS +
        config(
          JSON.stringify({
            sandbox: 'prefer',
            concurrency: 8,
            timeout: 120,
            ...options,
            engines: { [engine.name]: engine.path },
          }),
        ),
    },
  })
  const run = await runEvals(project, {
    AGENT_EVALS_ENGINE: engine.name,
    AGENT_EVALS_SOURCE: 'live',
    AGENT_EVALS_MODEL: setup.model ?? MODELS[engine.name] ?? '',
    ...(await variablesOf([engine])),
    ANTHROPIC_BASE_URL: upstream.url,
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    [variable]: key,
    OPENAI_API_KEY: key,
  })
  const memory = {
    atFirst: atFirst ?? 0,
    atEnd: mebibytesIn(await readFile(join(project.root, 'status'), 'utf8')),
  }
  return { ...run, upstream, memory }
}

/** Has the Vitest process write its id when it begins, and its state when it ends. */
const NOTE_PROCESS = `${KEEP_STATUS}writeFileSync('pid', String(process.pid))
`

async function peakOfProcess(root: string): Promise<number> {
  const pid = await readFile(join(root, 'pid'), 'utf8')
  return mebibytesIn(await readFile(`/proc/${pid}/status`, 'utf8'))
}

function sessions(names: readonly string[]): string {
  return `import { expect, test } from 'vitest-agent-evals/test'

for (const name of ${JSON.stringify(names)})
  test.concurrent(name, async ({ agent }) => {
    expect(await agent.run('This is session ' + name + '.')).toContainOutput(name + ' is done')
  })
`
}

/** A command that runs a script in Node, whatever its quotes, and shows what it prints. */
export function runScript(script: string, engine: string): string {
  const encoded = Buffer.from(`${PRELUDE}\nconst model = '${MODELS[engine]}'\n${script}`).toString('base64')
  const node = '"$(ls /opt/agent-evals/bin/node 2>/dev/null || command -v node)"'
  return `echo ${encoded} | base64 -d > /tmp/attack-$$.mjs && ${node} /tmp/attack-$$.mjs 2>&1 | tail -c 2000`
}

/** What an agent can find out about its gateway: `address` for Node's `connect`, `token`, `model`, and `send` for raw bytes. */
const PRELUDE = `
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
const read = (pids) => pids.flatMap((pid) =>
  ['environ', 'cmdline'].flatMap((file) => { try { return [readFileSync('/proc/' + pid + '/' + file, 'utf8')] } catch { return [] } }))
const up = []
try {
  for (let pid = process.ppid; pid > 0; pid = Number(/\\) \\S (\\d+)/.exec(readFileSync('/proc/' + pid + '/stat', 'utf8'))[1])) up.push(pid)
} catch {}
const own = Object.entries(process.env).map((pair) => pair.join('=')).join('\\0')
// Without a sandbox, other processes of the machine are of other sessions.
const near = [own, ...read(up)].join('\\0')
const knows = /sk-(?:ant-api03|proj)-[\\w-]{40,}/.test(near) && /http:\\/\\/127\\.0\\.0\\.1:\\d|ANTHROPIC_UNIX_SOCKET=/.test(near)
const all = knows ? near : [near, ...read(readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))].join('\\0')
const token = /sk-(?:ant-api03|proj)-[\\w-]{40,}/.exec(all)?.[0]
const port = /http:\\/\\/127\\.0\\.0\\.1:(\\d+)/.exec(all)?.[1]
const path = /ANTHROPIC_UNIX_SOCKET=([^\\0]+)/.exec(all)?.[1]
const address = path === undefined ? { host: '127.0.0.1', port: Number(port) } : { path }
const isMessages = token.startsWith('sk-ant')
const endpoint = isMessages ? '/v1/messages' : '/v1/responses'
const send = (bytes, ms = 3000) => new Promise((resolve) => {
  const socket = connect(address)
  let got = ''
  const end = () => { socket.destroy(); resolve(got) }
  setTimeout(end, ms)
  socket.on('error', end).on('close', end).on('data', (chunk) => { got += chunk })
  socket.write(bytes)
})
const request = (method, target, body, more = '') => method + ' ' + target + ' HTTP/1.1\\r\\nhost: x\\r\\nauthorization: Bearer ' + token + '\\r\\n' + more +
  (body === null ? '' : 'content-type: application/json\\r\\ncontent-length: ' + Buffer.byteLength(body) + '\\r\\n') + 'connection: close\\r\\n\\r\\n' + (body ?? '')
const question = (model, words, max = 100, more = {}) => JSON.stringify(isMessages
  ? { model, max_tokens: max, messages: [{ role: 'user', content: words }], ...more }
  : { model, max_output_tokens: max, input: words, ...more })
`
