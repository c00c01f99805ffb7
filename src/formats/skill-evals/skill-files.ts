import { lstatSync } from 'node:fs'
import { basename, dirname, extname, join, relative } from 'node:path'
import { errorIn, ofCase, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { nearestName, wordForm } from '../../lib/documents/nearest-name.ts'
import { isTooDeep } from '../../lib/documents/parse-json.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { describeKind, readText, type TrackedFs } from '../../lib/documents/read-text.ts'
import { checkRelativePath, collisionKey } from '../../lib/documents/relative-path.ts'
import { foldersUpTo, listEntries, listNames, readBytes } from '../../lib/files.ts'
import { tryParseJson } from '../../lib/json.ts'
import { isBelow } from '../../lib/links.ts'
import { mapInPortions } from '../../lib/lists.ts'
import { sha256 } from '../../lib/sha256.ts'
import { compareTexts } from '../../lib/text.ts'
import { isWithin, reportSamePaths, type Report } from '../aam/aam-files.ts'
import { kindOf } from '../kinds.ts'
import { NEVER_BELOW_EVALS, NEVER_SUITE_FOLDERS, QUERY_FOLDERS, toPathSegment } from '../paths.ts'
import type { EvalCase, FixtureBase, FixtureFile, SkillUnderTest, Suite } from '../suite.ts'
import { describeMistake } from './case-parts.ts'
import { whyNoSuite } from './container.ts'
import { fieldConfigs, readSettled } from './fields.ts'
import { partsOf, type FoundSkill } from './skill-index.ts'
import type { FieldsOption, SettledFields } from './vocabulary.ts'
import { namesOf } from '../../packages/package-root.ts'

/** Looks for the files and overlays that a skill's cases name. What is wrong becomes issues. */
export function resolveSkillFiles(
  suite: Suite,
  skill: SkillUnderTest,
  fs: TrackedFs,
  ownPaths: readonly string[],
): Suite {
  const issues: Issue[] = []
  const overlaysOf = findOverlays(skill, fs)
  const cases = suite.cases.map((evalCase): EvalCase => {
    const ownIssues: Issue[] = []
    const report: Report = ({ at, field = 'files' }, code, message) => {
      ownIssues.push({ ...ofCase(errorIn(suite.file, code, message, at)), field })
    }
    const files = evalCase.files.flatMap((file) => resolve(file, skill, fs, report) ?? [])
    const all = [...files, ...evalCase.workspaceFiles]
    reportSamePaths(all, report)
    // A fixture must not reconfigure the agent that it is for; overlays are for that.
    for (const file of all.filter(({ to }) => isWithin(to, ['.git', ...ownPaths])))
      report(file, 'reserved-path', `${file.to} configures the agent; move it to the overlay setup/`)
    issues.push(...ownIssues)
    const [mistake] = ownIssues
    return {
      overlays: overlaysOf(evalCase),
      ...(mistake === undefined ? {} : { broken: describeMistake(mistake) }),
      ...evalCase,
      files,
    }
  })
  return { ...suite, cases, issues: [...suite.issues, ...issues] }
}

interface Base {
  readonly base: FixtureBase
  readonly name: string
  readonly dir: string
}

// The same words as in the documentation of the formats, in the order in which they are looked at.
function basesOf(skill: SkillUnderTest): readonly Base[] {
  const bases: readonly Base[] = [
    { base: 'evals', name: 'the folder of the evals', dir: skill.evalsDir },
    { base: 'skill', name: "the skill's folder", dir: skill.dir },
    { base: 'project', name: 'the project', dir: skill.projectRoot },
  ]
  return bases.filter(({ dir }, index) => bases.findIndex((base) => base.dir === dir) === index)
}

function foundBelow(
  { from: path }: FixtureFile,
  skill: SkillUnderTest,
  fs: TrackedFs,
): readonly { readonly base: Base; readonly from: string }[] {
  return basesOf(skill)
    .map((base) => ({ base, from: join(base.dir, path) }))
    .filter(({ from }) => fs.look(from) !== null)
}

function resolve(entry: FixtureFile, skill: SkillUnderTest, fs: TrackedFs, report: Report): FixtureFile | null {
  const [first, ...others] = foundBelow(entry, skill, fs)
  if (first === undefined) {
    const places = basesOf(skill).map(({ name }) => name)
    const similar = similarFiles(entry.from, skill)
    const hint =
      similar.length === 0
        ? '. If the agent is to write it, name it in "artifacts"'
        : `. Did you mean ${similar.join(' or ')}?`
    report(entry, 'file-missing', `${entry.from} does not exist: neither below ${places.join(' nor below ')}${hint}`)
    return null
  }

  const kind = describeKind(lstatSync(first.from))
  if (kind !== null && kind !== 'a folder') {
    report(entry, 'not-a-file', `${entry.from} is ${kind}, not a regular file`)
    return null
  }
  const other = others.find(({ from }) => !isSame(first.from, from))
  if (other !== undefined) {
    const message = `${entry.from} is ambiguous: below ${first.base.name} and below ${other.base.name} are different files; rename one`
    report(entry, 'ambiguous-file', message)
    return null
  }
  const answer = answerIn(first.from, skill, kind === 'a folder', fs)
  if (answer !== null) {
    report(entry, 'reserved-path', `${entry.from} would show the agent ${answer}, which contains the expected answers`)
    return null
  }
  return { ...entry, from: first.from, base: first.base.base }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [lstatSync(one), lstatSync(other)]
  if (!a.isFile() || !b.isFile() || a.size !== b.size) return false
  if (a.ino === b.ino && a.dev === b.dev) return true
  const text = a.size > MAX_COMPARED ? null : tryRead(one)
  return text !== null && tryRead(other)?.equals(text) === true
}

// Larger files are not read for this: that they differ is assumed.
const MAX_COMPARED = 16_777_216

function tryRead(file: string): Buffer | null {
  try {
    return readBytes(file)
  } catch {
    return null
  }
}

function answerIn(from: string, { evalsDir }: SkillUnderTest, isFolder: boolean, fs: TrackedFs): string | null {
  const answers = SKILL_SUITE_NAMES.map((name) => join(evalsDir, name))
  const shown = answers.find((file) => file === from || (isFolder && isBelow(file, from) && fs.look(file) !== null))
  return shown === undefined ? null : relative(evalsDir, shown)
}

/** The base overlay and a case's own, as far as there are any. A trigger query has the base overlay only. */
function findOverlays({ evalsDir }: SkillUnderTest, fs: TrackedFs): (evalCase: EvalCase) => readonly string[] {
  const isFolder = (folder: string): boolean => fs.look(folder)?.isDirectory() === true
  const setup = join(evalsDir, 'setup')
  // It may also be the folder of the evals of a skill that is called so.
  const isOfSkill = SKILL_SUITE_NAMES.some((name) => fs.look(join(setup, name)) !== null)
  const base = isFolder(setup) && !isOfSkill ? [setup] : []
  // Most cases have no folder of their own, and a suite may hold thousands.
  const names = new Set(listNames(evalsDir).map(collisionKey))
  return (evalCase) => {
    const { id } = evalCase
    if (kindOf(evalCase).isQuery) return base
    const segment = checkRelativePath(id) === null && !id.includes('/') ? id : toPathSegment(id)
    const overlay = join(evalsDir, segment, 'setup')
    return names.has(collisionKey(segment)) && isFolder(overlay) ? [...base, overlay] : base
  }
}

// Paths of files that a missing one may be: of its name, or nearly, in the folders of the evals.
function similarFiles(path: string, { evalsDir, dir }: SkillUnderTest): readonly string[] {
  const name = basename(path)
  const found = [evalsDir, join(dir, 'assets'), join(dir, 'examples')].flatMap((folder) =>
    listEntries(folder, true)
      .filter((entry) => entry.isFile())
      .slice(0, MAX_LOOKED_AT)
      .map((entry) => ({ name: entry.name, path: relative(dir, join(entry.parentPath, entry.name)) })),
  )
  const same = found.filter((one) => one.name === name)
  const nearest = same.length > 0 ? null : nearestName(name, new Set(found.map((one) => one.name)))
  const similar = nearest === null ? same : found.filter((one) => one.name === nearest)
  return similar.slice(0, MAX_NAMED).map((one) => `${one.path.replaceAll('\\', '/')}${wordForm(name, one.name)}`)
}

const MAX_LOOKED_AT = 1000
const MAX_NAMED = 3

/** Names of suite files; of the first two everything at a documented place is ours, of the others what reads like it. */
export const SKILL_SUITE_NAMES: readonly string[] = [
  'evals.json',
  'triggers.json',
  'cases.json',
  'eval.json',
  'eval_queries.json',
  'test-prompts.json',
  'trigger-cases.json',
  'trigger-eval.json',
  'trigger-evals.json',
  'trigger-fixtures.json',
  'trigger-queries.json',
  'trigger_cases.json',
  'trigger_eval.json',
  'trigger_evals.json',
]

/** Where a suite file may be. */
export const SKILL_SUITE_GLOBS: readonly string[] = [
  `**/{${SKILL_SUITE_NAMES.join(',')}}`,
  '**/{evals,eval}/**/*.json',
  '**/{evals,eval}/*.{yaml,yml}',
  '**/{evals,eval}/*/*.{yaml,yml}',
  '**/evals.{yaml,yml}',
  `**/{${QUERY_FOLDERS.join(',')}}/*.{json,yaml,yml}`,
  // Of the action that tests the routing of skills: beside SKILL.md, or in a folder of tests.
  '**/skill-tests.{yaml,yml}',
]

/** Whether a change of this file may change which suites there are: skills, suites and manifests decide that. */
export function mayChangeSkillSuites(file: string): boolean {
  return basename(file) === 'SKILL.md' || /\.(?:json|ya?ml)$/.test(file)
}

/** A file that may be a suite. */
export interface CandidateFile {
  readonly file: string
  /** `undefined` where it cannot be read. */
  readonly value: unknown
  /** Why it reads like no suite, as the end of a sentence; `null` when it does. */
  readonly reason: string | null
  /** Two files of one hash are copies. */
  readonly hash: string
  /** Roles of names that the author has settled. */
  readonly settled: SettledFields
}

/** Reads what may be a suite, sorted by path. */
export async function readCandidates(
  files: readonly string[],
  root: string,
  skills: readonly FoundSkill[],
  fields: FieldsOption = {},
): Promise<readonly CandidateFile[]> {
  const dirs = new Set(skills.map(({ dir }) => dir))
  const names = new Set(skills.flatMap(namesOf))
  const possible = files.filter((file) => mayHoldSuite(file, root, dirs, names)).toSorted(compareTexts)
  const settledOf = new Map<string, SettledFields>()
  return mapInPortions(possible, (file) => {
    const configs = fieldConfigs(file, root)
    const settled = settledOf.get(configs.join()) ?? readSettled(configs, fields).settled
    settledOf.set(configs.join(), settled)
    return readCandidate(file, settled)
  })
}

// What other tools keep beside evals under a name of its own.
const OTHER_FILES = /^(?:eval-config|test-config|package|package-lock|tsconfig(?:\..+)?|hooks|plugin|settings)\.json$/

// In YAML our own cases and those of other tools are beside suites.
const OTHER_YAML =
  /^(?:case|eval)\.ya?ml$|\.eval\.ya?ml$|^promptfooconfig\.|archive|deprecated|disabled|draft|history|removed|result|retired|^runs\.|skipped/i

function mayHoldSuite(file: string, root: string, dirs: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  const name = basename(file)
  if (OTHER_FILES.test(name) || name.endsWith('.schema.json')) return false
  if (!name.endsWith('.json') && (!/\.ya?ml$/.test(name) || OTHER_YAML.test(name))) return false
  // Of a skill that is called like a folder of queries the files are what it ships.
  const around = dirname(file)
  if (dirs.has(around) && QUERY_FOLDERS.includes(basename(around)) && !SKILL_SUITE_NAMES.includes(name)) return false
  // A skill may be called as it likes; what is below it may not.
  const start = foldersUpTo(root, dirname(file)).find((folder) => folder === root || dirs.has(folder)) ?? root
  const parts = partsOf(start, dirname(file))
  const evals = parts.findIndex((part) => part === 'evals' || part === 'eval')
  return parts.every((part, index) => {
    const isBelowEvals = evals !== -1 && index > evals
    // In the folder of a skill's evals it is the overlay of all of them, whatever skills are called.
    const isOverlay = part === 'setup' && isBelowEvals && (dirs.has(start) || !names.has(part))
    if (part === 'setup' || names.has(part)) return !isOverlay
    if (NEVER_SUITE_FOLDERS.includes(part)) return false
    return !(NEVER_BELOW_EVALS.includes(part) && (isBelowEvals || start !== root))
  })
}

/** Reads the text of a suite of a skill in the notation that its name says. */
export function readSuiteDocument(text: string, file: string): ReadDocument {
  return readDocument(text, { kind: extname(file) === '.json' ? 'json' : 'yaml', file, what: 'eval' })
}

// The value of such a text; `undefined` where it cannot be read.
function parseSuite(text: string, file: string): unknown {
  // Most files are plain JSON, which is read in no time; only the others need the patient reader.
  const value = file.endsWith('.json') ? tryParseJson(text) : undefined
  return value === undefined || isTooDeep(value) ? readSuiteDocument(text, file).value : value
}

async function readCandidate(file: string, settled: SettledFields): Promise<CandidateFile> {
  const { text, issue } = await readText(file)
  if (text === null) return { file, value: undefined, settled, reason: `cannot be read: ${issue.message}`, hash: file }
  const value = parseSuite(text, file)
  const notation = extname(file) === '.json' ? 'JSON' : 'YAML'
  const reason = value === undefined ? `is not valid ${notation}` : whyNoSuite(value, settled)
  return { file, value, settled, reason, hash: sha256(text) }
}
