import { join } from 'node:path/posix'
import { buildEnvironment } from './environment.ts'
import { MCP_FILE, SETTINGS_FILE } from './settings.ts'
import { pluginArguments } from './plugin-session.ts'
import type { CommandRequest, EngineCommand } from '../engine.ts'

/** The vendor's own hermetic recipe: only the workspace's files count, nothing of the person who runs it. */
export function buildCommand(request: CommandRequest): EngineCommand {
  const { config } = request.paths
  return {
    arguments: [
      '-p',
      '--output-format=stream-json',
      '--verbose',
      '--include-hook-events',
      '--forward-subagent-text',
      '--setting-sources=project',
      `--settings=${join(config, SETTINGS_FILE)}`,
      // The servers of a plugin are its own.
      ...(request.plugin === undefined ? ['--strict-mcp-config'] : []),
      ...((request.plugin === undefined ? request.hasMcp : request.plugin.standIns.length > 0)
        ? ['--mcp-config', join(config, MCP_FILE)]
        : []),
      ...(request.model === null ? [] : ['--model', request.model]),
      ...(request.target?.kind === 'agent' ? ['--agent', request.target.name] : []),
      ...(request.resume === null ? [] : ['--resume', request.resume]),
      ...(request.plugin === undefined ? permissions(request) : pluginArguments(request.plugin, request.paths)),
    ],
    env: buildEnvironment(request),
    // Variadic flags would swallow a prompt among the arguments, which are limited in length besides.
    stdin: request.prompt,
  }
}

// Inside a sandbox the permission layer would only hide a hook that fails to block. Outside it is all there is, and binds
// the file tools; nothing binds Bash.
function permissions({ confined, writablePaths }: CommandRequest): readonly string[] {
  if (confined) return ['--permission-mode', 'bypassPermissions']

  const edits = (writablePaths ?? ['.']).map((path) => `Edit(${relativeRule(path)})`)
  const rules = ['Bash', 'Skill', 'Agent', 'Read(./**)', ...edits]
  return ['--permission-mode', 'dontAsk', `--allowedTools=${rules.join(',')}`]
}

// `Edit` rules count for every tool that writes; `Write` rules are ignored.
function relativeRule(path: string): string {
  const plain = path.replace(/^(\.\/)+/, '').replace(/(?<!\/)\/+$/, '')
  return plain === '' || plain === '.' ? './**' : `./${plain}/**`
}
