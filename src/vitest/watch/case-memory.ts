import { dirname } from 'node:path'
import { errorsOfFile, formatIssue } from '../../documents/issue.ts'
import { sha256 } from '../../sha256.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'

/** What a watching Vitest remembers of suites and packages, to tell what an edit has changed. */
export interface CaseMemory {
  keepFiles(files: readonly string[]): void
  /** Which files are new, and which are missing. Nothing is before any were kept. */
  compareFiles(files: readonly string[]): { readonly added: readonly string[]; readonly gone: readonly string[] }
  keepSuite(suite: Suite): void
  /** Ids of the cases that are not as they were kept. */
  changedCases(suite: Suite): ReadonlySet<string>
  /**
   * Whether a suite file fails with other mistakes than it was kept with, or not any more. Of one that was not kept,
   * whether it fails for one of these files: no case of it can tell what it depends on.
   */
  failsAnew(suite: Suite, files: readonly string[]): boolean
  keepPackage(pkg: AgentPackage): void
  /** Whether the file describes its skill or agent in other words than were kept. */
  isDescribedAnew(file: string, pkg: AgentPackage): boolean
}

/** Creates an empty memory. */
export function createCaseMemory(): CaseMemory {
  const cases = new Map<string, ReadonlyMap<string, string>>()
  const failures = new Map<string, string>()
  const descriptions = new Map<string, string>()
  let known: ReadonlySet<string> | null = null
  return {
    keepFiles(files) {
      known = new Set(files)
    },
    compareFiles(files) {
      const before = known ?? new Set(files)
      const now = new Set(files)
      return { added: files.filter((file) => !before.has(file)), gone: [...before].filter((file) => !now.has(file)) }
    },
    keepSuite(suite) {
      cases.set(suite.file, hashCases(suite))
      failures.set(suite.file, describeFailure(suite))
    },
    failsAnew(suite, files) {
      const before = failures.get(suite.file)
      if (before !== undefined) return describeFailure(suite) !== before
      const failing = new Set(errorsOfFile(suite.issues).map(({ file }) => file))
      const isBeside = (file: string): boolean => file.startsWith(`${dirname(suite.file)}/`)
      return failing.size > 0 && files.some((file) => failing.has(file) || isBeside(file))
    },
    changedCases(suite) {
      const before = cases.get(suite.file)
      const now = hashCases(suite)
      return new Set([...now].flatMap(([id, hash]) => (before?.get(id) === hash ? [] : [id])))
    },
    keepPackage(pkg) {
      for (const { file, description } of [...pkg.skills, ...pkg.agents]) descriptions.set(file, description)
    },
    isDescribedAnew(file, pkg) {
      const part = [...pkg.skills, ...pkg.agents].find((one) => one.file === file)
      return part?.description !== descriptions.get(file)
    },
  }
}

function describeFailure({ issues }: Suite): string {
  return errorsOfFile(issues)
    .map((issue) => formatIssue(issue))
    .join('\n')
}

function hashCases({ cases, config }: Suite): ReadonlyMap<string, string> {
  return new Map(cases.map((evalCase) => [evalCase.id, hashCase(evalCase, config)]))
}

// A case that has only moved is the same.
function hashCase(evalCase: EvalCase, config: Suite['config']): string {
  const text = JSON.stringify([evalCase, config], (key, value: unknown) => (POSITIONS.has(key) ? undefined : value))
  return sha256(text)
}

const POSITIONS: ReadonlySet<string> = new Set(['at', 'promptAt', 'start'])
