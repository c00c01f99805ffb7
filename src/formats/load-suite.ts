import { basename, join } from 'node:path'
import type { Issue } from '../lib/documents/document.ts'
import { openTrackedFs, type TrackedFs } from '../lib/documents/read-text.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { loadCasePlugin, loadPackage } from '../packages/load-package.ts'
import { pathBelow, pathFrom } from '../packages/package-root.ts'
import type { AgentPackage } from '../packages/package.ts'
import { parseAamConfig } from './aam/aam-config.ts'
import type { FormatFiles, FormatSearch, SuiteCache, SuiteContext } from './format.ts'
import type { AssertCase } from './free-tests/test-suite.ts'
import { loadAgent, loadAgentPackage } from './golden/load-agent.ts'
import { isEvalCase, kindOf } from './kinds.ts'
import { NO_NAMES, type KnownNames, type CaseBase, type CaseMatter, type EvalCase, type Suite } from './suite.ts'
import { recordingSegments, toPathSegment } from './paths.ts'
import { formats } from './registry.ts'
import { discoverSkillSuites } from './skill-evals/find-suites.ts'
import {
  loadSkillPackage,
  type SkillPackageRequest,
  type SkillSearch,
  type SkillSuites,
  type SkillTrial,
} from './skill-evals/skill-suites.ts'

/** What {@link loadSuite} needs to know. */
export type LoadSuiteOptions = Partial<SuiteContext> & Pick<SuiteContext, 'root'>

/** Reads a suite file with its configuration and package. Never throws: everything wrong is among its issues. */
export async function loadSuite(
  file: string,
  { root, cache = createSuiteCache(), fs = openTrackedFs() }: LoadSuiteOptions,
): Promise<Suite> {
  const context = { root, cache, fs }
  for (const format of filesOf())
    if (await format.recognises(file, context)) return markSharedLines(await format.load(file, context))
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
  const chosen = filesOf().filter((format) => !isNamed || format.isNamedByEvals === true)
  const found = await Promise.all(chosen.map((format) => format.find(search)))
  const ofKind = (isPlaced: boolean): readonly string[] =>
    chosen.flatMap(({ isPlace }, index) => ((isPlace !== undefined) === isPlaced ? (found[index] ?? []) : []))
  return { placed: ofKind(true), searched: ofKind(false) }
}

/** How the files of these formats are found and read. */
export function filesOf(): readonly FormatFiles[] {
  return Object.values(formats).flatMap(({ files }) => files ?? [])
}

/** What of a suite names its cases. */
export interface NamedSuite {
  readonly format: string
  readonly file: string
  readonly packageRoot: string
  /** Absolute path of the part among whose tests a name is unique; without it the package's. */
  readonly partDir?: string
  readonly cases: readonly NamedCase[]
}

type NamedCase = Pick<CaseBase, 'at' | 'id'> & (CaseMatter | Pick<AssertCase, 'kind'>)

/** The names of all cases seen so far, so that one more file costs its own cases only. */
export interface NameIndex {
  /** Adds the cases of a file in place of those it had before. */
  put(suite: NamedSuite): void
  /** Errors for cases of this file that share a name or recordings with another in the package, each naming the others. */
  issuesOf(file: string): readonly Issue[]
}

/** Errors for cases that share a name in one package: reports, recordings and reruns know a case by its name. */
export function findDuplicateNames(suites: readonly NamedSuite[]): readonly Issue[] {
  const index = createNameIndex()
  for (const suite of suites) index.put(suite)
  return suites.flatMap(({ file }) => index.issuesOf(file))
}

