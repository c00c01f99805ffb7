import { existsSync } from 'node:fs'
import { basename, isAbsolute, resolve } from 'node:path'

/** What decides whether the project takes part in a run. */
export interface GateRequest {
  readonly name: string
  readonly when: 'always' | 'named'
  /** Values of `--project`. */
  readonly projects: readonly string[]
  /** File filters of the command line. */
  readonly filters: readonly string[]
  /** Absolute paths of all suite files. */
  readonly suites: readonly string[]
  /** Folder that filters are relative to. */
  readonly root: string
  /** Whether an editor or a merge of reports asks, which never starts anything by itself. */
  readonly showOnly: boolean
}

/** Why the project takes part; `null` when it does not. */
export type GateReason = 'always' | 'file-named' | 'project-named' | 'show-only'

/** Paid work is never started by a plain `vitest`: the project, or one of its files, has to be named. */
export function openGate(request: GateRequest): GateReason | null {
  if (request.projects.some((pattern) => namesProject(pattern, request.name))) return 'project-named'
  if (request.when === 'always') return 'always'
  if (request.projects.length === 0 && request.filters.some((filter) => namesSuite(filter, request)))
    return 'file-named'
  return request.showOnly ? 'show-only' : null
}

// `*` alone means "all the usual ones", which is not a name.
function namesProject(pattern: string, name: string): boolean {
  if (pattern.startsWith('!') || pattern === '*') return false
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(name)
}

// A filter is a substring of a path for Vitest. It names a suite when it ends like a file of one, or is the very
// folder of some; `src` must not open the project because `evals/cases/src.yaml` exists.
function namesSuite(filter: string, { suites, root }: GateRequest): boolean {
  const path = filter.replace(/:\d+(?:-\d+)?$/, '')
  if (/\.(?:ya?ml|json|md)$/i.test(path))
    return suites.some((suite) => suite.includes(path) || suite === resolve(root, path))
  const folder = isAbsolute(path) ? path : resolve(root, path)
  const isEvalsFolder = folder.split(/[\\/]/).includes('evals') && existsSync(folder)
  return isEvalsFolder && suites.some((suite) => suite.startsWith(`${folder.replace(/[\\/]$/, '')}/`))
}

/** The filters of a `vitest` command line; none when another program drives Vitest. */
export function readFilters(
  argv: readonly string[],
  parse: (argv: string[]) => { readonly filter: readonly string[] },
): readonly string[] {
  const program = basename(argv[1] ?? '')
  if (!program.startsWith('vitest')) return []
  try {
    return parse(['vitest', ...argv.slice(2)]).filter
  } catch {
    return []
  }
}
