import { documentAt, errorAt, valueAt, type ReadDocument } from '../../../documents/document.ts'
import { readDocument } from '../../../documents/read-document.ts'
import { validate } from '../../../documents/validate.ts'
import { normalizeRelativePath } from '../../../documents/relative-path.ts'
import { checkTarget, parseTarget, withAlias } from '../../target.ts'
import type { Issue, Position } from '../../../documents/issue.ts'
import type { AgentPackage } from '../../../packages/package.ts'
import { kindOf, type DeclaredCheck } from '../../../checks/checks.ts'
import type { EvalCase, FixtureFile, Suite, Target, WorkspaceFile } from '../../suite.ts'
import { aamCaseSchema, type AamCase, type AamWorkspaceFile } from './aam-schema.ts'
import type { AamConfig } from './aam-defaults.ts'

/** What a suite file's text is read with. */
export interface ParseAamOptions {
  /** Absolute path of the suite file. */
  readonly file: string
  /** Absolute path of `evals/`, to which the case's files are relative. */
  readonly evalsDir: string
  readonly config: AamConfig
  readonly agentPackage: AgentPackage
}

/**
 * Reads one `evals/cases/*.yaml`, which is one case. Pure: whether its files exist is not looked at.
 * A case may be listed beside errors; no case of a file with an error is run.
 */
export function parseAam(text: string, options: ParseAamOptions): Suite {
  const document = readDocument(text, { kind: 'yaml', file: options.file, what: 'case' })
  const { value, issues } = Array.isArray(document.value)
    ? { value: null, issues: [listOfCases(document)] }
    : validate(document, aamCaseSchema)
  const target = readTarget(document, options.agentPackage)
  return {
    format: 'aam',
    file: options.file,
    packageRoot: options.agentPackage.root,
    config: options.config.config,
    cases: value === null ? [] : [toCase(value, target.target, document, options)],
    issues: [...options.config.issues, ...issues, ...target.issues],
  }
}

function listOfCases(document: ReadDocument): Issue {
  return errorAt(document, [], 'wrong-type', 'expected one case, got a list; write one file per case')
}

interface ReadTarget {
  readonly target: Target | null
  readonly issues: readonly Issue[]
}

// From the document and not from the validated case: a wrong target is reported together with the other mistakes.
function readTarget(document: ReadDocument, agentPackage: AgentPackage): ReadTarget {
  const written = valueAt(document.value, 'target')
  if (typeof written !== 'string') return { target: null, issues: [] }
  const { target: parsed, problem } = parseTarget(written)
  if (parsed === null) return { target: parsed, issues: [errorAt(document, ['target'], 'invalid-target', problem)] }
  const target = withAlias(parsed, agentPackage)
  const absent = checkTarget(target, agentPackage)
  return { target, issues: absent === null ? [] : [errorAt(document, ['target'], 'unknown-target', absent)] }
}

function toCase(
  value: AamCase,
  target: Target | null,
  document: ReadDocument,
  { evalsDir, agentPackage }: ParseAamOptions,
): EvalCase {
  const input = documentAt(document, ['input'])
  return {
    kind: 'task',
    id: value.name,
    name: value.name,
    description: value.description ?? null,
    target,
    prompt: value.input.prompt,
    files: (value.input.files ?? []).map((path, index): FixtureFile => ({
      from: `${evalsDir}/${normalizeRelativePath(path)}`,
      to: normalizeRelativePath(path),
      at: input.positionOf(['files', index]),
    })),
    workspaceFiles: (value.input['workspace-files'] ?? []).map((entry, index) =>
      toWorkspaceFile(entry, evalsDir, input.positionOf(['workspace-files', index])),
    ),
    checks: [
      ...impliedCheck(value, target, document, agentPackage),
      ...toChecks(value.expected ?? {}, documentAt(document, ['expected']), evalsDir),
    ],
    criteria: { text: value.judge.criteria, at: document.positionOf(['judge', 'criteria']) },
    tags: [],
    category: null,
    timeout: null,
    at: document.positionOf(['name']),
    promptAt: input.positionOf(['prompt']),
  }
}

// A bare path may have an original, which is looked for later; a content is complete in itself.
function toWorkspaceFile(entry: AamWorkspaceFile, evalsDir: string, at: Position): WorkspaceFile {
  if (typeof entry !== 'string')
    return { to: normalizeRelativePath(entry.path), from: null, content: entry.content, at }
  const to = normalizeRelativePath(entry)
  return { to, from: `${evalsDir}/${to}`, content: '', at }
}

/** A case about a hook passes only where the hook ran. Prompt hooks leave nothing that could show it. */
function impliedCheck(
  { expected = {} }: AamCase,
  target: Target | null,
  document: ReadDocument,
  { hookGroups }: AgentPackage,
): readonly DeclaredCheck[] {
  if (target?.kind !== 'hook' || expected['hook-ran'] !== undefined) return []
  const hooks = hookGroups.filter(({ event }) => event === target.name).flatMap((group) => group.hooks)
  const isBlock = [expected['agent-blocked'] ?? []].flat().some(({ value }) => value === true)
  // A block says already that the hook ran.
  if (isBlock || hooks.some(({ type }) => type !== 'command')) return []
  const at = document.positionOf(['target'])
  return [{ kind: 'hook-ran', value: true, event: target.name, implied: true, at }]
}

// A list is one check each.
function toChecks(
  expected: NonNullable<AamCase['expected']>,
  document: ReadDocument,
  folder: string,
): readonly DeclaredCheck[] {
  const checks = Object.entries(expected).flatMap(([kind, written]) =>
    [written ?? []].flat().map((fields, index) => {
      const at = document.positionOf(Array.isArray(written) ? [kind, index] : [kind])
      return { kind, ...(kindOf(kind)?.place?.(fields, folder) ?? fields), at } as DeclaredCheck
    }),
  )
  return checks.toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
}