/** Creates an index without names; cases of a file that is not `isThere` any more have given theirs back. */
export function createNameIndex(isThere: (file: string) => boolean = () => true): NameIndex {
  const groups = new Map<string, Set<KeyedCase>>()
  const files = new Map<string, readonly KeyedCase[]>()
  // Within one file its format has found them.
  const othersAt = (key: string | undefined, file: string): readonly KeyedCase[] =>
    [...(groups.get(key ?? '') ?? [])].filter(({ suite }) => suite.file !== file && isThere(suite.file))
  return {
    put(suite) {
      for (const place of files.get(suite.file) ?? []) for (const key of keysOf(place)) groups.get(key)?.delete(place)
      const keyed = keyedCases(suite)
      files.set(suite.file, keyed)
      for (const one of keyed) for (const key of keysOf(one)) groups.set(key, (groups.get(key) ?? new Set()).add(one))
    },
    issuesOf: (file) =>
      (files.get(file) ?? []).flatMap((one) => {
        const sameName = othersAt(one.name, file)
        if (sameName.length > 0) return [wordDuplicate(one, sameName)]
        const sameRecordings = othersAt(one.recordings, file)
        if (sameRecordings.length > 0) return [wordShared(one, sameRecordings)]
        const sameTitle = othersAt(one.title, file)
        return sameTitle.length > 0 ? [wordSameTitle(one, sameTitle)] : []
      }),
  }
}

interface KeyedCase {
  readonly suite: NamedSuite
  readonly evalCase: NamedCase
  /** What no other case of its package may have. */
  readonly name: string
  /** Absolute path of its recordings: cases of two formats may have one id, and never one folder. Free tests have none. */
  readonly recordings?: string
  /** Name of a case whose id is another. */
  readonly title?: string
}

function keysOf({ name, recordings, title }: KeyedCase): readonly string[] {
  return [name, recordings, title].filter((key) => key !== undefined)
}

function keyedCases(suite: NamedSuite): readonly KeyedCase[] {
  const { format, file, packageRoot, partDir, cases } = suite
  const named = formats[format]?.recordingFolder(pathFrom(packageRoot, file))
  const folder = named === undefined ? undefined : join(packageRoot, ...recordingSegments(named))
  return cases.map((evalCase) => ({
    suite,
    evalCase,
    name: JSON.stringify([format, partDir ?? packageRoot, evalCase.id]),
    ...(folder === undefined ? {} : { recordings: join(folder, toPathSegment(evalCase.id)) }),
    ...titleOf(evalCase, packageRoot),
  }))
}

function titleOf(evalCase: NamedCase, packageRoot: string): Pick<KeyedCase, 'title'> {
  const title = writtenTitle(evalCase)
  return title === null ? {} : { title: JSON.stringify(['title', packageRoot, title]) }
}

function writtenTitle(evalCase: NamedCase): string | null {
  return isEvalCase(evalCase) ? kindOf(evalCase).title(evalCase) : null
}

function wordDuplicate(one: KeyedCase, others: readonly KeyedCase[]): Issue {
  const message = `${JSON.stringify(one.evalCase.id)} is also the name of the case at ${others.map(wordPosition).join(', ')}; rename one`
  return issueOf(one, 'duplicate-name', message)
}

function wordShared(one: KeyedCase, others: readonly KeyedCase[]): Issue {
  const folder = pathFrom(one.suite.packageRoot, one.recordings ?? '')
  const message = `its recordings would be in ${folder}, like those of the case at ${others.map(wordPosition).join(', ')}; rename one, or its folder`
  return issueOf(one, 'shared-recordings', message)
}

function wordSameTitle(one: KeyedCase, others: readonly KeyedCase[]): Issue {
  const title = JSON.stringify(writtenTitle(one.evalCase))
  const message = `${title} is also the name of the case at ${others.map(wordPosition).join(', ')}; --case selects both, and reports show the name`
  return { ...issueOf(one, 'duplicate-name', message), severity: 'warning' }
}

function issueOf({ suite: { file }, evalCase }: KeyedCase, code: string, message: string): Issue {
  return { code, severity: 'error', file, field: 'name', message, ...evalCase.at }
}

function wordPosition({ suite, evalCase }: KeyedCase): string {
  const file = pathBelow(suite.packageRoot, suite.file) ?? suite.file
  return `${file}:${evalCase.at.line}:${evalCase.at.column}`
}

/** What a cache is made with. */
export interface SuiteCacheOptions {
  readonly names?: KnownNames
  readonly search?: SkillSearch | undefined
  /** Suites of skills that were found before, by Vitest root. */
  readonly found?: ReadonlyMap<string, SkillSuites> | undefined
  readonly trial?: SkillTrial | null
}

