import { join } from 'node:path/posix'
import { expandCommand } from '../install/expand-command.ts'
import { ownFolders, PAST_PROXIES } from '../install/own-folders.ts'
import { MCP_FILE } from './install-mcp.ts'
import { sha256 } from '../../sha256.ts'
import type { CommandRequest, EngineBase, EngineCommand } from '../engine.ts'

/** Builds the headless call. Without `-p` the prompt is what comes on standard input, however long it is. */
export function copilotCommand(request: CommandRequest, wire: EngineBase['wire']): EngineCommand {
  const { paths, target, hasMcp, confined } = request
  const sessionId = request.resume ?? idFor(request.gateway.token)
  return {
    arguments: [
      '--output-format=json',
      '--no-ask-user',
      '--no-auto-update',
      `--session-id=${sessionId}`,
      '--disable-builtin-mcps',
      '--allow-all-tools',
      // Outside a sandbox the CLI's own guard of paths and addresses is all there is.
      ...(confined ? ['--allow-all-paths', '--allow-all-urls'] : [`--add-dir=${paths.packageRoot}`]),
      ...(hasMcp ? [`--additional-mcp-config=@${join(paths.config, MCP_FILE)}`] : []),
      ...(target?.kind === 'agent' ? [`--agent=${target.name}`] : []),
      '-C',
      paths.workspace,
    ],
    env: environment(request, wire),
    stdin: expandCommand(request.prompt, request.commands),
    sessionId,
  }
}

// The CLI tells the id of a session only at its end, which one that is killed never reaches.
function idFor(token: string): string {
  const hex = sha256(token)
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

// Ours win over the suite's `env`: otherwise a suite could lead the session past the gateway.
function environment(request: CommandRequest, wire: EngineBase['wire']): Readonly<Record<string, string>> {
  const { env, paths, gateway, model, unpacked } = request
  return {
    ...env,
    ...ownFolders(paths),
    ...PAST_PROXIES,
    COPILOT_HOME: paths.config,
    // No account, no telemetry, no update: nothing but the provider is asked.
    COPILOT_OFFLINE: 'true',
    // Otherwise the project's own hooks and agents are left out. The flag for it is none for a session with an id.
    COPILOT_ALLOW_ALL: 'true',
    ...(unpacked === null ? {} : { COPILOT_CLI_DIST_DIR: unpacked }),
    ...(model === null ? {} : { COPILOT_MODEL: model }),
    ...(wire === 'anthropic-messages'
      ? { COPILOT_PROVIDER_TYPE: 'anthropic', COPILOT_PROVIDER_BASE_URL: gateway.baseUrl }
      : {
          COPILOT_PROVIDER_TYPE: 'openai',
          COPILOT_PROVIDER_WIRE_API: 'responses',
          COPILOT_PROVIDER_BASE_URL: `${gateway.baseUrl}/v1`,
        }),
    [gateway.credential === 'api-key' ? 'COPILOT_PROVIDER_API_KEY' : 'COPILOT_PROVIDER_BEARER_TOKEN']: gateway.token,
  }
}
