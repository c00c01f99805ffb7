import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AgentEvalsError } from '../errors.ts'
import { pathBelow, pathFrom } from '../packages/package-root.ts'
import { findFiles } from './discover.ts'
import { FOREIGN_GLOBS, noteForeign, noteUnread } from './foreign-suites.ts'
import { indexCases, readCases, type CaseIndex } from './case-index.ts'
import { findSkill } from './known-skills.ts'
import { NO_ENTRY } from './formats/skill-lists.ts'
import { indexOverlaySkills, indexSkills, isBelow, type FoundSkill } from './skill-index.ts'
import { readCandidates, SKILL_SUITE_GLOBS, SKILL_SUITE_NAMES, type CandidateFile } from './suite-files.ts'
import { candidatesFor, ownerOf, placesOf, type Repository } from './suite-owners.ts'
import type { SearchNote } from './search-notes.ts'
import type { KnownSkill, SkillUnderTest } from './suite.ts'

/** The suites of skills below a Vitest root. */
export interface SkillSuites {
  /** By absolute path of the suite file, sorted. */
  readonly suites: ReadonlyMap<string, SkillSuitePlace>
  /** The cases of these files, to find those that would share a scenario. */
  readonly cases: CaseIndex
  /** What was found and is not used. */
  readonly notes: readonly SearchNote[]
  /** Places that were looked at for skills without evals, relative to the root. */
  readonly lookedIn: readonly string[]
}

/** A suite file and the skill that it is about. */
export interface SkillSuitePlace {
  readonly skill: SkillUnderTest
  /** Whether each of its entries names its own skill, and this one only stands in. */
  readonly isShared?: boolean
  /** Every skill that its entries may name. */
  readonly skills?: readonly KnownSkill[]
  /** What else was found for this skill and is not used, one sentence each. */
  readonly notes: readonly string[]
}

/** What narrows the search. */
export interface SkillSearch {
  /** Absolute path of a folder or file that is taken instead of all places; `null` searches. */
  readonly evals: string | null
  /** Name of the skill that these evals are for; `null` tells by the place. */
  readonly skill: string | null
}

/** Finds the suites below a root and the skill that owns each. */
export async function discoverSkillSuites(
  root: string,
  { evals, skill }: SkillSearch = { evals: null, skill: null },
): Promise<SkillSuites> {
  const files = await findFiles(root, ['**/SKILL.md', ...SKILL_SUITE_GLOBS, ...FOREIGN_GLOBS], IGNORE)
  const skillFiles = files.filter((file) => basename(file) === 'SKILL.md')
  const skills = await indexSkills(skillFiles, root)
  const overlays = await indexOverlaySkills(skillFiles, root)
  if (evals !== null) return takeNamed({ root, skills, overlays }, evals, skill)
  const candidates = await readCandidates(
    files.filter((file) => file.endsWith('.json')),
    root,
    skills,
  )
  return assign(candidates, { root, skills, overlays }, noteForeign(files, root))
}

