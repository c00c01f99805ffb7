import { basename, dirname, extname, join, relative, sep } from 'node:path'
import { valueAt } from '../../lib/documents/document.ts'
import { foldersUpTo, tryReadText } from '../../lib/files.ts'
import { isJsonObject, tryParseJson } from '../../lib/json.ts'
import { groupBy } from '../../lib/lists.ts'
import { compareTexts } from '../../lib/text.ts'
import { MANIFEST_NAMES, MARKETPLACE_FILE, PLUGIN_FOLDERS, pathBelow, pathFrom } from '../../packages/package-root.ts'
import { readSuiteValue } from '../case-index.ts'
import type { SearchNote } from '../format.ts'
import { QUERY_FOLDERS } from '../paths.ts'
import type { KnownSkill, SkillUnderTest } from '../suite.ts'
import { NO_ENTRY, findLists, hasRole, subjectsOf } from './container.ts'
import { chosenNames } from './fields.ts'
import { SKILL_SUITE_NAMES, type CandidateFile } from './skill-files.ts'
import { findSkill, isBelow, namesOf, nearestSkill, partsOf, type FoundSkill } from './skill-index.ts'

/** What is known of a repository when the owner of a file is looked for. */
export interface Repository {
  readonly root: string
  readonly skills: readonly FoundSkill[]
  /** Those of overlays, which only entries may name. */
  readonly overlays: readonly FoundSkill[]
}

/** The skill that owns a file. */
export interface Owner {
  readonly skill: FoundSkill
  /** Whether its entries name their own skills or are about all, and this one only stands in. */
  readonly isShared: boolean
  /** Why it is this one, as a clause after its name. */
  readonly why?: string
  /** The skill that would own the file if it named none. */
  readonly insteadOf?: FoundSkill
}

/**
 * The skill that owns a suite file: the one that it names, the one around it, the one that its folder or file is
 * called after, the only one below its folder; else each of its entries names its own, or is about all. `null`: none.
 */
export function ownerOf(candidate: CandidateFile, repository: Repository): Owner | null {
  const { file, value, settled } = candidate
  const { root, skills } = repository
  const folder = dirname(file)
  const around = enclosing(folder, skills)
  const called = calledAfter(file, around?.dir ?? root, repository)
  // A repository may be a skill and hold others, too.
  const byPlace =
    soleOwner(called, 'which its path names') ??
    soleOwner(around?.dir === root ? null : around, 'in whose folder it is')
  const [named, ...others] = subjectsOf(value, 'file', settled)
  if (named !== undefined && others.length === 0) {
    const found = soleOwner(nearestSkill(named, folder, root, skills), 'which it names')
    if (found !== null)
      return byPlace === null || byPlace.skill === found.skill ? found : { ...found, insteadOf: byPlace.skill }
  }
  return (
    byPlace ??
    soleOwner(onlyBelow(ownFolder(folder, root), skills), 'the only one beside it') ??
    soleOwner(around, 'in whose folder it is') ??
    shared(candidate, repository)
  )
}

function soleOwner(skill: FoundSkill | null | undefined, why: string): Owner | null {
  return skill == null ? null : { skill, isShared: false, why }
}

/** The skills that may own a file, the nearest first. */
export function candidatesFor(file: string, { root, skills }: Repository): readonly FoundSkill[] {
  const worked = skills.filter(({ tier }) => tier === 0)
  for (const folder of foldersUpTo(root, dirname(file))) {
    const below = worked.filter(({ dir }) => isBelow(dir, folder))
    if (below.length > 0) return below
  }
  return []
}

function enclosing(folder: string, skills: readonly FoundSkill[]): FoundSkill | undefined {
  const around = skills.filter(({ dir }) => isBelow(folder, dir))
  return around.toSorted((a, b) => b.dir.length - a.dir.length)[0]
}

// The folders below those of evals, the one above them, then the name of the file.
function calledAfter(file: string, start: string, { root, skills }: Repository): FoundSkill | null {
  const parts = partsOf(start, dirname(file))
  const evals = parts.findIndex((part) => GENERIC.has(part))
  if (evals === -1) return null
  const folders = [...parts.slice(evals + 1).toReversed(), ...parts.slice(Math.max(evals - 1, 0), evals)]
  const stem = basename(file, extname(file)).replace(SUITE_WORDS, '')
  const names = [...folders.filter((part) => !GENERIC.has(part)), ...(stem === '' ? [] : [stem])]
  for (const name of names) {
    const found = nearestSkill(name, dirname(file), root, skills)
    if (found !== null) return found
  }
  return null
}

