import { AgentEvalsError } from '../errors.ts'
import { openTrackedFs } from '../documents/tracked-fs.ts'
import { formats } from './formats/registry.ts'
import { createSuiteCache } from './suite-cache.ts'
import type { FormatFiles, FormatSearch, SuitePlace } from './format.ts'
import type { EvalCase, Suite } from './suite.ts'

export { createSuiteCache, type SuiteCache } from './suite-cache.ts'

/** What {@link loadSuite} needs to know. */
export type LoadSuiteOptions = Partial<SuitePlace> & Pick<SuitePlace, 'root'>

/** Reads a suite file with its configuration and package. Never throws: everything wrong is among its issues. */
export async function loadSuite(
  file: string,
  { root, cache = createSuiteCache(), fs = openTrackedFs() }: LoadSuiteOptions,
): Promise<Suite> {
  const place = { root, cache, fs }
  for (const format of filesOf())
    if (await format.recognises(file, place)) return markSharedLines(await format.load(file, place))
  throw new AgentEvalsError('invalid-suite', `No format reads ${file}.`)
}

// A file without line breaks is one line to editors and filters, however many cases it has.
function markSharedLines(suite: Suite): Suite {
  const counts = new Map<number, number>()
  for (const { at } of suite.cases) counts.set(at.line, (counts.get(at.line) ?? 0) + 1)
  if (counts.size === suite.cases.length) return suite
  const isShared = ({ at }: EvalCase): boolean => (counts.get(at.line) ?? 0) > 1
  return { ...suite, cases: suite.cases.map((one) => (isShared(one) ? { ...one, sharesLine: true } : one)) }
}

/** Suite files below a root: those at a place where new ones are looked for, and those that only a search knows. */
export interface FoundSuites {
  readonly placed: readonly string[]
  readonly searched: readonly string[]
}

/** Finds the suite files below a root; `isNamed`: only what the option `evals` names. */
export async function findSuites(search: FormatSearch, isNamed: boolean): Promise<FoundSuites> {
  const wanted = filesOf().filter((format) => !isNamed || format.isNamedByEvals === true)
  const found = await Promise.all(wanted.map((format) => format.find(search)))
  const ofKind = (isPlaced: boolean): readonly string[] =>
    wanted.flatMap(({ isPlace }, index) => ((isPlace !== undefined) === isPlaced ? (found[index] ?? []) : []))
  return { placed: ofKind(true), searched: ofKind(false) }
}

/** How the files of these formats are found and read. */
export function filesOf(): readonly FormatFiles[] {
  return Object.values(formats).flatMap(({ files }) => files ?? [])
}
