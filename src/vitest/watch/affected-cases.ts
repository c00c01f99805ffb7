import { kindOf } from '../../suites/kinds.ts'
import { dependenceOn, type Dependence } from '../../inputs/dependence.ts'
import { createInputCache } from '../../inputs/input-cache.ts'
import { recordingFolder } from '../../case/prepare/choose-source.ts'
import { scenarioPlaces } from '../../case/prepare/find-scenario.ts'
import { identifyCase } from '../../case/plan/plan-case.ts'
import { createCaseMemory } from './case-memory.ts'
import type { RunSettings } from '../../settings.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { CasePlanner } from '../plugin/case-planner.ts'
import type { SuiteStore } from '../modules/suite-store.ts'

/** Cases that changed files make due. */
export interface AffectedCases {
  /** Ids by absolute path of the suite file; `null` for all of its cases. */
  readonly suites: ReadonlyMap<string, ReadonlySet<string> | null>
  /** Suite files that were none when things were remembered; all of their cases are due. */
  readonly added: readonly string[]
  /** Suite files that are none any more. */
  readonly gone: readonly string[]
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
  /** Remembers how everything that was looked at is now, so that the next change can be found. */
  remember(): Promise<void>
}

/** What the finder looks at. */
export interface AffectedOptions {
  readonly store: SuiteStore
  readonly planner: CasePlanner
  readonly settings: Pick<RunSettings, 'engine' | 'root' | 'scenarios'>
}

interface SeenSuite {
  readonly suite: Suite
  readonly packages: readonly AgentPackage[]
}

/** Creates the finder of one Vitest process. */
export function createAffectedFinder({ store, planner, settings }: AffectedOptions): AffectedFinder {
  const cache = createInputCache()
  const memory = createCaseMemory()
  const skillsUsed = new Map<string, ReadonlySet<string>>()
  let looked: readonly SeenSuite[] | null = null

  const see = async (suiteFile: string): Promise<SeenSuite> => {
    const suite = await store.load(suiteFile)
    return { suite, packages: await Promise.all(suite.cases.map((one) => store.packageFor(suite, one))) }
  }

  const dependence = (suite: Suite, evalCase: EvalCase, pkg: AgentPackage, file: string): Dependence | null => {
    const { id, engineName } = identifyCase(suite, evalCase, settings)
    const asked = { suite, evalCase, engineName }
    const answers = [recordingFolder(asked), ...scenarioPlaces({ ...asked, settings })]
    const used = skillsUsed.get(id) ?? NOTHING
    const kind = dependenceOn(file, { suite, evalCase, package: pkg, answers, skillsUsed: used }, cache)
    return kind === 'listed' && !memory.isDescribedAnew(file, pkg) ? null : kind
  }

  return {
    async find(files) {
      const suites = new Map<string, ReadonlySet<string> | null>()
      const triggers = new Set<string>()
      let listed = 0
      store.noteChanged(files)
      const found = await store.find()
      const seen: SeenSuite[] = []
      const { added, gone } = memory.compareFiles(found)
      for (const suiteFile of found) {
        const one = await see(suiteFile)
        const { suite } = one
        seen.push(one)
        const isEdited = files.includes(suiteFile)
        const edited = isEdited ? memory.changedCases(suite) : NOTHING
        const others = files.filter((file) => file !== suiteFile)
        const due = new Set<string>()
        for (const evalCase of await planner.all(suite)) {
          const pkg = await store.packageFor(suite, evalCase)
          const kinds = new Set(others.map((file) => dependence(suite, evalCase, pkg, file)))
          const isDue = edited.has(evalCase.id) || kinds.has('own')
          if (isDue) due.add(evalCase.id)
          else if (kinds.has('listed')) listed += 1
          if (isDue && kindOf(evalCase).selectedBy === 'trigger') triggers.add(suiteFile)
        }
        // A save that changes no case asks for all of them, and a file that cannot be read says so itself.
        if (added.includes(suiteFile)) suites.set(suiteFile, null)
        else if (due.size > 0 || isEdited || memory.failsAnew(suite, files))
          suites.set(suiteFile, due.size > 0 ? due : null)
      }
      looked = seen
      return { suites, added, gone, triggers, listed }
    },
    noteSkills: (caseId, skills) => void skillsUsed.set(caseId, new Set(skills)),
    async remember() {
      // What changed after the last look has a look of its own, which must still find it new.
      const seen = looked ?? (await Promise.all((await store.find()).map(see)))
      looked = null
      memory.keepFiles(seen.map(({ suite }) => suite.file))
      for (const { suite, packages } of seen) {
        memory.keepSuite(suite)
        for (const pkg of packages) memory.keepPackage(pkg)
      }
    },
  }
}

const NOTHING: ReadonlySet<string> = new Set()
