import { basename, dirname } from 'node:path'
import { candidatesFor, ownerOf, placesOf, routable, type Owner, type Repository } from './suite-owners.ts'
import { groupBy } from '../../lists.ts'
import { isBelow, type FoundSkill } from './skill-index.ts'
import { looksLikeAamCase } from '../formats/aam/aam-schema.ts'
import { noteStrayCase } from './stray-cases.ts'
import { NO_ENTRY } from '../formats/skill-evals/container.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { SKILL_SUITE_NAMES, type CandidateFile } from './suite-files.ts'
import { underTest } from './known-skills.ts'
import type { SearchNote } from '../search-notes.ts'
import type { SkillSuitePlace, SkillSuites } from './skill-suites.ts'

/** Finds the skill of each suite, the suites that are used where a skill has several, and places without any. */
export function assignSuites(candidates: readonly CandidateFile[], repository: Repository): Omit<SkillSuites, 'cases'> {
  const { root, skills } = repository
  const owned = candidates.flatMap((candidate): readonly OwnedFile[] => {
    const owner = ownerOf(candidate, repository)
    return owner === null ? [] : [{ candidate, owner }]
  })
  const folders = groupBy(new Set(candidates.map(({ file }) => dirname(file))), (folder) => basename(folder))
  const places = new Map(skills.map((skill) => [skill.dir, placesOf(skill, root, folders)]))
  const ownSuites = groupBy(
    owned.filter(({ candidate, owner: { skill } }) => isSuite(candidate, places.get(skill.dir) ?? [])),
    ({ owner }) => owner.skill,
  )
  const taken: Taken = { suites: new Map(), notes: [], firstOf: new Map(), copies: new Map() }
  for (const skill of skills) {
    takeFor(skill, { own: ownSuites.get(skill) ?? [], places: places.get(skill.dir) ?? [] }, repository, taken)
  }
  const owners = new Set(owned.map(({ candidate }) => candidate))
  const homeless = candidates.filter((candidate) => !owners.has(candidate) && candidate.reason === null)
  const withSuite = new Set([...taken.suites.values()].map(({ skill }) => skill.dir))
  const empty = skills.filter(({ dir }) => !withSuite.has(dir))
  return {
    suites: new Map([...taken.suites].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    notes: [...taken.notes, ...homeless.map((candidate) => noteHomeless(candidate, repository))],
    lookedIn: [...new Set(empty.flatMap(({ dir }) => (places.get(dir) ?? []).map((place) => show(root, place))))],
  }
}

interface OwnedFile {
  readonly candidate: CandidateFile
  readonly owner: Owner
}

/** What the skills so far have taken. */
interface Taken {
  readonly suites: Map<string, SkillSuitePlace>
  readonly notes: SearchNote[]
  /** The first skill of each name. */
  readonly firstOf: Map<string, FoundSkill>
  /** Files by the name of their skill and their content. */
  readonly copies: Map<string, string>
}

interface OwnPlaces {
  readonly own: readonly OwnedFile[]
  readonly places: readonly string[]
}

// The first place that has some counts; files at no such place count beside it, unless they are copies.
function takeFor(skill: FoundSkill, { own, places }: OwnPlaces, repository: Repository, taken: Taken): void {
  const { root } = repository
  const placed = own.map((one) => ({ ...one, place: places.find((place) => isIn(one.candidate.file, place)) }))
  const first = places.find((place) => placed.some((one) => one.place === place))
  const elsewhere = [...new Set(placed.flatMap(({ place }) => place ?? []))].filter((place) => place !== first)
  const unused = elsewhere.map((place) => {
    const message = `Evals of ${skill.name} are also in ${show(root, place)}; only those in ${show(root, first ?? place)} are used.`
    return { file: place, message }
  })
  const sameName = taken.firstOf.get(skill.name)
  if (sameName === undefined) taken.firstOf.set(skill.name, skill)
  else if (first === undefined) taken.notes.push(...noteSameName(skill, sameName, places, root, taken))
  taken.notes.push(...unused)
  const used = placed
    .filter(({ place }) => place === undefined || place === first)
    .toSorted((a, b) => Number(b.place === first) - Number(a.place === first))
  for (const { candidate, owner, place } of used) {
    const key = JSON.stringify([skill.name, candidate.hash])
    const original = place === undefined ? taken.copies.get(key) : undefined
    taken.copies.set(key, candidate.file)
    if (original !== undefined) {
      const message = `${show(root, candidate.file)} is a copy of ${show(root, original)}; only that one is used.`
      taken.notes.push({ file: candidate.file, message })
      continue
    }
    const about = underTest(skill, dirname(candidate.file))
    taken.suites.set(candidate.file, {
      skill: about,
      skills: routable(repository, about),
      notes: unused.map(({ message }) => message),
      why: owner.why,
      placeSkill: owner.insteadOf?.name,
      ...(owner.isShared ? { isShared: true } : {}),
    })
  }
}

function noteSameName(
  { dir }: FoundSkill,
  sameName: FoundSkill,
  places: readonly string[],
  root: string,
  { suites }: Taken,
): readonly SearchNote[] {
  const place = places.find((one) => [...suites.values()].some(({ skill }) => skill.evalsDir === one))
  if (place === undefined) return []
  const message = `${show(root, place)} is taken for the skill at ${show(root, sameName.dir)}; the one at ${show(root, dir)} has the same name.`
  return [{ file: place, message }]
}

function show(root: string, path: string): string {
  return pathFrom(root, path) || '.'
}

function isSuite(candidate: CandidateFile, places: readonly string[]): boolean {
  return candidate.reason === null || isDocumented(candidate, places)
}

// Directly, or below a folder of evals.
function isIn(file: string, place: string): boolean {
  return dirname(file) === place || (['eval', 'evals'].includes(basename(place)) && isBelow(file, place))
}

// At a documented place mistakes in these are errors of a suite. An empty one has nothing to run.
function isDocumented({ file, reason }: CandidateFile, places: readonly string[]): boolean {
  return reason !== NO_ENTRY && SKILL_SUITE_NAMES.slice(0, 2).includes(basename(file)) && places.includes(dirname(file))
}

// The line that would connect it is written out.
function noteHomeless({ file, value }: CandidateFile, repository: Repository): SearchNote {
  if (looksLikeAamCase(value)) return noteStrayCase(file, repository.root)
  const candidates = candidatesFor(file, repository)
  const names = candidates.slice(0, 5).map(({ name }) => name)
  const more = candidates.length > names.length ? ` and ${candidates.length - names.length} more` : ''
  const advice =
    names.length === 0
      ? 'There is no SKILL.md here.'
      : `Write "skill_name": ${JSON.stringify(names[0])} to connect it to its skill. Skills: ${names.join(', ')}${more}.`
  return { file, message: `${show(repository.root, file)} matches no skill. ${advice}` }
}
