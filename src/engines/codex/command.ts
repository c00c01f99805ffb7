import { expandCommand } from '../expand-command.ts'
import { gatewayArguments } from './config.ts'
import { buildEnvironment } from './environment.ts'
import type { CommandRequest, EngineCommand } from '../engine.ts'

/** Builds `codex exec`. Its own sandbox stays off: ours is around it, or none was asked for. */
export function codexCommand(request: CommandRequest): EngineCommand {
  const { paths, gateway, model, confined } = request
  return {
    arguments: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--strict-config',
      '--ephemeral',
      // Outside a sandbox what the CLI holds for dangerous stays refused.
      ...(confined ? [] : ['--ignore-rules']),
      '--dangerously-bypass-approvals-and-sandbox',
      // The package under test is what is to run, and nobody can be asked.
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
