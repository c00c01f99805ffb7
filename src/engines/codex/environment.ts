import { KEY_VARIABLE } from './config.ts'
import type { CommandRequest } from '../engine.ts'

/** The variables of a session. Ours win over the suite's `env`: otherwise a suite could lead it past the gateway. */
export function buildEnvironment({
  env,
  paths,
  gateway,
}: Pick<CommandRequest, 'env' | 'gateway' | 'paths'>): Readonly<Record<string, string>> {
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
