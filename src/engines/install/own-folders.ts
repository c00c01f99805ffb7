import type { SessionPaths } from '../engine.ts'

/** The variables by which a session keeps to folders of its own, and git to no configuration of the machine's. */
export function ownFolders({ home, tmp }: Pick<SessionPaths, 'home' | 'tmp'>): Readonly<Record<string, string>> {
  return {
    HOME: home,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_CACHE_HOME: `${home}/.cache`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_STATE_HOME: `${home}/.local/state`,
    TMPDIR: tmp,
    TMP: tmp,
    TEMP: tmp,
    GIT_CONFIG_NOSYSTEM: '1',
  }
}

/** The variables by which the gateway is reached without a proxy. */
export const PAST_PROXIES: Readonly<Record<string, string>> = {
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
}
