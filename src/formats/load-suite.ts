import { basename, join } from 'node:path'
import { errorIn, type Issue } from '../lib/documents/document.ts'
import { openTrackedFs, type TrackedFs } from '../lib/documents/read-text.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { loadCasePlugin, loadPackage } from '../packages/load-package.ts'
import { pathBelow, pathFrom } from '../packages/package-root.ts'
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
  const holders = new Map<string, Set<Claim>>()
  const files = new Map<string, readonly (readonly Claim[])[]>()
  // Within one file its format has found them.
  const othersOf = ({ key, file }: Claim): readonly Claim[] =>
    [...(holders.get(key) ?? [])].filter((one) => one.file !== file && isThere(one.file))
  return {
    put(suite) {
      for (const claim of files.get(suite.file)?.flat() ?? []) holders.get(claim.key)?.delete(claim)
      const claims = claimsOf(suite)
      files.set(suite.file, claims)
      for (const claim of claims.flat()) holders.set(claim.key, (holders.get(claim.key) ?? new Set()).add(claim))
    },
    issuesOf: (file) =>
      (files.get(file) ?? []).flatMap((claims) => {
        const shared = claims.find((claim) => othersOf(claim).length > 0)
        if (shared === undefined) return []
        return [
          shared.clash(
            othersOf(shared)
              .map(({ place }) => place)
              .join(', '),
          ),
        ]
      }),
  }
}

/** What no other case of its package may have. */
interface Claim {
  readonly key: string
  readonly file: string
  /** Where its case is, from the package. */
  readonly place: string
  /** The issue of its case, where those at these places have the same. */
  readonly clash: (others: string) => Issue
}

// Of each case its name, its recordings, and the name that is not its id. Cases of two formats may have one id, and never one
// folder of recordings; free tests have none.
function claimsOf({
  format,
  file,
  packageRoot,
  partDir = packageRoot,
  cases,
}: NamedSuite): readonly (readonly Claim[])[] {
  const named = formats[format]?.recordingFolder(pathFrom(packageRoot, file))
  const folder = named === undefined ? null : join(packageRoot, ...recordingSegments(named))
  return cases.map((one) => {
    const { id, at } = one
    const shared = { file, place: `${pathBelow(packageRoot, file) ?? file}:${at.line}:${at.column}` }
    const issue = (code: string, message: string): Issue => ({ ...errorIn(file, code, message, at), field: 'name' })
    const claims: Claim[] = [
      {
        ...shared,
        key: JSON.stringify([format, partDir, id]),
        clash: (others) => issue('duplicate-name', `${isNameOf(id)} ${others}; rename one`),
      },
    ]
    const recordings = folder === null ? null : join(folder, toPathSegment(id))
    if (recordings !== null) {
      const what = `its recordings would be in ${pathFrom(packageRoot, recordings)}, like those of the case at`
      const clash = (others: string): Issue =>
        issue('shared-recordings', `${what} ${others}; rename one, or its folder`)
      claims.push({ ...shared, key: recordings, clash })
    }
    const title = isEvalCase(one) ? (kindOf(one).pluginCase(one)?.name ?? null) : null
    if (title !== null) {
      const end = '--case selects both, and reports show the name'
      const clash = (others: string): Issue => ({
        ...issue('duplicate-name', `${isNameOf(title)} ${others}; ${end}`),
        severity: 'warning',
      })
      claims.push({ ...shared, key: JSON.stringify(['title', packageRoot, title]), clash })
    }
    return claims
  })
}

function isNameOf(name: string): string {
  return `${JSON.stringify(name)} is also the name of the case at`
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
  const packageOf = remember((root: string, fs) => loadPackage(root, fs))
  const skillPackageOf = remember(async ({ packageRoot, ...request }: SkillKey, fs) =>
    loadSkillPackage({ ...request, trial, package: await packageOf(packageRoot) }, fs),
  )
  const agentPackageOf = remember((dir: string, fs) => loadAgentPackage({ dir, name: basename(dir) }, fs))
  const pluginOf = remember(async ({ dir, reportRoot }: PluginKey, fs) => {
    const plugin = await loadCasePlugin(dir, fs)
    return dir === reportRoot ? plugin : { ...plugin, reportRoot }
  })
  const pluginsOf: SuiteCache['pluginsOf'] = ({ packageRoot }, evalCase) => {
    const { pluginDirs = [] } = kindOf(evalCase).pluginCase(evalCase) ?? {}
    return Promise.all(pluginDirs.map((dir) => pluginOf({ dir, reportRoot: packageRoot })))
  }
  const searched = new Map([...found].map(([root, suites]) => [root, Promise.resolve(suites)]))
  return {
    packageOf,
    pluginsOf,
    async packageFor(suite, evalCase) {
      const { packageRoot, skill: owner } = suite
      if (kindOf(evalCase).golden(evalCase) !== null) return agentPackageOf(packageRoot)
      const [plugin] = await pluginsOf(suite, evalCase)
      if (plugin !== undefined) return plugin
      const skill = evalCase.skill ?? owner
      if (skill === undefined) return packageOf(packageRoot)
      return skillPackageOf({ packageRoot, skill, isTrigger: kindOf(evalCase).isQuery })
    },
    agentOf: remember((evalsDir: string, fs) => loadAgent(evalsDir, fs)),
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
    configOf: remember(async (file: string, fs) => parseAamConfig(await fs.readText(file), file, names)),
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

interface PluginKey {
  readonly dir: string
  readonly reportRoot: string
}

interface Entry<T> {
  readonly fs: TrackedFs
  readonly value: Promise<T>
  isFresh: boolean
}

function remember<Key, T>(load: (key: Key, fs: TrackedFs) => Promise<T>): (key: Key) => Promise<T> {
  const entries = new Map<string, Entry<T>>()
  return (request) => {
    const key = JSON.stringify(request)
    const earlier = entries.get(key)
    if (earlier !== undefined && (earlier.isFresh || earlier.fs.isUnchanged())) return refresh(earlier)
    const fs = openTrackedFs()
    const entry: Entry<T> = { fs, value: load(request, fs), isFresh: true }
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
