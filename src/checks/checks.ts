import { singleSpaced } from '../texts.ts'
import { agentBlocked } from './agent-blocked.ts'
import { noTool, toolCalled, toolsInOrder } from './calls.ts'
import { contains, notContains } from './contains.ts'
import { fileExists } from './file-exists.ts'
import { fileUnchanged } from './file-unchanged.ts'
import { filesCreated } from './files-created.ts'
import { hookOutput, hookRan } from './hook-ran.ts'
import { jsonSchema } from './json-schema.ts'
import { maxCostUsd, maxSeconds, maxTokens, maxTurns } from './limits.ts'
import { matches, notMatches } from './matches.ts'
import { says } from './says.ts'
import { script } from './script.ts'
import { noSkillUsed, skillNotUsed, skillUsed } from './skill-used.ts'
import {
  fileContains,
  fileIsJson,
  fileNotContains,
  fileWords,
  noFile,
  pathExists,
  pathUnchanged,
} from './workspace-files.ts'
import type { CheckFields, CheckKind, Finding, SeenRun } from './check.ts'
import type { Position } from '../documents/issue.ts'

/** Every kind of check. Case files, sentences, matchers and `list` read this table, and name no kind themselves. */
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

/** A deterministic expectation as declared; `says` is the author's own sentence for it. */
export type DeclaredCheck = AskedCheck & { readonly at: Position; readonly says?: string }

// Each kind is given the fields that its own schema or sentence has made.
const KINDS: Readonly<Record<string, CheckKind<CheckFields>>> = CHECKS

/** What is particular to a kind of check; `undefined` for a name that is none. */
export function kindOf(name: string): CheckKind<CheckFields> | undefined {
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
}

/** Checks one thing of a run. */
export function runCheck(asked: AskedCheck, seen: SeenRun): Finding {
  return kindOf(asked.kind)?.run(asked, seen) ?? { outcome: 'errored', message: `there is no check ${asked.kind}` }
}

/** One sentence on what is checked. */
export function describeCheck(asked: AskedCheck): string {
  return kindOf(asked.kind)?.describe(asked) ?? asked.kind
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
