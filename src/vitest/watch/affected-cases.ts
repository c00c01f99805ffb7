import { dirname } from 'node:path'
import { identifyCase } from '../../case/plan/plan-case.ts'
import { recordingFolder } from '../../case/prepare/choose-source.ts'
import { scenarioPlaces } from '../../case/prepare/find-scenario.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { errorsOfFile, formatIssue } from '../../lib/documents/document.ts'
import { sha256 } from '../../lib/sha256.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { dependsOn } from '../../session/inputs/collect.ts'
import { createInputCache } from '../../session/inputs/input-cache.ts'
import type { SuiteStore } from '../modules/suite-store.ts'
import type { CasePlanner } from '../plugin/case-planner.ts'

/** Cases that changed files make due. */
export interface AffectedCases {
  /** Ids by absolute path of the suite file; `null` for all of its cases. */
  readonly suites: ReadonlyMap<string, ReadonlySet<string> | null>
  /** Suite files that were none when things were remembered; all of their cases are due. */
  readonly added: readonly string[]
  /** Suite files that are none any more. */
  readonly gone: readonly string[]
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
interface AffectedOptions {
  readonly store: SuiteStore
  readonly planner: CasePlanner
  readonly settings: Pick<RunSettings, 'engine' | 'root' | 'scenarios'>
}

/** Creates the finder of one Vitest process. */
export function createAffectedFinder({ store, planner, settings }: AffectedOptions): AffectedFinder {
  const cache = createInputCache()
  const memory = createCaseMemory()
  const skillsUsed = new Map<string, ReadonlySet<string>>()
  let looked: readonly Suite[] | null = null

  const dependsOnAny = (suite: Suite, evalCase: EvalCase, pkg: AgentPackage, files: readonly string[]): boolean => {
    const { id, engineName } = identifyCase(suite, evalCase, settings)
    const subject = { suite, evalCase, engineName }
    const answers = [recordingFolder(subject), ...scenarioPlaces({ ...subject, settings })]
    const request = { suite, evalCase, package: pkg, answers, skillsUsed: skillsUsed.get(id) ?? NOTHING }
    return files.some((file) => dependsOn(file, request, cache))
  }

  return {
    async find(files) {
      const suites = new Map<string, ReadonlySet<string> | null>()
      store.noteChanged(files)
      const found = await store.find()
      const seen: Suite[] = []
      const { added, gone } = memory.compareFiles(found)
      for (const suiteFile of found) {
        const suite = await store.load(suiteFile)
        seen.push(suite)
        const isEdited = files.includes(suiteFile)
        const edited = isEdited ? memory.changedCases(suite) : NOTHING
        const others = files.filter((file) => file !== suiteFile)
        const due = new Set<string>()
        for (const evalCase of await planner.all(suite)) {
          const pkg = await store.packageFor(suite, evalCase)
          if (edited.has(evalCase.id) || dependsOnAny(suite, evalCase, pkg, others)) due.add(evalCase.id)
        }
        // A save that changes no case asks for all of them, and a file that cannot be read says so itself.
        if (added.includes(suiteFile)) suites.set(suiteFile, null)
        else if (due.size > 0 || isEdited || memory.failsAnew(suite, files))
          suites.set(suiteFile, due.size > 0 ? due : null)
      }
      looked = seen
      return { suites, added, gone }
    },
    noteSkills: (caseId, skills) => void skillsUsed.set(caseId, new Set(skills)),
    async remember() {
      // What changed after the last look has a look of its own, which must still find it new.
      const seen = looked ?? (await Promise.all((await store.find()).map(async (file) => store.load(file))))
      looked = null
      memory.keepFiles(seen.map(({ file }) => file))
      for (const suite of seen) memory.keepSuite(suite)
    },
  }
}

const NOTHING: ReadonlySet<string> = new Set()

/** What a watching Vitest remembers of suites, to tell what an edit has changed. */
interface CaseMemory {
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
}

/** Creates an empty memory. */
function createCaseMemory(): CaseMemory {
  const cases = new Map<string, ReadonlyMap<string, string>>()
  const failures = new Map<string, string>()
  let earlierFiles: ReadonlySet<string> | null = null
  return {
    keepFiles(files) {
      earlierFiles = new Set(files)
    },
    compareFiles(files) {
      const before = earlierFiles ?? new Set(files)
      const now = new Set(files)
      return { added: files.filter((file) => !before.has(file)), gone: [...before].filter((file) => !now.has(file)) }
    },
    keepSuite(suite) {
      const failure = describeFailure(suite)
      // A file that is half written, or broken for a while, has the cases that it had.
      if (suite.cases.length > 0 || failure === '') cases.set(suite.file, hashCases(suite))
      failures.set(suite.file, failure)
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
