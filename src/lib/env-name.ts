/** A variable name that every shell takes. */
export const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Why a suite or project may not set this variable for the agent, as a sentence; `null` when it may. `ofEngines` are the beginnings of
 * the variables of engines.
 */
export function checkEnvName(name: string, ofEngines: readonly string[]): string | null {
  if (!ENV_NAME.test(name)) return 'not a variable name; use A-Z, 0-9 and _, not starting with a digit'
  const upper = name.toUpperCase()
  const isReserved =
    RESERVED.has(upper) || [...RESERVED_PREFIXES, ...ofEngines].some((prefix) => upper.startsWith(prefix))
  return isReserved ? 'is reserved: it would change the agent or its sandbox; choose another name' : null
}

// Each of these decides what runs, as whom, against which model, or where it may connect.
const RESERVED: ReadonlySet<string> = new Set([
  'ALL_PROXY',
  'BASH_ENV',
  'ENV',
  'FTP_PROXY',
  'HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'IFS',
  'LOGNAME',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NO_PROXY',
  'OLDPWD',
  'PATH',
  'PWD',
  'SHELL',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TEMP',
  'TMP',
  'TMPDIR',
  'USER',
])

const RESERVED_PREFIXES: readonly string[] = [
  'AGENT_EVALS_',
  'ATOMIC_AGENTS_',
  'BASH_FUNC_',
  'DYLD_',
  'LD_',
  'VITEST',
  'XDG_',
]
