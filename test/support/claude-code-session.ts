import { mkdirSync, readFileSync, writeFileSync, cpSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { describe, test } from 'vitest'
import { claudeCode } from '../../src/engines/claude-code/engine.ts'
import { mergeDecisions, parseDecisions } from '../../src/engines/hooks/hook-decisions.ts'
import { hookShimFile } from '../../src/engines/hooks/install-hooks.ts'
import { runProcess } from '../../src/sandbox/process/run-process.ts'
import { loadPackage } from '../../src/packages/load-package.ts'
import { numberEvents } from '../../src/transcript/select.ts'
import { claudeExecutable } from './engines.ts'
import { messagesIn } from './read-claude-stream.ts'
import { startMessagesServer, type ReceivedRequest, type Turn } from './messages-server.ts'
import type { CommandRequest, GatewayAccess } from '../../src/engines/engine.ts'
import type { StreamSummary } from '../../src/engines/stream.ts'
import type { RecordedDecision } from '../../src/engines/hooks/hook-plan.ts'
import type { TranscriptEvent } from '../../src/transcript/transcript.ts'

/** What one session of the real CLI is given. */
export interface SessionOptions {
  readonly package?: FileTree
  readonly workspace?: FileTree
  /** Files in the folder above the workspace. */
  readonly above?: FileTree
  readonly script: (request: ReceivedRequest) => Turn
  readonly command?: Partial<CommandRequest>
  readonly credential?: GatewayAccess['credential']
  readonly socket?: boolean
  /** Files below the root of the run to read at the end, such as `workspace/x.txt`. */
  readonly keep?: readonly string[]
  /** Parent's variables, for MCP servers. */
  readonly environment?: Readonly<Record<string, string>>
}

/** What it left. */
export interface Session {
  readonly exitCode: number | null
  readonly summary: StreamSummary
  readonly transcript: readonly TranscriptEvent[]
  readonly decisions: readonly RecordedDecision[]
  readonly requests: readonly ReceivedRequest[]
  readonly warnings: readonly string[]
  /** The content of a file that was kept; `null` when it was absent. */
  readonly read: (path: string) => string | null
  readonly stderr: string
}

/** A concurrent `describe` whose tests start the real CLI: without it they are one skipped test that says why. */
export function describeClaude(name: string, define: () => void): void {
  describe.concurrent(name, { tags: ['claude-code'] }, () => {
    if (claudeExecutable() !== null) return define()
    test('needs claude', ({ skip }) => skip('the platform package of @anthropic-ai/claude-code is not installed'))
  })
}

/** Installs a package and runs the real CLI on it, without a sandbox. */
export async function runSession(options: SessionOptions): Promise<Session> {
  const executable = claudeExecutable()
  if (executable === null) throw new Error('The platform package of @anthropic-ai/claude-code is not installed.')

  await using fixture = await createFixture({
    ...options.above,
    workspace: options.workspace ?? {},
    home: {},
    config: {},
    tmp: {},
    hooks: {},
    package: options.package ?? {},
  })
  const root = fixture.path.replace(/\/$/, '')
  const at = (path: string): string => join(root, path)
  await using server = await startMessagesServer(options.script, options.socket === true ? at('model.sock') : null)
  const paths = {
    workspace: at('workspace'),
    home: at('home'),
    config: at('config'),
    tmp: at('tmp'),
    hooks: at('hooks'),
    packageRoot: at('package'),
    node: process.execPath,
    shim: hookShimFile(),
  }
  const pkg = await loadPackage(at('package'))
  const installation = claudeCode.install({
    package: pkg,
    target: null,
    skills: pkg.skills.map(({ name }) => name),
    paths,
    environment: options.environment ?? {},
    network: true,
  })
  for (const { to, content } of installation.files) write(at(`workspace/${to}`), content)
  for (const { from, to, exclude } of installation.copies)
    cpSync(from, at(`workspace/${to}`), {
      recursive: true,
      filter: (file) => !exclude.some((name) => file === join(from, name)),
    })
  for (const { to, content } of installation.configFiles) write(at(`config/${to}`), content)
  write(at('hooks/plan.json'), JSON.stringify(installation.hookPlan))

  const command = claudeCode.command({
    prompt: 'go',
    target: null,
    commands: [],
    model: null,
    paths,
    // Only the permission mode follows from it; these sessions do nothing that needs confining.
    confined: true,
    writablePaths: null,
    unpacked: null,
    hasMcp: pkg.mcpServers.length > 0,
    resume: null,
    gateway: {
      baseUrl: server.url,
      socket: options.socket === true ? at('model.sock') : null,
      token: 'lease-token',
      credential: options.credential ?? 'api-key',
    },
    env: {},
    ...options.command,
  })
  const reader = claudeCode.createReader()
  const events: ReturnType<typeof reader.line>[number][] = []
  const result = await runProcess(executable, command.arguments, {
    cwd: paths.workspace,
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TERM: 'dumb', ...command.env },
    stdin: command.stdin,
    deadlineMs: 60_000,
    onLine: (line) => events.push(...reader.line(line)),
  })
  // The folder is gone when the caller asks.
  const contents = new Map(
    options.keep?.map((path) => [path, existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null]),
  )
  const decisions = parseDecisions(
    existsSync(at('hooks/decisions.jsonl')) ? readFileSync(at('hooks/decisions.jsonl'), 'utf8') : '',
  )
  const messages = messagesIn(events)
  return {
    exitCode: result.exitCode,
    summary: { ...reader.end(), output: messages.join('\n\n'), finalMessage: messages.at(-1) ?? '' },
    transcript: numberEvents(mergeDecisions(events, decisions)),
    decisions,
    requests: server.requests,
    warnings: installation.warnings,
    read: (path) => contents.get(path) ?? null,
    stderr: result.stderrTail,
  }
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}
