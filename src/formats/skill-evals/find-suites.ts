import { existsSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { tryStat } from '../../lib/files.ts'
import { isBelow } from '../../lib/links.ts'
import { groupBy, firstInSentence } from '../../lib/lists.ts'
import { shorten } from '../../lib/text.ts'
import { pathBelow, pathFrom } from '../../packages/package-root.ts'
import { isEvalList } from '../aam/aam-schema.ts'
import { findFiles } from '../discover.ts'
import { NO_ENTRY, subjectsOf } from './container.ts'
import { SKILL_SUITE_GLOBS, SKILL_SUITE_NAMES, readCandidates, type CandidateFile } from './skill-files.ts'
import {
  NOT_SKILLS,
  findSkill,
  indexOverlaySkills,
  indexSkills,
  namesOf,
  underTest,
  type FoundSkill,
} from './skill-index.ts'
import type { SearchNote, SkillSearch, SkillSuite, SkillSuites } from './skill-suites.ts'
import { candidatesFor, noteUnread, ownerOf, placesOf, routable, type Owner, type Repository } from './suite-owners.ts'

/** Finds the suites below a root and the skill that owns each. */
export async function discoverSkillSuites(
  root: string,
  { evals, skill, fields }: SkillSearch = { evals: null, skill: null },
): Promise<SkillSuites> {
  const files = await findFiles(root, ['**/SKILL.md', ...SKILL_SUITE_GLOBS], NOT_SKILLS)
  const skillFiles = files.filter((file) => basename(file) === 'SKILL.md')
  const skills = await indexSkills(skillFiles, root)
  const overlays = await indexOverlaySkills(skillFiles, root)
  if (evals !== null) return takeNamed({ root, skills, overlays }, evals, skill)
  const read = await readCandidates(files, root, skills, fields)
  const inJson = new Set(read.flatMap(({ file }) => (file.endsWith('.json') ? [withoutEnding(file)] : [])))
  // Most files in YAML are of other tools, and some are copies of one in JSON beside them.
  const candidates = read.filter(
    ({ file, reason, value, settled }) =>
      file.endsWith('.json') ||
      (reason === null &&
        !inJson.has(withoutEnding(file)) &&
        // Elsewhere in such a folder a file is one case, of ours or of another tool.
        (basename(dirname(file)) !== 'cases' || isEvalList(value, settled))),
  )
  const found = assignSuites(candidates, { root, skills, overlays })
  const unread = candidates.filter(({ file, reason }) => reason !== null && !found.suites.has(file))
  return { ...found, notes: [...found.notes, ...noteUnread(unread, root)] }
}

function withoutEnding(file: string): string {
  return file.slice(0, -extname(file).length)
}

/** Finds the skill of each suite, the suites that are used where a skill has several, and places without any. */
function assignSuites(candidates: readonly CandidateFile[], repository: Repository): SkillSuites {
  const { root, skills } = repository
  const byFile = new Map(candidates.map((candidate) => [candidate.file, candidate]))
  const owned = candidates.flatMap((candidate): readonly OwnedFile[] => {
    const owner = ownerOf(candidate, partnersOf(candidate, byFile), repository)
    return owner === null ? [] : [{ candidate, owner }]
  })
  const folders = groupBy(new Set(candidates.map(({ file }) => dirname(file))), (folder) => basename(folder))
  const places = new Map(skills.map((skill) => [skill.dir, placesOf(skill, root, folders)]))
  const ownSuites = groupBy(
    owned.filter(({ candidate, owner: { skill } }) => isSuite(candidate, places.get(skill.dir) ?? [])),
    ({ owner }) => owner.skill,
  )
  const taken: Taken = { suites: new Map(), notes: [], copies: new Map() }
  for (const skill of skills) {
    takeFor(skill, { files: ownSuites.get(skill) ?? [], places: places.get(skill.dir) ?? [] }, repository, taken)
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

// `evals.json` and `triggers.json` of one folder are about the same skill.
function partnersOf(candidate: CandidateFile, byFile: ReadonlyMap<string, CandidateFile>): readonly CandidateFile[] {
  if (!DOCUMENTED.includes(basename(candidate.file))) return [candidate]
  return DOCUMENTED.flatMap((name) => byFile.get(join(dirname(candidate.file), name)) ?? [])
}

interface OwnedFile {
  readonly candidate: CandidateFile
  readonly owner: Owner
}

/** What the skills so far have taken. */
interface Taken {
  readonly suites: Map<string, SkillSuite>
  readonly notes: SearchNote[]
  /** Files by the name of their skill and their content. */
  readonly copies: Map<string, string>
}

interface OwnedEvals {
  readonly files: readonly OwnedFile[]
  readonly places: readonly string[]
}

// The first place that has some counts; files at no such place count beside it, unless they are copies.
function takeFor(skill: FoundSkill, { files, places }: OwnedEvals, repository: Repository, taken: Taken): void {
  const { root } = repository
  const placed = files.map((one) => ({ ...one, place: places.find((place) => isIn(one.candidate.file, place)) }))
  const first = places.find((place) => placed.some((one) => one.place === place))
  const elsewhere = [...new Set(placed.flatMap(({ place }) => place ?? []))].filter((place) => place !== first)
  const unused = elsewhere.map((place) => {
    const message = `Evals of ${skill.name} are also in ${show(root, place)}; only those in ${show(root, first ?? place)} are used.`
    return { file: place, message }
  })
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
      // It is said of the skill, not of each of its files.
      notes: candidate === used[0]?.candidate ? unused.map(({ message }) => message) : [],
      why: owner.why,
      ...(owner.isShared ? { isShared: true } : {}),
    })
  }
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

const DOCUMENTED = SKILL_SUITE_NAMES.slice(0, 2)

// At a documented place mistakes in these are errors of a suite. An empty one has nothing to run.
function isDocumented({ file, reason }: CandidateFile, places: readonly string[]): boolean {
  return reason !== NO_ENTRY && DOCUMENTED.includes(basename(file)) && places.includes(dirname(file))
}

function noteHomeless({ file, value, settled }: CandidateFile, repository: Repository): SearchNote {
  const path = show(repository.root, file)
  const all = candidatesFor(file, repository).map(({ name }) => name)
  const advice =
    all.length === 0 ? 'There is no SKILL.md here.' : `Write "skill_name". Skills: ${firstInSentence(all, 5)}.`
  const named = subjectsOf(value, 'file', settled).map((name) => JSON.stringify(shorten(name, 80)))
  const what = named.length === 0 ? 'matches no skill' : `is for ${named.join(', ')}, which is no skill here`
  return { file, message: `${path} ${what}. ${advice}` }
}

/**
 * The suites at the path that the option `evals` names, and the skill that they are for.
 *
 * @throws {AgentEvalsError} `invalid-options` where there are none, or no skill.
 */
function takeNamed({ root, skills, overlays }: Repository, path: string, target: string | null): SkillSuites {
  const shown = (file: string): string => pathFrom(root, file) || '.'
  const place = tryStat(path)
  if (place === undefined) throw refuse(`names ${path}, which does not exist.`)
  if (path !== root && pathBelow(root, path) === null) {
    throw refuse(`names ${path}, which is outside the Vitest root ${root}. Use a --root that contains both.`)
  }
  const files = place.isDirectory()
    ? SKILL_SUITE_NAMES.map((name) => join(path, name)).filter((file) => existsSync(file))
    : [path]
  if (files.length === 0) throw refuse(`names ${shown(path)}, which contains neither evals.json nor triggers.json.`)

  const evalsDir = place.isDirectory() ? path : dirname(path)
  const found = target === null ? skillOf(evalsDir, skills) : findSkill(target, skills)
  if (found === null) {
    const names = skills.map(({ name }) => name).join(', ')
    throw refuse(
      `names ${shown(path)}, which matches no skill. Set it with \`target\`: skill:<name>. There are: ${names || 'none'}.`,
    )
  }
  const skill = underTest(found, evalsDir)
  const why = target === null ? 'which its path names' : 'which --target names'
  const suite = { skill, skills: routable({ root, skills, overlays }, skill), why, notes: [] }
  return {
    suites: new Map(files.map((file) => [file, suite])),
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
  return nearest ?? skills.find((skill) => namesOf(skill).includes(basename(evalsDir))) ?? null
}
