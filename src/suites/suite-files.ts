import { basename, dirname } from 'node:path'
import { sha256 } from '../sha256.ts'
import { readDocument } from '../documents/read-document.ts'
import { readText } from '../documents/read-text.ts'
import { whyNoSuite } from './formats/skill-lists.ts'
import { NEVER_BELOW_EVALS, NEVER_SUITE_FOLDERS } from './never-suite.ts'
import { compare, isBelow, partsOf, type FoundSkill } from './skill-index.ts'

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
  'trigger-queries.json',
  'trigger_cases.json',
  'trigger_eval.json',
  'trigger_evals.json',
]

/** Where a suite file may be. */
export const SKILL_SUITE_GLOBS: readonly string[] = [`**/{${SKILL_SUITE_NAMES.join(',')}}`, '**/{evals,eval}/**/*.json']

/** A file that may be a suite. */
export interface CandidateFile {
  readonly file: string
  /** `undefined` where it is no JSON. */
  readonly value: unknown
  /** Why it reads like no suite, as the end of a sentence; `null` when it does. */
  readonly reason: string | null
  /** Two files of one hash are copies. */
  readonly hash: string
}

/** Reads what may be a suite, sorted by path. */
export async function readCandidates(
  files: readonly string[],
  root: string,
  skills: readonly FoundSkill[],
): Promise<readonly CandidateFile[]> {
  const dirs = new Set(skills.map(({ dir }) => dir))
  const names = new Set(skills.map(({ name }) => name))
  const possible = files.filter((file) => mayHoldSuite(file, root, dirs, names)).toSorted(compare)
  const read: CandidateFile[] = []
  // In portions: a process may not open thousands at once.
  for (let start = 0; start < possible.length; start += 64) {
    read.push(...(await Promise.all(possible.slice(start, start + 64).map(readCandidate))))
  }
  return read
}

// What other tools keep beside evals under a name of its own.
const OTHER_FILES = /^(?:eval-config|test-config|package|package-lock|tsconfig(?:\..+)?|hooks|plugin|settings)\.json$/

function mayHoldSuite(file: string, root: string, dirs: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  if (OTHER_FILES.test(basename(file)) || basename(file).endsWith('.schema.json')) return false
  // A skill may be called as it likes; what is below it may not.
  let start = root
  for (let folder = dirname(file); folder !== root && isBelow(folder, root); folder = dirname(folder)) {
    if (!dirs.has(folder)) continue
    start = folder
    break
  }
  const parts = partsOf(start, dirname(file))
  const evals = parts.findIndex((part) => part === 'evals' || part === 'eval')
  return parts.every((part, index) => {
    const isBelowEvals = evals !== -1 && index > evals
    if (part === 'setup') return !isBelowEvals || (index > evals + 1 && names.has(part))
    if (names.has(part)) return true
    if (NEVER_SUITE_FOLDERS.includes(part)) return false
    return !(NEVER_BELOW_EVALS.includes(part) && (isBelowEvals || start !== root))
  })
}

async function readCandidate(file: string): Promise<CandidateFile> {
  const { text, issue } = await readText(file)
  if (text === null) return { file, value: undefined, reason: `cannot be read: ${issue.message}`, hash: file }
  const value = parse(text, file)
  const reason = value === undefined ? 'is not valid JSON' : whyNoSuite(value)
  return { file, value, reason, hash: sha256(text) }
}

// Most files are plain JSON, which is read in no time; only the others need the patient reader.
function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return readDocument(text, { kind: 'json', file }).value
  }
}
