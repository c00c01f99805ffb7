import { dirname, join, posix } from 'node:path'
import { kindOf, type DeclaredCheck } from '../../checks/checks.ts'
import { documentAt, errorAt, valueAt, type ReadDocument } from '../../lib/documents/document.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { openTrackedFs } from '../../lib/documents/read-text.ts'
import { checkRelativePath, collisionKey, normalizeRelativePath } from '../../lib/documents/relative-path.ts'
import { validate, type Validated } from '../../lib/documents/validate.ts'
import { packageRootOf } from '../../packages/package-root.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { discover } from '../discover.ts'
import type { Format } from '../format.ts'
import { isAamPlace } from '../places.ts'
import { criteriaOf, splitCriteria } from '../criteria.ts'
import {
  PLAIN_CASE,
  type CaseAnswer,
  type CaseTurn,
  type Criteria,
  type EvalCase,
  type FixtureFile,
  type Statement,
  type Suite,
  type Target,
} from '../suite.ts'
import { checkTarget, parseTarget, withAlias } from '../target.ts'
import type { AamConfig } from './aam-defaults.ts'
import { resolveAamFiles } from './aam-files.ts'
import { aamCaseSchema, aamConversationSchema, type AamCase, isAamCase } from './aam-schema.ts'

/** What a suite file's text is read with. */
interface ParseAamOptions {
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
function parseAam(document: ReadDocument, options: ParseAamOptions): Suite {
  const { value, issues } = validateCase(document)
  const target = readTarget(document, options.agentPackage)
  return {
    format: 'aam',
    file: options.file,
    packageRoot: options.agentPackage.root,
    config: options.config.config,
    cases: value === null ? [] : [toCase(value, target.value, document, options)],
    issues: [...options.config.issues, ...issues, ...target.issues],
  }
}

function validateCase(document: ReadDocument): Validated<AamCase> {
  if (Array.isArray(document.value)) {
    const message = 'expected one case, got a list; write one file per case'
    return { value: null, issues: [errorAt(document, [], 'wrong-type', message)] }
  }
  const hasTurns = valueAt(document.value, 'turns') !== undefined
  return validate<AamCase>(document, hasTurns ? aamConversationSchema : aamCaseSchema)
}

// From the document and not from the validated case: a wrong target is reported together with the other mistakes.
function readTarget(document: ReadDocument, agentPackage: AgentPackage): Validated<Target> {
  const written = valueAt(document.value, 'target')
  if (typeof written !== 'string') return { value: null, issues: [] }
  const parsed = parseTarget(written)
  if (typeof parsed === 'string')
    return { value: null, issues: [errorAt(document, ['target'], 'invalid-target', parsed)] }
  const target = withAlias(parsed, agentPackage)
  const absent = checkTarget(target, agentPackage)
  return { value: target, issues: absent === null ? [] : [errorAt(document, ['target'], 'unknown-target', absent)] }
}

function toCase(
  value: AamCase,
  target: Target | null,
  document: ReadDocument,
  { evalsDir, agentPackage }: ParseAamOptions,
): EvalCase {
  const input = documentAt(document, ['input'])
  const { turns, ofTurns } = readTurns(value, document, evalsDir)
  return {
    kind: 'task',
    id: value.name,
    name: value.name,
    ...PLAIN_CASE,
    description: value.description ?? null,
    target,
    prompt: value.input?.prompt ?? turns?.[0]?.prompt ?? '',
    ...(turns === null ? {} : { turns }),
    ...(value.answers === undefined ? {} : { answers: value.answers.map(toAnswer) }),
    ...readFiles(document, evalsDir),
    checks: [
      ...impliedCheck(value, target, document, agentPackage),
      ...ofTurns.flatMap(({ checks }) => checks),
      ...toChecks(value.expected ?? {}, documentAt(document, ['expected']), evalsDir),
    ],
    criteria: readCriteria(value, ofTurns, document),
    at: document.positionOf(['name']),
    promptAt:
      value.input?.prompt === undefined ? (turns?.[0]?.at ?? input.positionOf([])) : input.positionOf(['prompt']),
  }
}

function toAnswer({ question, answer }: NonNullable<AamCase['answers']>[number]): CaseAnswer {
  return { question: question ?? null, answer: [answer].flat() }
}

/** What a turn asks. */
interface TurnPart {
  readonly checks: readonly DeclaredCheck[]
  readonly statements: readonly Statement[]
}

// The prompt of the input is the first message, where there is one.
function readTurns(
  { input, turns: written }: AamCase,
  document: ReadDocument,
  evalsDir: string,
): { readonly turns: readonly CaseTurn[] | null; readonly ofTurns: readonly TurnPart[] } {
  if (written === undefined) return { turns: null, ofTurns: [] }
  const first = input?.prompt
  const opening = first === undefined ? [] : [{ prompt: first, at: document.positionOf(['input', 'prompt']) }]
  const ofTurns = written.map(({ expected = {}, judge }, index): TurnPart => {
    const turn = opening.length + index + 1
    const at = document.positionOf(['turns', index, 'judge', 'criteria'])
    const checks = toChecks(expected, documentAt(document, ['turns', index, 'expected']), evalsDir)
    return {
      checks: checks.map((check) => ({ ...check, turn })),
      statements: splitCriteria(judge?.criteria ?? '').map((text) => ({ text, at, turn })),
    }
  })
  const said = written.map(({ prompt }, index) => ({ prompt, at: document.positionOf(['turns', index, 'prompt']) }))
  return { turns: [...opening, ...said], ofTurns }
}

function readCriteria(
  { judge, turns }: AamCase,
  ofTurns: readonly TurnPart[],
  document: ReadDocument,
): Criteria | null {
  const at = document.positionOf(['judge', 'criteria'])
  const text = judge?.criteria ?? ''
  if (turns === undefined) return judge === undefined ? null : { text, at }
  const ofWhole = splitCriteria(text).map((one) => ({ text: one, at }))
  return criteriaOf([...ofTurns.flatMap((one) => one.statements), ...ofWhole])
}

/**
 * The files that a case names. From the document and not from the validated case: a missing file is reported together
 * with the other mistakes.
 */
function readFiles(document: ReadDocument, evalsDir: string): Pick<EvalCase, 'files' | 'workspaceFiles'> {
  const listed = (
    name: string,
  ): readonly (Required<Pick<FixtureFile, 'at' | 'field' | 'to'>> & { readonly entry: unknown })[] => {
    const list = valueAt(valueAt(document.value, 'input'), name)
    return (Array.isArray(list) ? list : []).flatMap((entry: unknown, index) => {
      const path = typeof entry === 'string' ? entry : valueAt(entry, 'path')
      if (typeof path !== 'string' || checkRelativePath(path) !== null) return []
      const at = document.positionOf(['input', name, index])
      return [{ entry, to: normalizeRelativePath(path), field: `input.${name}.${index}`, at }]
    })
  }
  return {
    files: listed('files').map(({ to, field, at }) => ({ from: `${evalsDir}/${to}`, to, field, at })),
    // A bare path may have an original, which is looked for later; a content is complete in itself.
    workspaceFiles: listed('workspace-files').map(({ entry, to, field, at }) => {
      const content = valueAt(entry, 'content')
      return typeof content === 'string'
        ? { to, from: null, content, field, at }
        : { to, from: `${evalsDir}/${to}`, content: '', field, at }
    }),
  }
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

// A list is one check each, and one that is no list is read as a list of it: where it stands, only the document knows.
function toChecks(
  expected: NonNullable<AamCase['expected']>,
  document: ReadDocument,
  folder: string,
): readonly DeclaredCheck[] {
  const checks = Object.entries(expected).flatMap(([kind, written]) =>
    [written ?? []].flat().map((fields, index) => {
      const at = document.positionOf(Array.isArray(valueAt(document.value, kind)) ? [kind, index] : [kind])
      return { kind, ...(kindOf(kind)?.place?.(fields, folder) ?? fields), at } as DeclaredCheck
    }),
  )
  return checks.toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
}

const GLOBS = ['**/evals/cases/*.{yaml,yml}']

/** Cases of the Agent Artifact Manifest: a file each. */
export const aam: Format = {
  files: {
    globs: GLOBS,
    isPlace: isAamPlace,
    find: async ({ root }) => (await discover(root, GLOBS, isAamCase)).ours,
    recognises: () => Promise.resolve(true),
    async load(file, { root, cache, fs }) {
      const evalsDir = dirname(dirname(file))
      const [read, config, agentPackage] = await Promise.all([
        fs.readText(file),
        cache.configOf(join(evalsDir, 'eval-config.json')),
        cache.packageOf(packageRootOf(file, root)),
      ])
      if (read.issue === null) {
        const document = readDocument(read.text, { kind: 'yaml', file, what: 'case' })
        const parsed = parseAam(document, { file, evalsDir, config, agentPackage })
        const named = readFiles(document, evalsDir)
        return alsoBelowEvals(
          await resolveAamFiles(parsed, named, { evalsDir, fs: openTrackedFs(), ownPaths: cache.ownPaths }),
        )
      }
      const issues = [...config.issues, read.issue]
      return { format: 'aam', file, packageRoot: agentPackage.root, config: config.config, cases: [], issues }
    },
  },
  // A file has one case.
  recordingFolder: (suite) => posix.dirname(suite),
  // From the AAM text.
  defaultTimeout: 120,
  kind: 'case',
}

// Prompts name a fixture as seen from `evals/`, or from the package. A file that the case itself puts there wins.
function alsoBelowEvals(suite: Suite): Suite {
  const cases = suite.cases.map((evalCase) => {
    const places = [...evalCase.files, ...evalCase.workspaceFiles].map(({ to }) => collisionKey(to))
    const isFree = (path: string): boolean =>
      !places.some((place) => path === place || path.startsWith(`${place}/`) || place.startsWith(`${path}/`))
    const files = evalCase.files.map((file) =>
      isFree(collisionKey(`evals/${file.to}`)) ? { ...file, alsoTo: `evals/${file.to}` } : file,
    )
    return { ...evalCase, files }
  })
  return { ...suite, cases }
}
