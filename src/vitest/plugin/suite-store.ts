import { lstat } from 'node:fs/promises'
import { discoverSuites, isSuitePath } from '../../suites/discover.ts'
import { findDuplicateNames } from '../../suites/duplicate-names.ts'
import { formatIssue, type Issue } from '../../suites/issue.ts'
import { createSuiteCache, loadSuite } from '../../suites/load-suite.ts'
import type { AgentPackage } from '../../suites/package.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'

/** The suites of one Vitest root, each read once while its file stays the same. */
export interface SuiteStore {
  readonly root: string
  /** Whether this path is a suite's by its place. */
  owns(file: string): boolean
  find(): Promise<readonly string[]>
  load(file: string): Promise<Suite>
  packageOf(root: string): Promise<AgentPackage>
}

/** Creates the store for a Vitest root. */
export function createSuiteStore(root: string): SuiteStore {
  const cache = createSuiteCache()
  const loaded = new Map<string, { readonly stamp: string; readonly suite: Promise<Suite> }>()
  let duplicates: Promise<readonly Issue[]> | undefined

  async function read(file: string): Promise<Suite> {
    const stamp = await stampOf(file)
    const known = loaded.get(file)
    if (known?.stamp === stamp) return known.suite
    const suite = loadSuite(file, { root, cache })
    loaded.set(file, { stamp, suite })
    duplicates = undefined
    return suite
  }

  async function readDuplicates(): Promise<readonly Issue[]> {
    return findDuplicateNames(await Promise.all([...loaded.values()].map(({ suite }) => suite)))
  }

  return {
    root,
    owns: (file) => isSuitePath(file, root),
    find: () => discoverSuites(root),
    packageOf: cache.packageOf,
    async load(file) {
      const suite = await read(file)
      duplicates ??= readDuplicates()
      const found = (await duplicates).filter((issue) => issue.file === file)
      return found.length === 0 ? suite : { ...suite, issues: [...suite.issues, ...found] }
    },
  }
}

/** Whether a case is one of the target's; every case is without one. */
export function isSelected(evalCase: EvalCase, target: string | null): boolean {
  return target === null || targetName(evalCase) === target
}

/** A case's target as written, such as `skill:pdf-tools`. */
export function targetName({ target }: EvalCase): string | null {
  return target === null ? null : `${target.kind}:${target.name}`
}

/** The error that fails a suite file in Vitest: every mistake at once, the first one as the code frame. */
export function suiteError(suite: Suite, root: string): Error | null {
  const errors = suite.issues.filter((issue) => issue.severity === 'error')
  const [first] = errors
  if (first === undefined) return null
  const message = errors.map((issue) => formatIssue(issue, root)).join('\n')
  // Its frames would be ours: what is wrong is in the suite file.
  return Object.assign(new Error(message), { id: suite.file, plugin: 'agent-evals', loc: frameOf(first), stack: message })
}

function frameOf(issue: Issue): { file: string; line: number; column: number } {
  return { file: issue.file, line: issue.line, column: issue.column - 1 }
}

async function stampOf(file: string): Promise<string> {
  const stats = await lstat(file, { bigint: true }).catch(() => null)
  return stats === null ? 'absent' : `${stats.mtimeNs}-${stats.size}-${stats.ino}`
}