/** Creates a cache for one Vitest process. */
export function createSuiteCache({
  names = NO_NAMES,
  search,
  found = new Map(),
  trial = null,
}: SuiteCacheOptions = {}): SuiteCache {
  const packageOf = remember((root, fs) => loadPackage(root, fs))
  const skillPackageOf = remember(async (key, fs) => {
    const { packageRoot, ...request } = JSON.parse(key) as SkillKey
    return loadSkillPackage({ ...request, trial, package: await packageOf(packageRoot) }, fs)
  })
  const agentPackageOf = remember((dir, fs) => loadAgentPackage({ dir, name: basename(dir) }, fs))
  const loadedPluginOf = remember(async (key, fs) => {
    const { dir, reportRoot } = JSON.parse(key) as { readonly dir: string; readonly reportRoot: string }
    const plugin = await loadCasePlugin(dir, fs)
    return dir === reportRoot ? plugin : { ...plugin, reportRoot }
  })
  const pluginOf = (dir: string, reportRoot: string): Promise<AgentPackage> =>
    loadedPluginOf(JSON.stringify({ dir, reportRoot }))
  const searched = new Map([...found].map(([root, suites]) => [root, Promise.resolve(suites)]))
  return {
    packageOf,
    pluginsOf: ({ packageRoot }, evalCase) =>
      Promise.all(
        kindOf(evalCase)
          .pluginDirs(evalCase)
          .map((dir) => pluginOf(dir, packageRoot)),
      ),
    packageFor({ packageRoot, skill: owner }, evalCase) {
      if (kindOf(evalCase).golden(evalCase) !== null) return agentPackageOf(packageRoot)
      const [plugin] = kindOf(evalCase).pluginDirs(evalCase)
      if (plugin !== undefined) return pluginOf(plugin, packageRoot)
      const skill = evalCase.skill ?? owner
      if (skill === undefined) return packageOf(packageRoot)
      const isTrigger = kindOf(evalCase).sees === 'skills'
      return skillPackageOf(JSON.stringify({ packageRoot, skill, isTrigger } satisfies SkillKey))
    },
    agentOf: remember((evalsDir, fs) => loadAgent(evalsDir, fs)),
    skillSuites(root) {
      const suites = searched.get(root) ?? discoverSkillSuites(root, search)
      searched.set(root, suites)
      return suites
    },
    searchAgain(root) {
      const before = this.skillSuites(root)
      const again = discoverSkillSuites(root, search).then(async (now) => rememberSuites(now, await before))
      // The option `evals` may name what is removed just now.
      searched.set(
        root,
        again.catch(() => before),
      )
    },
    configOf: remember(async (file, fs) => parseAamConfig(await fs.readText(file), file, names)),
    ownPaths: names.ownPaths,
    fields: search?.fields ?? {},
  }
}

function rememberSuites(now: SkillSuites, before: SkillSuites): SkillSuites {
  return { ...now, earlier: new Map([...(before.earlier ?? []), ...before.suites]) }
}

interface SkillKey extends Omit<SkillPackageRequest, 'package' | 'trial'> {
  readonly packageRoot: string
}

interface Entry<T> {
  readonly fs: TrackedFs
  readonly value: Promise<T>
  isFresh: boolean
}

function remember<T>(load: (key: string, fs: TrackedFs) => Promise<T>): (key: string) => Promise<T> {
  const entries = new Map<string, Entry<T>>()
  return (key) => {
    const earlier = entries.get(key)
    if (earlier !== undefined && (earlier.isFresh || earlier.fs.isUnchanged())) return refresh(earlier)
    const fs = openTrackedFs()
    const entry: Entry<T> = { fs, value: load(key, fs), isFresh: true }
    entries.set(key, entry)
    return refresh(entry)
  }
}

// Looking again costs a stat per file of the package. Suites that are loaded in the same turn share one look.
function refresh<T>(entry: Entry<T>): Promise<T> {
  entry.isFresh = true
  setImmediate(() => {
    entry.isFresh = false
  })
  return entry.value
}
