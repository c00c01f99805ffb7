import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { AgentEvalsError } from '../errors.ts'
import { findFiles } from './discover.ts'
import { readDocument } from '../documents/read-document.ts'
import { readText } from '../documents/read-text.ts'
import { looksLikeSkillSuite } from './formats/skill-container.ts'
import { pathBelow } from '../packages/package-root.ts'
import { NEVER_SUITE_FOLDERS } from './recognise.ts'
import type { SkillUnderTest } from './suite.ts'

/** The suites of skills below a Vitest root. */
export interface SkillSuites {
  /** By absolute path of the suite file, sorted. */
  readonly suites: ReadonlyMap<string, SkillSuitePlace>
  /** What was found and is not used, one sentence each. */
  readonly notes: readonly string[]
  /** Places that were looked at for skills without evals, relative to the root. */
  readonly lookedIn: readonly string[]
}

/** A suite file and the skill that it is about. */
export interface SkillSuitePlace {
  readonly skill: SkillUnderTest
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

/** Names of suite files; of the first two everything at a documented place is ours, of the others what reads like it. */
export const SKILL_SUITE_NAMES: readonly string[] = [
  'evals.json',
  'triggers.json',
  'cases.json',
  'eval.json',
  'eval_queries.json',
  'trigger-cases.json',
  'trigger-eval.json',
  'trigger-evals.json',
  'trigger-fixtures.json',
  'trigger_eval.json',
  'trigger_evals.json',
]

/** Finds the evals of every SKILL.md below a root: for each skill in a fixed order of places, of which the first counts. */
export async function discoverSkillSuites(
  root: string,
  { evals, skill }: SkillSearch = { evals: null, skill: null },
): Promise<SkillSuites> {
  const { skills, folders } = await look(root)
  if (evals !== null) return takeNamed(root, evals, skill, skills)

  const named = byName([...folders.keys()])
  const suites = new Map<string, SkillSuitePlace>()
  const owners = new Map<string, string>()
  const notes: string[] = []
  const lookedIn: string[] = []
  const show = (path: string): string => relative(root, path).split(sep).join('/') || '.'
  for (const dir of skills) {
    const projectRoot = projectRootOf(dir, root)
    const places = placesOf(dir, projectRoot, root, named)
    const [found, ...others] = places.filter((place) => folders.has(place))
    if (found === undefined) {
      lookedIn.push(...places.map(show))
      continue
    }
    const owner = owners.get(found)
    if (owner !== undefined) {
      notes.push(`${show(found)} is taken for the skill at ${show(owner)}; the one at ${show(dir)} has the same name.`)
      continue
    }
    owners.set(found, dir)
    for (const other of others) owners.set(other, owners.get(other) ?? dir)
    const unused = others.map(
      (other) => `Evals of ${basename(dir)} are also in ${show(other)}; only those in ${show(found)} are used.`,
    )
    for (const file of folders.get(found) ?? []) {
      if (!(await isOurs(file))) continue
      const about = { name: basename(dir), dir, projectRoot, evalsDir: found }
      suites.set(file, { skill: about, notes: unused })
    }
    notes.push(...unused)
  }

  const unclaimed = [...folders].filter(([folder]) => !owners.has(folder)).flatMap(([, files]) => files)
  for (const file of unclaimed) {
    if (!(await readsLikeSuite(file))) continue
    notes.push(
      `${show(file)} belongs to no skill: there is no ${basename(skillFolderOf(file))}/SKILL.md that it is found for.`,
    )
  }
  return { suites: sorted(suites), notes, lookedIn: [...new Set(lookedIn)] }
}

const IGNORE = [...NEVER_SUITE_FOLDERS.map((folder) => `**/${folder}/**`), '**/setup/**', '**/.vitest/**']

/** What lies below a root, found in one walk. */
interface Found {
  /** Folders with a SKILL.md, the plainest first: an installed copy in a dot folder is not what is worked on. */
  readonly skills: readonly string[]
  /** Files with a name of ours by their folder. */
  readonly folders: ReadonlyMap<string, readonly string[]>
}

async function look(root: string): Promise<Found> {
  const files = await findFiles(root, [`**/{SKILL.md,${SKILL_SUITE_NAMES.join(',')}}`], IGNORE)
  const ranks = new Map<string, number>()
  const folders = new Map<string, string[]>()
  for (const file of files.toSorted(compare)) {
    const folder = dirname(file)
    if (basename(file) !== 'SKILL.md') folders.set(folder, [...(folders.get(folder) ?? []), file])
    else if (!partsOf(root, dirname(folder)).includes('evals')) ranks.set(folder, rankOf(root, folder))
  }
  const skills = [...ranks].toSorted(([a, rankA], [b, rankB]) => rankA - rankB || compare(a, b)).map(([dir]) => dir)
  return { skills, folders }
}

function rankOf(root: string, dir: string): number {
  const parts = partsOf(root, dir)
  return parts.length + (parts.some((part) => part.startsWith('.')) ? 1000 : 0)
}

function partsOf(root: string, path: string): readonly string[] {
  return relative(root, path).split(sep)
}

function byName(folders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>()
  for (const folder of folders) {
    const name = basename(folder)
    const known = named.get(name)
    if (known === undefined) named.set(name, [folder])
    else known.push(folder)
  }
  return named
}

/** Places of a skill's evals, in the order in which they are looked at. */
function placesOf(
  dir: string,
  projectRoot: string,
  root: string,
  named: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const name = basename(dir)
  const below = join(projectRoot, 'evals')
  const anywhere = (named.get(name) ?? [])
    .filter((folder) => folder.startsWith(`${below}${sep}`))
    .toSorted((a, b) => a.split(sep).length - b.split(sep).length || compare(a, b))
  const places = [
    join(dir, 'evals'),
    join(dir, '..', '..', 'evals', name),
    join(below, name),
    ...anywhere,
    dir,
    join(dir, 'tests'),
    join(dir, 'benchmark'),
  ]
  return [...new Set(places)].filter((place) => place === root || pathBelow(root, place) !== null)
}

/** The nearest folder upwards that is a project, never above the Vitest root. */
function projectRootOf(dir: string, root: string): string {
  for (let folder = dir; folder !== root && folder !== dirname(folder); folder = dirname(folder)) {
    const isBmad = statSync(join(folder, '_bmad'), { throwIfNoEntry: false })?.isDirectory() === true
    if (isBmad || existsSync(join(folder, '.git'))) return folder
  }
  return root
}

async function takeNamed(
  root: string,
  path: string,
  asked: string | null,
  skills: readonly string[],
): Promise<SkillSuites> {
  const show = (file: string): string => relative(root, file).split(sep).join('/') || '.'
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw refuse(`names ${path}, which does not exist.`)
  if (path !== root && pathBelow(root, path) === null) {
    throw refuse(
      `names ${path}, which lies outside the Vitest root ${root}. Start Vitest with a --root that holds both.`,
    )
  }
  const files = found.isDirectory()
    ? SKILL_SUITE_NAMES.map((name) => join(path, name)).filter((file) => existsSync(file))
    : [path]
  if (files.length === 0) throw refuse(`names ${show(path)}, which holds neither evals.json nor triggers.json.`)

  const evalsDir = found.isDirectory() ? path : dirname(path)
  const dir =
    skills.find((skill) => basename(skill) === asked) ?? (asked === null ? skillOf(evalsDir, skills) : undefined)
  if (dir === undefined) {
    const names = skills.map((skill) => basename(skill)).join(', ')
    throw refuse(
      `names ${show(path)}, for which there is no skill. Say which with \`target\`: skill:<name>. There are: ${names || 'none'}.`,
    )
  }
  const skill = { name: basename(dir), dir, projectRoot: projectRootOf(dir, root), evalsDir }
  return { suites: new Map(files.map((file) => [file, { skill, notes: [] }])), notes: [], lookedIn: [] }
}

function refuse(what: string): AgentEvalsError {
  return new AgentEvalsError('invalid-options', `\`evals\` ${what}`)
}

// The skill around the folder, else the one that the folder is named after.
function skillOf(evalsDir: string, skills: readonly string[]): string | undefined {
  const around = skills.filter((dir) => evalsDir === dir || evalsDir.startsWith(`${dir}${sep}`))
  return around.toSorted((a, b) => b.length - a.length)[0] ?? skills.find((dir) => basename(dir) === basename(evalsDir))
}

function skillFolderOf(file: string): string {
  const folder = dirname(file)
  return ['benchmark', 'evals', 'tests'].includes(basename(folder)) ? dirname(folder) : folder
}

async function isOurs(file: string): Promise<boolean> {
  return SKILL_SUITE_NAMES.indexOf(basename(file)) < 2 || readsLikeSuite(file)
}

async function readsLikeSuite(file: string): Promise<boolean> {
  const { text } = await readText(file)
  return text !== null && looksLikeSkillSuite(readDocument(text, { kind: 'json', file }).value)
}

function sorted(suites: ReadonlyMap<string, SkillSuitePlace>): ReadonlyMap<string, SkillSuitePlace> {
  return new Map([...suites].toSorted(([a], [b]) => compare(a, b)))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
