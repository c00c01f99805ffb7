import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { config } from './eval-project.ts'
import { createPackage, runEvals, type PackageRun } from './package-run.ts'
import { startRawUpstream, type RawAnswer, type RawRequest } from './raw-upstream.ts'

/** One hostile session, and what it has cost. */
export interface AttackRun extends PackageRun {
  /** The most memory that the Vitest process ever had, in MiB. */
  readonly peak: number
  readonly requests: readonly RawRequest[]
}

/**
 * Runs one session whose program is a script in Node, beside nothing else, against an API on a bare socket. The script has
 * the functions of {@link PRELUDE}.
 */
export async function runAttack(script: string, answer: (request: RawRequest) => RawAnswer): Promise<AttackRun> {
  await using upstream = await startRawUpstream(answer)
  await using project = await createPackage({ cases: {}, files: filesOf(script) })
  const run = await runEvals(project, {
    AGENT_EVALS_ENGINE: 'attacker',
    AGENT_EVALS_SOURCE: 'live',
    AGENT_EVALS_MODEL: 'gpt-5',
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    OPENAI_API_KEY: 'sk-real-1234567890abcdef',
  })
  const status = await readFile(join(project.root, 'status'), 'utf8')
  return { ...run, peak: mebibytesIn(status), requests: upstream.requests }
}

function filesOf(script: string): FileTree {
  const options = {
    sandbox: 'none',
    maxCostUsd: 1000,
    timeout: 90,
    engines: { attacker: { module: './attacker.mjs', executable: process.execPath } },
  }
  return {
    'attacker.mjs': ENGINE,
    'attack.mjs': PRELUDE + script,
    'evals/attack.eval.ts': `import { test } from 'vitest-agent-evals/test'\ntest('attack', ({ agent }) => agent.run('Go.'))\n`,
    'vitest.config.ts': KEEP_STATUS + config(JSON.stringify(options)),
  }
}

/** Has a Vitest process write its state when it ends, for {@link mebibytesIn}. */
export const KEEP_STATUS = `import { readFileSync, writeFileSync } from 'node:fs'
process.once('exit', () => writeFileSync('status', readFileSync('/proc/self/status')))
`

/** The most memory that a process ever had, by its file in /proc. */
export function mebibytesIn(status: string): number {
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024)
}

/** It listens to the answers, as the engines do whose streams are compared. */
const ENGINE = `
import { join } from 'node:path'

export default {
  name: 'attacker',
  executable: 'node',
  wire: 'openai-chat',
  transport: 'tcp',
  runtimeFiles: () => [],
  versionArguments: ['--version'],
  parseVersion: (text) => text.trim(),
  install: ({ paths }) => ({
    files: [], copies: [], configFiles: [], hookPlan: { packageRoot: paths.packageRoot, hooks: [] }, warnings: [],
  }),
  command: ({ env, gateway }) => ({
    arguments: [${JSON.stringify('<ATTACK>')}],
    env: { ...env, GATEWAY: gateway.baseUrl, TOKEN: gateway.token },
    stdin: '',
  }),
  mergeObserved: (events) => events,
  createReader() {
    const lines = []
    return {
      line(text) {
        lines.push(text)
        return [{ kind: 'message', agent: null, text }]
      },
      end: () => ({
        status: 'completed', problem: null, version: null, sessionId: null, model: null, output: lines.join('\\n'),
        finalMessage: lines.at(-1) ?? '', skills: null, hooksWithoutVerdict: 0,
      }),
    }
  },
}
`.replace('"<ATTACK>"', "join(import.meta.dirname, 'attack.mjs')")

/**
 * `post` sends a request whose text has as many MiB of that piece, in one body or in chunks, and takes what comes back for
 * at most four seconds; `many` sends several at once.
 */
const PRELUDE = `
import { connect } from 'node:net'
const { hostname: host, port } = new URL(process.env.GATEWAY)
const target = '/v1/chat/completions'
const post = (mebibytes = 0, piece = 'xxxx', isChunked = false) => new Promise((resolve) => {
  const socket = connect({ host, port: Number(port) })
  const body = JSON.stringify({ model: 'gpt-5', stream: true, max_completion_tokens: 100, messages: [{ role: 'user', content: 'END' }] })
  const [start, end] = body.split('END')
  let left = Math.ceil(mebibytes * 16)
  const length = Buffer.byteLength(start + end) + left * 65536
  const frame = (text) => isChunked ? text.length.toString(16) + '\\r\\n' + text + '\\r\\n' : text
  const text = piece.repeat(65536 / piece.length)
  socket.on('error', resolve).on('close', resolve).on('data', () => {})
  setTimeout(() => socket.destroy(), 4000).unref()
  socket.write('POST ' + target + ' HTTP/1.1\\r\\nhost: x\\r\\nauthorization: Bearer ' + process.env.TOKEN +
    '\\r\\nconnection: close\\r\\ncontent-type: application/json\\r\\n' +
    (isChunked ? 'transfer-encoding: chunked' : 'content-length: ' + length) + '\\r\\n\\r\\n' + frame(start))
  const go = () => {
    while (left > 0 && !socket.destroyed) {
      left -= 1
      if (!socket.write(frame(text))) return void socket.once('drain', go)
    }
    socket.write(frame(end) + (isChunked ? '0\\r\\n\\r\\n' : ''))
  }
  go()
})
const many = (count, ...how) => Promise.all(Array.from({ length: count }, () => post(...how)))
`
