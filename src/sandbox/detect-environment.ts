import { existsSync, readFileSync } from 'node:fs'

/** Variables of a process; `undefined` is absent. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Whether this is a build machine: `CI` is set to anything that does not say no. */
export function isCi(environment: Environment): boolean {
  return !['', '0', 'false'].includes((environment['CI'] ?? '').toLowerCase())
}

/** Whether an editor runs Vitest: it does so by itself, on every save. */
export function isEditor(environment: Environment): boolean {
  return environment['VITEST_VSCODE'] === 'true'
}

/** Whether this runs in a container, where another sandbox often cannot be made. */
export function isContainer(
  environment: Environment,
  readText: (path: string) => string | null = readTextFile,
): boolean {
  if (['container', 'KUBERNETES_SERVICE_HOST'].some((name) => (environment[name] ?? '') !== '')) return true
  if (MARKERS.some((path) => readText(path) !== null)) return true

  return /docker|containerd|kubepods|libpod|lxc|garden/.test(readText('/proc/1/cgroup') ?? '')
}

/** Text of a small system file; `null` when it is absent or unreadable. */
export function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return existsSync(path) ? '' : null
  }
}

const MARKERS = ['/.dockerenv', '/run/.containerenv']
