import { KEY_VARIABLE } from './config.ts'
import { ownFolders, PAST_PROXIES } from '../install/own-folders.ts'
import type { CommandRequest } from '../engine.ts'

/** The variables of a session. Ours win over the suite's `env`: otherwise a suite could lead it past the gateway. */
export function buildEnvironment({
  env,
  paths,
  gateway,
}: Pick<CommandRequest, 'env' | 'gateway' | 'paths'>): Readonly<Record<string, string>> {
  return {
    ...env,
    // Codex refuses to work with a home below its folder for temporary files: they lie side by side.
    ...ownFolders(paths),
    ...PAST_PROXIES,
    CODEX_HOME: paths.config,
    [KEY_VARIABLE]: gateway.token,
  }
}
