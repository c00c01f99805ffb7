import type { Issue } from '../documents/issue.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { SuiteCache } from './suite-cache.ts'
import type { Suite } from './suite.ts'

/** A format of cases. A new one is a folder in formats/ and a line in formats/registry.ts. */
export interface Format {
  /** How its files are found and read; absent where another format or Vitest itself reads them. */
  readonly files?: FormatFiles
  /** Folder of a suite file's cases in recordings and evidence; both relative to the package. */
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

/** Every format, by the name that results have. */
export type Formats = Readonly<Record<string, Format>>

/** Block and log of an agent's tests, BMAD's summary of a suite, or what another program reads. */
export type ReportExtra = 'aggregate-result' | 'execution-summary' | 'run-log' | 'skill-creator'

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
  recognises(file: string, place: SuitePlace): Promise<boolean>
  /** Reads a file. Never throws: everything wrong is among the suite's issues. */
  load(file: string, place: SuitePlace): Promise<Suite>
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
export interface SuitePlace {
  /** The Vitest root, absolute. */
  readonly root: string
  /** Shares packages and configuration between suites. */
  readonly cache: SuiteCache
  /** Remembers what the suite is read from. */
  readonly fs: TrackedFs
}
