import type { Position } from '../lib/documents/document.ts'
import { singleSpaced } from '../lib/text.ts'
import { agentBlocked } from './agent-blocked.ts'
import { noTool, toolCalled, toolsInOrder } from './calls.ts'
import type { CheckFields, CheckKind, CheckResult, Finding, RunScript, SeenFile, SeenRun } from './check.ts'
import { contains, notContains } from './contains.ts'
import { fileExists, fileUnchanged, filesCreated } from './files.ts'
import { hookOutput, hookRan } from './hook-ran.ts'
import { jsonSchema } from './json-schema.ts'
import { maxCostUsd, maxSeconds, maxTokens, maxTurns } from './limits.ts'
import { matches, notMatches } from './matches.ts'
import { script } from './script.ts'
import {
  fileContains,
  fileIsJson,
  fileNotContains,
  fileWords,
  noFile,
  pathExists,
  pathUnchanged,
  says,
} from './sentences.ts'
import { noSkillUsed, skillNotUsed, skillUsed } from './skill-used.ts'

/** Every kind of check. Case files, `evals.json`, sentences, `list` and reports read this table. */
export const CHECKS = {
  contains,
  'not-contains': notContains,
  'files-created': filesCreated,
  'agent-blocked': agentBlocked,
  'hook-ran': hookRan,
  'hook-output': hookOutput,
  matches,
  'not-matches': notMatches,
  'file-exists': fileExists,
  'file-unchanged': fileUnchanged,
  'path-exists': pathExists,
  'file-contains': fileContains,
  'file-not-contains': fileNotContains,
  'file-words': fileWords,
  'file-is-json': fileIsJson,
  'path-unchanged': pathUnchanged,
  'no-file': noFile,
  says,
  'tool-called': toolCalled,
  'tools-in-order': toolsInOrder,
  'no-tool': noTool,
  'skill-used': skillUsed,
  'skill-not-used': skillNotUsed,
  'no-skill-used': noSkillUsed,
  'json-schema': jsonSchema,
  script,
  'max-cost-usd': maxCostUsd,
  'max-seconds': maxSeconds,
  'max-turns': maxTurns,
  'max-tokens': maxTokens,
}

type Table = typeof CHECKS

/** A check without its place in a file. */
export type AskedCheck = {
  [Kind in keyof Table]: { readonly kind: Kind } & (Table[Kind] extends CheckKind<infer Fields> ? Fields : never)
}[keyof Table]

/**
 * A deterministic expectation as declared; `says` is the author's own sentence for it, `turn` the one of several that it is
 * about, from 1.
 */
export type DeclaredCheck = AskedCheck & { readonly at: Position; readonly says?: string; readonly turn?: number }

// Each kind is given the fields that its own schema or sentence has made.
const KINDS: Readonly<Record<string, CheckKind<CheckFields>>> = CHECKS

/** What is particular to a kind of check; `undefined` for a name that is none. */
export function kindOf(name: string): CheckKind<CheckFields> | undefined {
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
}

/** Checks one thing of a run. */
export function runCheck(check: AskedCheck, seen: SeenRun): Finding {
  return kindOf(check.kind)?.run(check, seen) ?? { outcome: 'errored', message: `there is no check ${check.kind}` }
}

/** One sentence on what is checked. */
export function describeCheck(check: AskedCheck): string {
  return kindOf(check.kind)?.describe(check) ?? check.kind
}

/**
 * Reads an expectation that is word for word a sentence of the documented list; `null` for every other one, which is the
 * judge's. The whole sentence has to match: a longer sentence means more than a check can see.
 */
export function readSentence(text: string): AskedCheck | null {
  const sentence = singleSpaced(text).replace(/\.$/, '')
  for (const { kind, pattern, read } of SENTENCES) {
    const found = pattern.exec(sentence)
    const fields = found?.groups === undefined ? null : read(found.groups)
    if (fields !== null) return { kind, ...fields } as AskedCheck
  }
  return null
}

const SENTENCES = Object.entries(KINDS).flatMap(([kind, { sentences = [] }]) =>
  sentences.map(([pattern, read]) => ({ kind, pattern: new RegExp(`^${pattern}$`, 'i'), read })),
)

/** What the workspace has shown of declared checks, before it was removed. */
export interface SeenChecks {
  readonly read: SeenRun['read']
  /** What `observe` has found. */
  readonly found: ReadonlyMap<DeclaredCheck, Finding>
}

/** A workspace that nobody has looked at. */
export const NO_CHECK_SEEN: SeenChecks = { read: () => 'unknown', found: new Map() }

type CaseTarget = { readonly kind: string; readonly name: string } | null

/** Looks at the workspace for everything that declared checks need of it. */
export async function observeChecks(
  declared: readonly DeclaredCheck[],
  run: SeenRun['run'],
  target: CaseTarget,
  readFile: (path: string) => Promise<SeenFile>,
  runScript: RunScript,
): Promise<SeenChecks> {
  const paths = [...new Set(declared.flatMap((check) => kindOf(check.kind)?.reads?.(check, run) ?? []))]
  const files = new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)))
  const read: SeenRun['read'] = (path) => files.get(path) ?? 'unknown'
  const found = new Map<DeclaredCheck, Finding>()
  for (const check of declared) {
    const finding = await kindOf(check.kind)?.observe?.(check, { run, hook: hookOf(target), read, runScript })
    if (finding !== undefined) found.set(check, finding)
  }
  return { read, found }
}

/** Checks a completed run against what its case declares, in that order. All are run, so that one failure hides no other. */
export function runChecks(
  declared: readonly DeclaredCheck[],
  run: SeenRun['run'],
  target: CaseTarget,
  { read, found }: SeenChecks = NO_CHECK_SEEN,
): readonly CheckResult[] {
  const seen: SeenRun = { run, hook: hookOf(target), read }
  return declared.map((check) => {
    const { outcome, message, seen: shown = '', ...diff } = found.get(check) ?? runCheck(check, seen)
    const { kind, value, at, turn } = check
    const implied = 'implied' in check && check.implied ? { implied: true as const } : {}
    const said = outcome === 'passed' ? '' : (message ?? shown)
    const label = kindOf(kind)?.label?.(check) ?? (typeof value === 'number' ? String(value) : value)
    return {
      kind,
      value: label,
      at,
      outcome,
      message: said,
      ...diff,
      ...implied,
      ...(turn === undefined ? {} : { turn }),
    }
  })
}

function hookOf(target: CaseTarget): string | null {
  return target?.kind === 'hook' ? target.name : null
}
