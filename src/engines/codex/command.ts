import { expandCommand } from '../install/expand-command.ts'
import { gatewayArguments } from './config.ts'
import { buildEnvironment } from './environment.ts'
import type { CommandRequest, EngineCommand } from '../engine.ts'

/** One session that prints its events and leaves none of its own files. */
export const EXEC = ['exec', '--json', '--skip-git-repo-check', '--strict-config', '--ephemeral'] as const

/** Builds `codex exec`. Its own sandbox stays off: ours is around it, or none was asked for. */
export function codexCommand(request: CommandRequest): EngineCommand {
  const { paths, gateway, model, confined } = request
  return {
    arguments: [
      ...EXEC,
      // Outside a sandbox what the CLI holds for dangerous stays refused.
      ...(confined ? [] : ['--ignore-rules']),
      '--dangerously-bypass-approvals-and-sandbox',
      // The package under test is what is to run, and no user can be asked.
      '--dangerously-bypass-hook-trust',
      '-C',
      paths.workspace,
      ...gatewayArguments(gateway),
      ...(model === null ? [] : ['-m', model]),
      '-',
    ],
    env: buildEnvironment(request),
    stdin: expandCommand(request.prompt, request.commands),
  }
}