const GENERIC: ReadonlySet<string> = new Set([
  'cases',
  'eval',
  'evals',
  'test',
  'testing',
  'tests',
  'triggers',
  ...QUERY_FOLDERS,
])
const SUITE_WORDS = /(?:^|[-_.])(?:trigger|triggers|eval|evals|queries|cases|tests?|fixtures)(?=$|[-_.]).*$/

// Above all folders of evals.
function ownFolder(folder: string, root: string): string {
  const parts = partsOf(root, folder)
  const evals = parts.findIndex((part) => GENERIC.has(part))
  return evals === -1 ? folder : [root, ...parts.slice(0, evals)].join(sep)
}

function onlyBelow(folder: string, skills: readonly FoundSkill[]): FoundSkill | null {
  const below = skills.filter(({ dir }) => isBelow(dir, folder))
  const best = below.filter(({ tier }) => tier === below[0]?.tier)
  return best.length === 1 ? (best[0] ?? null) : null
}

function shared(candidate: CandidateFile, repository: Repository): Owner | null {
  const [first, second] = candidatesFor(candidate.file, repository)
  if (first === undefined) return null
  const entries = entriesOf(candidate)
  const routes = entries.some((entry) => hasRole(entry, ['choice', 'route', 'subject'], candidate.settled))
  const isShared = routes || (second !== undefined && isOfWholePackage(candidate, entries, repository.root))
  return isShared ? { skill: first, isShared } : null
}

/**
 * Why a file that reads like a suite is another program's; `null` where it is none. Some sort prompts into classes of their
 * own under the name that suites have for a skill. One name that no skill has is a mistake instead, such as an old name,
 * and so is each in a file of JSON or with a usual name: what an author meant to run is never left out.
 */
export function whyOfOthers(candidate: CandidateFile, skills: readonly KnownSkill[]): string | null {
  const { file, settled } = candidate
  const name = basename(file, extname(file))
  if (extname(file) === '.json' || SKILL_SUITE_NAMES.includes(`${name}.json`)) return null
  const entries = entriesOf(candidate).filter(isJsonObject)
  const names = new Set(entries.flatMap((entry) => chosenNames(entry, settled)))
  const speaks = entries.some((entry) => hasRole(entry, ['direction', 'expect', 'route', 'subject'], settled))
  if (speaks || names.size < 2 || [...names].some((chosen) => findSkill(chosen, skills) !== null)) return null
  const shown = [...names].slice(0, 4).map((chosen) => JSON.stringify(chosen))
  return `no skill has one of the names that its entries expect, such as ${shown.join(', ')}`
}

function entriesOf({ value, settled }: CandidateFile): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return findLists(value, settled).flatMap(({ list }) => list)
}

// The evals of a file are about all skills of a package where it names none, or the package itself, and lists what is
// expected. A single answer to each question may be data for another program.
function isOfWholePackage({ file, value, settled }: CandidateFile, entries: readonly unknown[], root: string): boolean {
  if (!partsOf(root, dirname(file)).some((part) => part === 'evals' || part === 'eval')) return false
  const [name] = subjectsOf(value, 'file', settled)
  const expects = entries.some(
    (entry) =>
      hasRole(entry, ['expect'], settled) ||
      (hasRole(entry, ['context'], settled) && hasRole(entry, ['files'], settled)),
  )
  return expects && (name === undefined || packageNames(file, root).has(name))
}

/** Places of a skill's evals, in the order in which they are looked at: the first that has some counts. */
export function placesOf(
  skill: FoundSkill,
  root: string,
  folders: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const { dir, projectRoot } = skill
  const below = join(projectRoot, 'evals')
  const names = namesOf(skill)
  const anywhere = names
    .flatMap((one) => folders.get(one) ?? [])
    .filter((folder) => folder.startsWith(`${below}${sep}`))
    .toSorted((a, b) => a.split(sep).length - b.split(sep).length || compareTexts(a, b))
  const places = [
    join(dir, 'evals'),
    ...names.map((one) => join(dir, '..', '..', 'evals', one)),
    ...names.map((one) => join(below, one)),
    ...anywhere,
    dir,
    join(dir, 'tests'),
  ]
  return [...new Set(places)].filter((place) => place === root || pathBelow(root, place) !== null)
}

/** The skills that the entries of a file may name: those of its own overlay are installed beside those of the repository. */
export function routable({ skills, overlays }: Repository, { evalsDir }: SkillUnderTest): readonly KnownSkill[] {
  return [...skills, ...overlays.filter(({ dir }) => isBelow(dir, evalsDir))]
}

function packageNames(file: string, root: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const folder of foldersUpTo(root, dirname(file))) {
    for (const manifest of MANIFESTS) {
      const text = tryReadText(join(folder, manifest))
      const name = text === null ? undefined : valueAt(tryParseJson(text), 'name')
      if (typeof name === 'string') names.add(name).add(name.slice(name.lastIndexOf('/') + 1))
    }
  }
  return names
}

