import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { config } from './eval-project.ts'
import { FLOOD } from './flood.ts'
import { lineEngine } from './line-engine.ts'
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

/** It listens to the answers, as the engines do whose record is what the gateway saw. */
const ENGINE = `import { join } from 'node:path'
${lineEngine(`
  name: 'attacker',
  executable: 'node',
  versionArguments: ['--version'],
  parseVersion: (text) => text.trim(),
  command: ({ env, gateway }) => ({
    arguments: [join(import.meta.dirname, 'attack.mjs')],
    env: { ...env, GATEWAY: gateway.baseUrl, TOKEN: gateway.token },
    stdin: '',
  }),
  recordTable: {
    callOf: ({ name, input }) => ({ tool: name, input }),
    plainTool: (tool) => tool,
    resultOf: ({ text, isError }) => ({ text, isError, blockedBy: null }),
    skillsOf: () => [],
    showsCalls: false,
  },
`)}`

/** `many` sends several requests at once, each with a text of that many MiB; `ask` sends one with a body of its own. */
const PRELUDE = `
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
const { hostname: host, port } = new URL(process.env.GATEWAY)
const question = { model: 'gpt-5', stream: true, max_completion_tokens: 100, messages: [{ role: 'user', content: 'END' }] }
${FLOOD}
const many = (count, ...how) => floods(count, {
  address: { host, port: Number(port) }, endpoint: '/v1/chat/completions', token: process.env.TOKEN, body: JSON.stringify(question),
}, ...how)
const ask = (body) => flood({ address: { host, port: Number(port) }, endpoint: '/v1/chat/completions', token: process.env.TOKEN, body: body + 'END' })
const askWith = (messages, more = {}) => ask(JSON.stringify({ ...question, messages, ...more }).replaceAll('END', ''))
`