/** Finds the skills below a root that are worked on; of several with one name the first counts. */
export async function findSkills(root: string): Promise<readonly KnownSkill[]> {
  const skills = await indexSkills(await findFiles(root, ['**/SKILL.md'], IGNORE), root)
  const first = new Map<string, KnownSkill>()
  for (const skill of skills) if (skill.tier === 0 && !first.has(skill.name)) first.set(skill.name, skill)
  return [...first.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const IGNORE = ['.git', '.vitest', '.venv', 'node_modules'].map((folder) => `**/${folder}/**`)

interface Assigned {
  readonly candidate: CandidateFile
  readonly owner: NonNullable<ReturnType<typeof ownerOf>>
}

function assign(
  candidates: readonly CandidateFile[],
  repository: Repository,
  foreign: readonly SearchNote[],
): SkillSuites {
  const { root, skills } = repository
  const show = (path: string): string => pathFrom(root, path) || '.'
  const owned = candidates.flatMap((candidate): readonly Assigned[] => {
    const owner = ownerOf(candidate, repository)
    return owner === null ? [] : [{ candidate, owner }]
  })
  const folders = byName(candidates)
  const places = new Map(skills.map((skill) => [skill.dir, placesOf(skill, root, folders)]))
  const isSuite = ({ candidate, owner }: Assigned): boolean =>
    candidate.reason === null || isDocumented(candidate, places.get(owner.skill.dir) ?? [])
  const suites = new Map<string, SkillSuitePlace>()
  const notes: SearchNote[] = []
  const ownedBy = new Map<FoundSkill, Assigned[]>(skills.map((skill) => [skill, []]))
  for (const one of owned) if (isSuite(one)) ownedBy.get(one.owner.skill)?.push(one)
  const firstOf = new Map<string, FoundSkill>()
  const used = new Map<string, Map<string, string>>()
  for (const skill of skills) {
    const mine = ownedBy.get(skill) ?? []
    const looked = places.get(skill.dir) ?? []
    const placeOf = ({ candidate }: Assigned): string | undefined => looked.find((place) => isIn(candidate.file, place))
    const first = looked.find((place) => mine.some((one) => placeOf(one) === place))
    const elsewhere = [...new Set(mine.flatMap((one) => placeOf(one) ?? []))].filter((place) => place !== first)
    const unused = elsewhere.map(
      (place) => `Evals of ${skill.name} are also in ${show(place)}; only those in ${show(first ?? place)} are used.`,
    )
    const sameName = firstOf.get(skill.name)
    if (sameName === undefined) firstOf.set(skill.name, skill)
    if (sameName !== undefined && first === undefined) {
      const taken = looked.find((place) => [...suites.values()].some((one) => one.skill.evalsDir === place))
      const message = `${show(taken ?? '')} is taken for the skill at ${show(sameName.dir)}; the one at ${show(skill.dir)} has the same name.`
      if (taken !== undefined) notes.push({ file: taken, message })
    }
    notes.push(...unused.map((message, index) => ({ file: elsewhere[index] ?? null, message })))
    const copies = used.get(skill.name) ?? new Map<string, string>()
    used.set(skill.name, copies)
    for (const { candidate, owner } of mine.toSorted(
      (a, b) => Number(placeOf(b) === first) - Number(placeOf(a) === first),
    )) {
      const place = placeOf({ candidate, owner })
      if (place !== undefined && place !== first) continue
      const original = place === undefined ? copies.get(candidate.hash) : undefined
      copies.set(candidate.hash, candidate.file)
      if (original !== undefined) {
        const message = `${show(candidate.file)} is a copy of ${show(original)}; only that one is used.`
        notes.push({ file: candidate.file, message })
        continue
      }
      const about = underTest(skill, dirname(candidate.file))
      suites.set(candidate.file, {
        skill: about,
        skills: routable(repository, about),
        notes: unused,
        ...(owner.isShared ? { isShared: true } : {}),
      })
    }
  }
  const owners = new Set(owned.map(({ candidate }) => candidate))
  const rest = candidates.filter((candidate) => !owners.has(candidate))
  notes.push(...rest.filter(({ reason }) => reason === null).map(({ file }) => noteHomeless(file, repository, show)))
  const unread = candidates.filter((one) => one.reason !== null && !suites.has(one.file))
  notes.push(...noteUnread(unread, root), ...foreign)
  const withSuite = new Set([...suites.values()].map(({ skill }) => skill.dir))
  const empty = skills.filter(({ dir }) => !withSuite.has(dir))
  const read = candidates.filter(({ file }) => suites.has(file))
  return {
    suites: new Map([...suites].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    cases: indexCases(read.map(({ file, value }) => [file, value])),
    notes,
    lookedIn: [...new Set(empty.flatMap(({ dir }) => (places.get(dir) ?? []).map(show)))],
  }
}

// Directly, or below a folder of evals.
function isIn(file: string, place: string): boolean {
  return dirname(file) === place || (['eval', 'evals'].includes(basename(place)) && isBelow(file, place))
}

// At a documented place mistakes in these are errors of a suite. An empty one has nothing to run.
function isDocumented({ file, reason }: CandidateFile, places: readonly string[]): boolean {
  return reason !== NO_ENTRY && SKILL_SUITE_NAMES.slice(0, 2).includes(basename(file)) && places.includes(dirname(file))
}

function byName(candidates: readonly CandidateFile[]): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>()
  for (const folder of new Set(candidates.map(({ file }) => dirname(file)))) {
    const name = basename(folder)
    named.set(name, [...(named.get(name) ?? []), folder])
  }
  return named
}

function underTest({ name, alias, dir, projectRoot }: FoundSkill, evalsDir: string): SkillUnderTest {
  return { name, ...(alias === undefined ? {} : { alias }), dir, projectRoot, evalsDir }
}

// The line that would connect it is written out.
function noteHomeless(file: string, repository: Repository, show: (path: string) => string): SearchNote {
  const candidates = candidatesFor(file, repository)
  const names = candidates.slice(0, 5).map(({ name }) => name)
  const more = candidates.length > names.length ? ` and ${candidates.length - names.length} more` : ''
  const advice =
    names.length === 0
      ? 'There is no SKILL.md here.'
      : `Write "skill_name": ${JSON.stringify(names[0])} to connect it to its skill. Skills: ${names.join(', ')}${more}.`
  return { file, message: `${show(file)} matches no skill. ${advice}` }
}

// Skills of the file's own overlay are installed beside those of the repository.
function routable({ skills, overlays }: Repository, { evalsDir }: SkillUnderTest): readonly KnownSkill[] {
  return [...skills, ...overlays.filter(({ dir }) => isBelow(dir, evalsDir))]
}

function takeNamed({ root, skills, overlays }: Repository, path: string, asked: string | null): SkillSuites {
  const show = (file: string): string => pathFrom(root, file) || '.'
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw refuse(`names ${path}, which does not exist.`)
  if (path !== root && pathBelow(root, path) === null) {
    throw refuse(`names ${path}, which is outside the Vitest root ${root}. Use a --root that contains both.`)
  }
  const files = found.isDirectory()
    ? SKILL_SUITE_NAMES.map((name) => join(path, name)).filter((file) => existsSync(file))
    : [path]
  if (files.length === 0) throw refuse(`names ${show(path)}, which contains neither evals.json nor triggers.json.`)

  const evalsDir = found.isDirectory() ? path : dirname(path)
  const dir = asked === null ? skillOf(evalsDir, skills) : findSkill(asked, skills)
  if (dir === null) {
    const names = skills.map(({ name }) => name).join(', ')
    throw refuse(
      `names ${show(path)}, which matches no skill. Set it with \`target\`: skill:<name>. There are: ${names || 'none'}.`,
    )
  }
  const skill = underTest({ ...dir, tier: 0 }, evalsDir)
  const place = { skill, skills: routable({ root, skills, overlays }, skill), notes: [] }
  return {
    suites: new Map(files.map((file) => [file, place])),
    cases: indexCases(files.map((file) => [file, readCases(file)])),
    notes: [],
    lookedIn: [],
  }
}

function refuse(what: string): AgentEvalsError {
  return new AgentEvalsError('invalid-options', `\`evals\` ${what}`)
}

// The skill around the folder, else the one that the folder is named after.
function skillOf(evalsDir: string, skills: readonly FoundSkill[]): FoundSkill | null {
  const around = skills.filter(({ dir }) => isBelow(evalsDir, dir))
  const [nearest] = around.toSorted((a, b) => b.dir.length - a.dir.length)
  return nearest ?? skills.find(({ name, alias }) => [name, alias].includes(basename(evalsDir))) ?? null
}
