import { dependenceOn, type Dependence } from '../../inputs/dependence.ts'
import { createInputCache } from '../../inputs/input-cache.ts'
import { recordingFolder } from '../../case/prepare/choose-source.ts'
import { scenarioPlaces } from '../../case/prepare/find-scenario.ts'
import { planCase } from '../../case/plan/plan-case.ts'
import { createCaseMemory } from './case-memory.ts'
import type { RunSettings } from '../../settings.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { CaseSelection } from './select-cases.ts'
import type { SuiteStore } from './suite-store.ts'

/** Cases that changed files make due. */
export interface AffectedCases {
  /** Ids by absolute path of the suite file; `null` for all of its cases. */
  readonly suites: ReadonlyMap<string, ReadonlySet<string> | null>
  /** Suite files with a due query. */
  readonly triggers: ReadonlySet<string>
  /** How many other cases are only shown a description that has changed. */
  readonly listed: number
}

/** Finds the cases that depend on files. */
export interface AffectedFinder {
  find(files: readonly string[]): Promise<AffectedCases>
  /** Remembers which skills the last run of a case used: it depends on them, whatever it is about. */
  noteSkills(caseId: string, skills: readonly string[]): void
  /** Remembers how everything is now, so that the next change can be found. */
  remember(): Promise<void>
}

/** What the finder looks at. */
export interface AffectedOptions {
  readonly store: SuiteStore
  readonly selection: CaseSelection
  readonly settings: Pick<RunSettings, 'engine' | 'lists' | 'root' | 'scenarios'>
}

/** Creates the finder of one Vitest process. */
export function createAffectedFinder({ store, selection, settings }: AffectedOptions): AffectedFinder {
  const cache = createInputCache()
  const memory = createCaseMemory()
  const skillsUsed = new Map<string, ReadonlySet<string>>()

  const dependence = (suite: Suite, evalCase: EvalCase, pkg: AgentPackage, file: string): Dependence | null => {
    const { id, engineName } = planCase(suite, evalCase, settings)
    const asked = { suite, evalCase, engineName }
    const answers = [recordingFolder(asked, settings.lists?.formats), ...scenarioPlaces({ ...asked, settings })]
    const used = skillsUsed.get(id) ?? NOTHING
    const kind = dependenceOn(file, { suite, evalCase, package: pkg, answers, skillsUsed: used }, cache)
    return kind === 'listed' && !memory.isDescribedAnew(file, pkg) ? null : kind
  }

  return {
    async find(files) {
      const suites = new Map<string, ReadonlySet<string> | null>()
      const triggers = new Set<string>()
      let listed = 0
      for (const suiteFile of await store.find()) {
        const suite = await store.load(suiteFile)
        const isEdited = files.includes(suiteFile)
        const edited = isEdited ? memory.changedCases(suite) : NOTHING
        const others = files.filter((file) => file !== suiteFile)
        const due = new Set<string>()
        for (const evalCase of await selection.of(suite)) {
          const pkg = await store.packageFor(suite, evalCase)
          const kinds = new Set(others.map((file) => dependence(suite, evalCase, pkg, file)))
          const isDue = edited.has(evalCase.id) || kinds.has('own')
          if (isDue) due.add(evalCase.id)
          else if (kinds.has('listed')) listed += 1
          if (isDue && evalCase.trigger !== undefined) triggers.add(suiteFile)
        }
        // A save that changes no case asks for all of them, and a file that cannot be read says so itself.
        if (due.size > 0 || isEdited) suites.set(suiteFile, due.size > 0 ? due : null)
      }
      return { suites, triggers, listed }
    },
    noteSkills: (caseId, skills) => void skillsUsed.set(caseId, new Set(skills)),
    async remember() {
      for (const suiteFile of await store.find()) {
        const suite = await store.load(suiteFile)
        memory.keepSuite(suite)
        for (const evalCase of suite.cases) memory.keepPackage(await store.packageFor(suite, evalCase))
      }
    },
  }
}

const NOTHING: ReadonlySet<string> = new Set()