const MANIFESTS = [
  ...PLUGIN_FOLDERS.map((folder) => join(folder, 'plugin.json')),
  MARKETPLACE_FILE,
  ...MANIFEST_NAMES,
  'package.json',
]

/** Files in which other tools keep evals. */
export const FOREIGN_GLOBS: readonly string[] = [
  '**/{eval,evals}.{yaml,yml}',
  '**/*.eval.{yaml,yml}',
  '**/promptfooconfig.{yaml,yml}',
  '**/{evals,eval}/**/*.jsonl',
  '**/{evals,eval}/**/*{evals,prompts,queries,triggers}.{csv,tsv,yaml,yml}',
  '**/{evals,eval}/*.{yaml,yml}',
  '**/{evals,eval}/cases/*.{yaml,yml}',
  '**/*.eval.md',
]

/** Counts files of formats that are not read, one note per format. */
export function noteForeign(files: readonly string[], root: string): readonly SearchNote[] {
  const kinds = new Map<string, string[]>()
  const folders = new Set(files.map((file) => dirname(file)))
  for (const file of files.toSorted()) {
    // The cases of a file that is named need no word.
    const isCase = basename(dirname(file)) === 'cases' && /\.ya?ml$/.test(file)
    const kind = !isCase ? kindOf(file) : folders.has(dirname(dirname(file))) ? null : 'cases/*.yaml'
    const isResult = relative(root, file)
      .split(sep)
      .some((part) => RESULTS.has(part))
    if (kind !== null && !isResult && !isPipeline(file)) kinds.set(kind, [...(kinds.get(kind) ?? []), file])
  }
  return [...kinds].map(([kind, found]) => {
    const noun = found.length === 1 ? 'file' : 'files'
    const [first] = found
    return {
      file: found.length === 1 ? (first ?? null) : null,
      message: `${found.length} ${kind} ${noun} of another format, ignored (${found.length === 1 ? '' : 'first: '}${pathFrom(
        root,
        first ?? root,
      )}).`,
    }
  })
}

const RESULTS: ReadonlySet<string> = new Set(['baselines', 'recordings', 'reports', 'results', 'runs', 'scenarios'])

// A pipeline of CI that runs evals is often called `evals.yml`: its jobs have steps or a script.
function isPipeline(file: string): boolean {
  if (!/\.ya?ml$/.test(file)) return false
  if (basename(dirname(file)) === 'workflows') return true
  const value = readSuiteValue(file)
  const jobs = isJsonObject(value) && isJsonObject(value['jobs']) ? value['jobs'] : value
  return (
    isJsonObject(jobs) &&
    Object.values(jobs).some((job) => isJsonObject(job) && ['script', 'steps', 'uses'].some((name) => name in job))
  )
}

function kindOf(file: string): string | null {
  const name = basename(file)
  if (/^evals?\.ya?ml$/.test(name)) return name
  if (/\.eval\.ya?ml$/.test(name)) return '*.eval.yaml'
  if (name.endsWith('.eval.md')) return '*.eval.md'
  if (/^promptfooconfig\.ya?ml$/.test(name)) return name
  if (/(?:evals|prompts|queries|triggers)\.(?:[ct]sv|ya?ml)$/.test(name)) return name
  if (name.endsWith('.jsonl')) return '*.jsonl'
  const isOther =
    /\.ya?ml$/.test(name) &&
    isAmongEvals(file) &&
    !/^(?:(?:case|config|schema|settings)|(?:docker-)?compose)\./.test(name)
  return isOther ? '*.yaml' : null
}

// Fixtures lie deeper, and a file elsewhere is of any tool.
function isAmongEvals(file: string): boolean {
  return ['eval', 'evals', ...QUERY_FOLDERS].includes(basename(dirname(file)))
}

function isWorthNote({ file, reason, mayBecome }: CandidateFile): boolean {
  const isNamed = mayBecome && SKILL_SUITE_NAMES.includes(basename(file))
  // Of other notations only those come here that read like a suite.
  return isAmongEvals(file) || isNamed || reason === NO_ENTRY || extname(file) !== '.json'
}

/** Names the files in folders of evals that are no suites, one note per reason. */
export function noteUnread(candidates: readonly CandidateFile[], root: string): readonly SearchNote[] {
  const groups = groupBy(candidates.filter(isWorthNote), ({ reason }) => reason)
  return [...groups.values()].map((group) => {
    const [first, ...others] = group
    const path = pathFrom(root, first?.file ?? root)
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    const verb = others.length === 0 ? 'is no suite' : 'are no suites'
    return { file: first?.file ?? null, message: `${path}${more} ${verb}: ${first?.reason ?? ''}.` }
  })
}
