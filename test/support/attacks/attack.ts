import type { ReportCase } from '../../../src/report/report.ts'
import type { ConformingEngine } from '../conformance/engines.ts'
import type { RawAnswer, RawRequest } from '../raw-upstream.ts'
import type { Files } from '../red-cases/aam.ts'

/** A session that tries to break a promise of SECURITY.md, which names it. */
export interface Attack {
  /** Name of its case. */
  readonly name: string
  /** Number of the promise. */
  readonly promise: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
  /** Engines that it is tried on, where it depends on the engine. @default one, in turn */
  readonly engines?: readonly string[]
  /** The kernel exempts root from what stops it. */
  readonly notAsRoot?: true
  readonly does: Deed
  /** How its case ends: the outcome, and the code of an error. */
  readonly ends: RegExp
  /** What must hold besides. */
  readonly holds?: (seen: Seen) => void
  /** What looks like it and is honest. It passes; its case has the same name and `-honest`. */
  readonly twin?: Deed
}

/** What a session does, written as a case. */
export interface Deed {
  /** Folder of its package. */
  readonly folder: string
  /** Files of its case, by path below that folder. */
  readonly files: (name: string, engine: ConformingEngine) => Files
  /** The command of a session whose model is asked for it. */
  readonly command?: (name: string, engine: ConformingEngine) => string
  /** What the API answers to it instead; `null` is left to the model. */
  readonly answer?: (request: RawRequest) => RawAnswer | null
}

/** What an attack left. */
export interface Seen {
  readonly engine: string
  readonly found: ReportCase
  /** Absolute path of the evidence of its run. */
  readonly folder: string
  /** What its tools answered. */
  readonly results: string
  /** Requests that reached the API in its name. */
  readonly requests: readonly RawRequest[]
}
