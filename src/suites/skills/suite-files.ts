import { basename, dirname, extname } from 'node:path'
import { foldersUpTo } from '../../files.ts'
import { sha256 } from '../../sha256.ts'
import { readText } from '../../documents/read-text.ts'
import { fieldConfigs, readSettled } from '../formats/skill-evals/settled-fields.ts'
import type { FieldsOption } from '../formats/skill-evals/vocabulary.ts'
import { whyNoSuite } from '../formats/skill-evals/container.ts'
import { NEVER_BELOW_EVALS, NEVER_SUITE_FOLDERS } from './never-suite.ts'
import { parseSuite } from '../suite-document.ts'
import { partsOf, type FoundSkill } from './skill-index.ts'
import { mapInPortions } from '../../lists.ts'
import type { SettledFields } from '../formats/skill-evals/vocabulary.ts'
import { compareTexts } from '../../texts.ts'

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
export const SKILL_SUITE_GLOBS: readonly string[] = [
  `**/{${SKILL_SUITE_NAMES.join(',')}}`,
  '**/{evals,eval}/**/*.{json,jsonl}',
  '**/{evals,eval}/*.{yaml,yml}',
  '**/{evals,eval}/*/*.{yaml,yml}',
]

/** Whether a change of this file may change which suites there are: skills, suites and manifests decide that. */
export function mayChangeSkillSuites(file: string): boolean {
  return basename(file) === 'SKILL.md' || /\.(?:jsonl?|ya?ml)$/.test(file)
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
  const names = new Set(skills.map(({ name }) => name))
  const possible = files.filter((file) => mayHoldSuite(file, root, dirs, names)).toSorted(compareTexts)
  const known = new Map<string, SettledFields>()
  return mapInPortions(possible, (file) => {
    const configs = fieldConfigs(file, root)
    const settled = known.get(configs.join()) ?? readSettled(configs, fields).settled
    known.set(configs.join(), settled)
    return readCandidate(file, settled)
  })
}

// What other tools keep beside evals under a name of its own.
const OTHER_FILES = /^(?:eval-config|test-config|package|package-lock|tsconfig(?:\..+)?|hooks|plugin|settings)\.json$/

// In other notations our own cases, those of other tools and their logs are beside suites.
function isOtherNotation(file: string): boolean {
  const name = basename(file)
  if (!/\.(?:jsonl|ya?ml)$/.test(name)) return !name.endsWith('.json')
  const isCase = name === 'case.yaml' || basename(dirname(file)) === 'cases'
  return isCase || /\.eval\.ya?ml$|^promptfooconfig\./.test(name) || OLD_LISTS.test(name)
}

// Lists that are kept and no longer run, or what came out of a run.
const OLD_LISTS = /archive|deprecated|disabled|draft|history|removed|result|retired|^runs$|skipped/i

function mayHoldSuite(file: string, root: string, dirs: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  if (OTHER_FILES.test(basename(file)) || basename(file).endsWith('.schema.json') || isOtherNotation(file)) return false
  // A skill may be called as it likes; what is below it may not.
  const start = foldersUpTo(root, dirname(file)).find((folder) => folder === root || dirs.has(folder)) ?? root
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

const NOTATIONS: Readonly<Record<string, string>> = { '.json': 'JSON', '.jsonl': 'JSON on each line' }

async function readCandidate(file: string, settled: SettledFields): Promise<CandidateFile> {
  const { text, issue } = await readText(file)
  if (text === null) return { file, value: undefined, reason: `cannot be read: ${issue.message}`, hash: file, settled }
  const value = parseSuite(text, file)
  const reason = value === undefined ? `is not valid ${NOTATIONS[extname(file)] ?? 'YAML'}` : whyNoSuite(value, settled)
  return { file, value, reason, hash: sha256(text), settled }
}
