import type { Issue } from '../lib/documents/document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { AamConfig } from './aam/aam-defaults.ts'
import type { LoadedAgent } from './golden/load-agent.ts'
import type { SkillSuites } from './skill-evals/skill-suites.ts'
import type { FieldsOption } from './skill-evals/vocabulary.ts'
import type { CaseMatter, CasePart, Suite } from './suite.ts'

/** A format of cases. A new one is a folder in formats/ and a line in formats/registry.ts. */
export interface Format {
  /** How its files are found and read; absent where another format or Vitest itself reads them. */
  readonly files?: FormatFiles
  /** Folder of a suite file's cases in recordings, scenarios and evidence; both relative to the package. */
  recordingFolder(suite: string): string
  /** Seconds for a case that nothing else limits. */
  readonly defaultTimeout: number
  /** What `list` calls its cases. */
  readonly kind: string
  /** What lint finds in a suite that can be read; the same finding of several suites is shown once. */
  lint?(suite: Suite): readonly Issue[]
  /** What is written of its cases beside the report. */
  readonly extras?: readonly ReportExtra[]
}

/** BMAD's summary of a suite and grading of a case, or block and log of an agent's tests. */
export type ReportExtra = 'execution-summary' | 'grading' | 'run-log'

/** How the files of a format are found and read. */
export interface FormatFiles {
  /** Where they may lie below a Vitest root, with `isPlace`; absent where only a search tells. */
  readonly globs?: readonly string[]
  /** Whether a path below the Vitest root is such a place: a new file there is read without another search. */
  readonly isPlace?: (path: string) => boolean
  /** Whether the option `evals` names its files; formats that it does not name are left out then. */
  readonly isNamedByEvals?: true
  /** Finds them: absolute paths, sorted. */
  find(search: FormatSearch): Promise<readonly string[]>
  /** Whether this format reads a file; the first of the list that does gets it. */
  recognises(file: string, context: SuiteContext): Promise<boolean>
  /** Reads a file. Never throws: everything wrong is among the suite's issues. */
  load(file: string, context: SuiteContext): Promise<Suite>
}

/** What a search is made with. */
export interface FormatSearch {
  /** The Vitest root, absolute. */
  readonly root: string
  /** Absolute path of the folder of agents. */
  readonly agentsRoot: string
  readonly cache: Pick<SuiteCache, 'skillSuites'>
}

/** What a suite is read with. */
export interface SuiteContext {
  /** The Vitest root, absolute. */
  readonly root: string
  /** Shares packages and configuration between suites. */
  readonly cache: SuiteCache
  /** Remembers what the suite is read from. */
  readonly fs: TrackedFs
}

/** What many suites share, read once while nothing it was read from changes. */
export interface SuiteCache {
  readonly packageOf: (root: string) => Promise<AgentPackage>
  readonly configOf: (file: string) => Promise<AamConfig>
  /** The package as this case of the suite gets it. */
  readonly packageFor: (
    suite: Pick<Suite, 'packageRoot' | 'skill'>,
    evalCase: CasePart<'skill'>,
  ) => Promise<AgentPackage>
  /** The plugins of a case of `claude plugin eval`, in its order; none for every other case. */
  readonly pluginsOf: (suite: Pick<Suite, 'packageRoot'>, evalCase: CaseMatter) => Promise<readonly AgentPackage[]>
  /** The agent that the folder `evals` is of. */
  readonly agentOf: (evalsDir: string) => Promise<LoadedAgent>
  /** The suites of skills below a Vitest root, looked for once. */
  readonly skillSuites: (root: string) => Promise<SkillSuites>
  /** Looks for them again. What was a suite before can still be read, to name what is wrong with it now. */
  readonly searchAgain: (root: string) => void
  readonly ownPaths: readonly string[]
  /** The plugin's option `fields`. */
  readonly fields: FieldsOption
}

/** Where a search looked that found nothing; for those who ask. */
export function searchedPlaces({ suites, lookedIn }: SkillSuites): readonly string[] {
  return suites.size > 0 ? [] : lookedIn.map((place) => `no evals in ${place}`)
}

/** The one sentence where there are no evals at all, beside what was found and is not used. */
export function nothingFound(notes: readonly unknown[]): string {
  return notes.length > 0 ? NONE_READ : NOTHING
}

const CREATE = 'Create a first one with npx vitest-agent-evals init.'
const NONE_READ = `No evals found: no file reads like a suite. ${CREATE}`

/** What every command answers where there are no evals at all. */
export const NOTHING: string = `No evals found: no evals.json, no evals/cases/*.yaml and no *.eval.ts. ${CREATE}`
