import { basename, dirname, extname, join, sep } from 'node:path'
import { valueAt } from '../../documents/document.ts'
import { pathBelow } from '../../packages/package-root.ts'
import { findLists, hasRole, subjectsOf } from '../formats/skill-evals/container.ts'
import { foldersUpTo, tryReadText } from '../../files.ts'
import { tryParseJson } from '../../json.ts'
import { MANIFEST_NAMES, MARKETPLACE_FILE, PLUGIN_FOLDERS } from '../../packages/manifest-names.ts'
import { namesOf } from './known-skills.ts'
import { isBelow, nearestSkill, partsOf, type FoundSkill } from './skill-index.ts'
import { compareTexts } from '../../texts.ts'
import type { CandidateFile } from './suite-files.ts'
import type { KnownSkill, SkillUnderTest } from '../suite.ts'

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
  const byPlace =
    own(called, 'which its path names') ?? own(around?.dir === root ? null : around, 'in whose folder it is')
  const [named, ...others] = subjectsOf(value, 'file', settled)
  if (named !== undefined && others.length === 0) {
    const found = own(nearestSkill(named, folder, root, skills), 'which it names')
    if (found !== null)
      return byPlace === null || byPlace.skill === found.skill ? found : { ...found, insteadOf: byPlace.skill }
  }
  return (
    byPlace ??
    own(onlyBelow(ownFolder(folder, root), skills), 'the only one beside it') ??
    own(around, 'in whose folder it is') ??
    shared(candidate, repository)
  )
}

function own(skill: FoundSkill | null | undefined, why: string): Owner | null {
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

const GENERIC: ReadonlySet<string> = new Set(['cases', 'eval', 'evals', 'test', 'testing', 'tests', 'triggers'])
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
