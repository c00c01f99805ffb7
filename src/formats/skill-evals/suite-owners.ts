import { basename, dirname, extname, join, sep } from 'node:path'
import { foldersUpTo } from '../../lib/files.ts'
import { isBelow } from '../../lib/links.ts'
import { groupBy } from '../../lib/lists.ts'
import { compareTexts } from '../../lib/text.ts'
import { pathBelow, pathFrom } from '../../packages/package-root.ts'
import type { SearchNote } from './skill-suites.ts'
import { QUERY_FOLDERS } from '../paths.ts'
import type { KnownSkill, SkillUnderTest } from '../suite.ts'
import { findLists, hasRole, subjectsOf } from './container.ts'
import { SKILL_SUITE_NAMES, type CandidateFile } from './skill-files.ts'
import { namesOf, nearestSkill, partsOf, type FoundSkill } from './skill-index.ts'

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
  /** Whether its entries name their own skills, and this one is a substitute. */
  readonly isShared: boolean
  /** Why it is this one, as a clause after its name. */
  readonly why?: string
}

/**
 * The skill that owns a suite file: the one in whose folder it lies, or in a folder of evals that is called after it; else
 * the one that the file names; else the only one beside it; else one that its path names. Where there is none, each of its
 * entries may name its own. `null`: none. `partners` are `evals.json` and `triggers.json` of one folder, which are about
 * one skill; of any other file it alone.
 */
export function ownerOf(
  candidate: CandidateFile,
  partners: readonly CandidateFile[],
  repository: Repository,
): Owner | null {
  const { file } = candidate
  const { root, skills } = repository
  const folder = dirname(file)
  const around = enclosing(folder, skills)
  const path = readPath(file, around?.dir ?? root)
  const byName = (names: readonly string[]): Owner | null =>
    soleOwner(firstOf(names, folder, repository), 'which its path names')
  return (
    byName(path.folders) ??
    // A repository may be a skill and hold others, too.
    soleOwner(around?.dir === root ? null : around, 'in whose folder it is') ??
    namedOwner(candidate, partners, repository) ??
    soleOwner(onlyBelow(path.home, skills), 'the only one beside it') ??
    byName(path.others) ??
    soleOwner(around, 'in whose folder it is') ??
    shared(candidate, repository)
  )
}

function namedOwner(
  candidate: CandidateFile,
  partners: readonly CandidateFile[],
  repository: Repository,
): Owner | null {
  for (const partner of partners) {
    const { file, value, settled } = partner
    const [name, ...others] = subjectsOf(value, 'file', settled)
    const found = name === undefined || others.length > 0 ? null : firstOf([name], dirname(file), repository)
    if (found !== null)
      return soleOwner(found, partner === candidate ? 'which it names' : `which ${basename(file)} beside it names`)
  }
  return null
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

/** What a path says of the skill of its file. */
interface PathNames {
  /** The folder that holds the evals. */
  readonly home: string
  /** Names of the folders below those of evals, the nearest to the file first. */
  readonly folders: readonly string[]
  /** The name of the folder above those of evals, then that of the file. */
  readonly others: readonly string[]
}

function readPath(file: string, start: string): PathNames {
  const parts = partsOf(start, dirname(file))
  const evals = parts.findIndex((part) => GENERIC.has(part))
  if (evals === -1) return { home: dirname(file), folders: [], others: [] }
  const stem = basename(file, extname(file)).replace(SUITE_WORDS, '')
  const below = parts.slice(evals + 1).filter((part) => !GENERIC.has(part))
  return {
    home: join(start, ...parts.slice(0, evals)),
    folders: below.toReversed(),
    others: [...parts.slice(Math.max(evals - 1, 0), evals), ...(stem === '' ? [] : [stem])],
  }
}

function firstOf(names: readonly string[], folder: string, { root, skills }: Repository): FoundSkill | null {
  for (const name of names) {
    const found = nearestSkill(name, folder, root, skills)
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

function onlyBelow(folder: string, skills: readonly FoundSkill[]): FoundSkill | null {
  const below = skills.filter(({ dir }) => isBelow(dir, folder))
  const best = below.filter(({ tier }) => tier === below[0]?.tier)
  return best.length === 1 ? (best[0] ?? null) : null
}

function shared({ file, value, settled }: CandidateFile, repository: Repository): Owner | null {
  const [first] = candidatesFor(file, repository)
  if (first === undefined || typeof value !== 'object' || value === null) return null
  const entries = findLists(value, settled).flatMap(({ list }) => list)
  const isShared = entries.some((entry) => hasRole(entry, ['choice', 'route', 'subject'], settled))
  return isShared ? { skill: first, isShared } : null
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

/** Names the files in folders of evals that cannot be read, or have a usual name, and are no suites. One note per reason. */
export function noteUnread(candidates: readonly CandidateFile[], root: string): readonly SearchNote[] {
  const usual = candidates.filter(
    ({ file, value }) =>
      ['eval', 'evals', ...QUERY_FOLDERS].includes(basename(dirname(file))) &&
      (value === undefined || SKILL_SUITE_NAMES.includes(basename(file))),
  )
  return [...groupBy(usual, ({ reason }) => reason).values()].map((group) => {
    const [first, ...others] = group
    const path = pathFrom(root, first?.file ?? root)
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    const verb = others.length === 0 ? 'is no suite' : 'are no suites'
    return { file: first?.file ?? null, message: `${path}${more} ${verb}: ${first?.reason ?? ''}.` }
  })
}
