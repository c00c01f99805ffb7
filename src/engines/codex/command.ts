import { expandCommand } from './expand-command.ts'
import { KEY_VARIABLE, PROVIDER } from './config.ts'
import { toToml } from './toml.ts'
import type { CommandRequest, EngineCommand } from '../engine.ts'

/** Builds `codex exec`. Its own sandbox stays off: ours is around it, or none was asked for. */
export function codexCommand(request: CommandRequest): EngineCommand {
  const { paths, gateway, model, confined } = request
  const provider = `model_providers.${PROVIDER}.base_url=${toToml(`${gateway.baseUrl}/v1`)}`
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
      '-c',
      provider,
      ...(model === null ? [] : ['-m', model]),
      '-',
    ],
    env: environment(request),
    stdin: expandCommand(request.prompt, request.commands),
  }
}

// Ours win over the suite's `env`: otherwise a suite could lead the session past the gateway.
function environment({ env, paths, gateway }: CommandRequest): Readonly<Record<string, string>> {
  return {
    ...env,
    HOME: paths.home,
    CODEX_HOME: paths.config,
    XDG_CONFIG_HOME: `${paths.home}/.config`,
    XDG_CACHE_HOME: `${paths.home}/.cache`,
    XDG_DATA_HOME: `${paths.home}/.local/share`,
    XDG_STATE_HOME: `${paths.home}/.local/state`,
    // It refuses to work with a home below its folder for temporary files.
    TMPDIR: paths.tmp,
    TMP: paths.tmp,
    TEMP: paths.tmp,
    GIT_CONFIG_NOSYSTEM: '1',
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    [KEY_VARIABLE]: gateway.token,
  }
}
