import { sha256 } from '../../sha256.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'

/** What a watching Vitest remembers of suites and packages, to tell what an edit has changed. */
export interface CaseMemory {
  keepSuite(suite: Suite): void
  /** Ids of the cases that are not as they were kept. */
  changedCases(suite: Suite): ReadonlySet<string>
  keepPackage(pkg: AgentPackage): void
  /** Whether the file describes its skill or agent in other words than were kept. */
  isDescribedAnew(file: string, pkg: AgentPackage): boolean
}

/** Creates an empty memory. */
export function createCaseMemory(): CaseMemory {
  const cases = new Map<string, ReadonlyMap<string, string>>()
  const descriptions = new Map<string, string>()
  return {
    keepSuite: (suite) => void cases.set(suite.file, hashCases(suite)),
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

function hashCases({ cases, config }: Suite): ReadonlyMap<string, string> {
  return new Map(cases.map((evalCase) => [evalCase.id, hashCase(evalCase, config)]))
}

// A case that has only moved is the same.
function hashCase(evalCase: EvalCase, config: Suite['config']): string {
  const text = JSON.stringify([evalCase, config], (key, value: unknown) => (POSITIONS.has(key) ? undefined : value))
  return sha256(text)
}

const POSITIONS: ReadonlySet<string> = new Set(['at', 'promptAt'])
