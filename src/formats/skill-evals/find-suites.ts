import { existsSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { tryStat } from '../../lib/files.ts'
import { groupBy, firstInSentence, mapInPortions } from '../../lib/lists.ts'
import { compareTexts, shorten } from '../../lib/text.ts'
import { pathBelow, pathFrom } from '../../packages/package-root.ts'
import { looksLikeAamCase, isAamCase, isEvalList } from '../aam/aam-schema.ts'
import { indexCases, readSuiteValue } from '../case-index.ts'
import { findFiles } from '../discover.ts'
import type { SearchNote } from '../format.ts'
import { GOLDEN_GLOBS, evalsDirOf } from '../golden/golden-test.ts'
import { NEVER_BELOW_EVALS, NEVER_SUITE_FOLDERS } from '../paths.ts'
import { isAamPlace } from '../places.ts'
import { PLUGIN_EVAL_GLOBS, findCases } from '../plugin-eval/find-cases.ts'
import { NO_ENTRY, subjectsOf } from './container.ts'
import { SKILL_SUITE_GLOBS, SKILL_SUITE_NAMES, readCandidates, type CandidateFile } from './skill-files.ts'
import {
  NOT_SKILLS,
  findSkill,
  indexOverlaySkills,
  indexSkills,
  isBelow,
  namesOf,
  partsOf,
  underTest,
  type FoundSkill,
} from './skill-index.ts'
import type { SkillSearch, SkillSuite, SkillSuites } from './skill-suites.ts'
import {
  FOREIGN_GLOBS,
  candidatesFor,
  noteForeign,
  noteUnread,
  ownerOf,
  placesOf,
  routable,
  whyOfOthers,
  type Owner,
  type Repository,
} from './suite-owners.ts'

/** Finds the suites below a root and the skill that owns each. */
export async function discoverSkillSuites(
  root: string,
  { evals, skill, fields }: SkillSearch = { evals: null, skill: null },
): Promise<SkillSuites> {
  const files = await findFiles(
    root,
    ['**/SKILL.md', ...SKILL_SUITE_GLOBS, ...FOREIGN_GLOBS, ...OTHER_CASE_GLOBS, ...STRAY_CASE_GLOBS],
    NOT_SKILLS,
  )
  const skillFiles = files.filter((file) => basename(file) === 'SKILL.md')
  const skills = await indexSkills(skillFiles, root)
  const overlays = await indexOverlaySkills(skillFiles, root)
  if (evals !== null) return takeNamed({ root, skills, overlays }, evals, skill)
  const read = await readCandidates(files, root, skills, fields)
  const inJson = new Set(read.flatMap(({ file }) => (file.endsWith('.json') ? [withoutEnding(file)] : [])))
  // In other notations most files are of other tools, and some are copies of one beside them.
  const candidates = read
    .filter(
      ({ file, reason, mayBecome, value, settled }) =>
        file.endsWith('.json') ||
        ((reason === null || mayBecome) &&
          !inJson.has(withoutEnding(file)) &&
          // Elsewhere in such a folder a file is one case, of ours or of another tool.
          (basename(dirname(file)) !== 'cases' || isEvalList(value, settled))),
    )
    .map((one) => ({ ...one, reason: one.reason ?? whyOfOthers(one, skills) }))
  const suites = new Set(candidates.map(({ file }) => file))
  const others = files.filter((file) => !suites.has(file))
  const found = assignSuites(candidates, { root, skills, overlays })
  const unread = candidates.filter(({ file, reason }) => reason !== null && !found.suites.has(file))
  const cases = await findOtherCases(others, root)
  const named = [
    ...candidates.filter(({ file }) => found.suites.has(file)).map(({ file, value }) => [file, value] as const),
    ...cases.map((file) => [file, readSuiteValue(file)] as const),
  ]
  const strays = noteStrayCases(others, root)
  // A case of ours may be called `pdf-evals.yaml`, too.
  const knownFiles = new Set([...strays.map(({ file }) => file), ...(await mapInPortions(cases, readAsCase)).flat()])
  return {
    ...found,
    cases: indexCases(named),
    notes: [
      ...found.notes,
      ...noteUnread(unread, root),
      ...strays,
      ...noteForeign(
        others.filter((file) => !knownFiles.has(file)),
        root,
      ),
    ],
  }
}

// What another tool keeps in `evals/cases` is not of this format.
async function readAsCase(file: string): Promise<readonly string[]> {
  const isAtCases = basename(dirname(file)) === 'cases' && /\.ya?ml$/.test(file)
  return isAtCases && !(await isAamCase(file)) ? [] : [file]
}

function withoutEnding(file: string): string {
  return file.slice(0, -extname(file).length)
}

/** Finds the skill of each suite, the suites that are used where a skill has several, and places without any. */
function assignSuites(candidates: readonly CandidateFile[], repository: Repository): Omit<SkillSuites, 'cases'> {
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

interface OwnedFile {
  readonly candidate: CandidateFile
  readonly owner: Owner
}

/** What the skills so far have taken. */
interface Taken {
  readonly suites: Map<string, SkillSuite>
  readonly notes: SearchNote[]
  /** The first skill of each name. */
  readonly firstOf: Map<string, FoundSkill>
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
      // It is said of the skill, not of each of its files.
      notes: candidate === used[0]?.candidate ? unused.map(({ message }) => message) : [],
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
function noteHomeless({ file, value, settled }: CandidateFile, repository: Repository): SearchNote {
  if (looksLikeAamCase(value)) return noteStrayCase(file, repository.root)
  const path = show(repository.root, file)
  const all = candidatesFor(file, repository).map(({ name }) => name)
  const likely = nameIn(path, all)
  const line = `"skill_name": ${JSON.stringify(likely ?? all[0])}`
  const how = Array.isArray(value) ? `Put the list into { ${line}, "evals": [...] }` : `Write ${line}`
  const skills = likely === null ? ` Skills: ${firstInSentence(all, 5)}.` : ''
  const advice = all.length === 0 ? 'There is no SKILL.md here.' : `${how} to connect it to its skill.${skills}`
  const named = subjectsOf(value, 'file', settled).map((name) => JSON.stringify(shorten(name, 80)))
  const what = named.length === 0 ? 'matches no skill' : `is for ${named.join(', ')}, which is no skill here`
  return { file, message: `${path} ${what}. ${advice}` }
}

// The longest that is a word of the path, or several in a row; `null` where none is.
function nameIn(path: string, names: readonly string[]): string | null {
  const matching = names.filter((name) => wordsOf(path).includes(wordsOf(name)))
  return matching.toSorted((a, b) => b.length - a.length)[0] ?? null
}

function wordsOf(text: string): string {
  return `/${text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .join('/')}/`
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
    cases: indexCases(files.map((file) => [file, readSuiteValue(file)])),
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

/** Cases one folder too deep: only the files of `evals/cases` itself are read. */
const STRAY_CASE_GLOBS: readonly string[] = ['**/{evals,eval}/cases/*/*.{yaml,yml}']

/** Names files that read like a case and are not where cases are read. */
function noteStrayCases(files: readonly string[], root: string): readonly SearchNote[] {
  return files.toSorted(compareTexts).flatMap((file) => {
    const place = caseFileOf(pathFrom(root, file))
    return place === null || !looksLikeAamCase(readSuiteValue(file)) ? [] : [noteStrayCase(file, root)]
  })
}

/** The note on a case that is at another place than `evals/cases`. */
function noteStrayCase(file: string, root: string): SearchNote {
  const path = pathFrom(root, file)
  return {
    file,
    message: `${path} is a case, but not in evals/cases. Move it to ${caseFileOf(path) ?? 'evals/cases'}.`,
  }
}

// Where a case that is below a folder of evals would be read; `null` for every other file.
function caseFileOf(path: string): string | null {
  const folders = path.split('/').slice(0, -1)
  const index = folders.findLastIndex((folder) => folder === 'evals' || folder === 'eval')
  const below = folders.slice(index + 1)
  const isLeftOut =
    folders.some((folder) => NEVER_SUITE_FOLDERS.includes(folder)) ||
    below.some((folder) => NEVER_BELOW_EVALS.includes(folder))
  if (index === -1 || isLeftOut || isAamPlace(path) || !/\.ya?ml$/.test(path)) return null
  return [...folders.slice(0, index), 'evals', 'cases', basename(path)].join('/')
}

/** Where cases with a file each may lie, apart from those of packages. */
const OTHER_CASE_GLOBS: readonly string[] = [...PLUGIN_EVAL_GLOBS, ...GOLDEN_GLOBS]

/** Of these files the cases with a file each, which may have the id of an eval of a skill. */
async function findOtherCases(files: readonly string[], root: string): Promise<readonly string[]> {
  const possible = files.filter((file) => !partsOf(root, file).some((part) => NEVER_SUITE_FOLDERS.includes(part)))
  const ofPackages = possible.filter((file) => isAamPlace(pathFrom(root, file)))
  const golden = possible.filter((file) => evalsDirOf(file) !== null)
  return [...ofPackages, ...golden, ...(await findCases(possible, root)).ours]
}
