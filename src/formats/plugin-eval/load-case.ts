import { basename, dirname, join, posix } from 'node:path'
import {
  errorAt,
  errorAtKey,
  errorIn,
  isError,
  noEffectAt,
  ofCase,
  valueAt,
  type FieldPath,
  type Issue,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { knownFields } from '../../lib/documents/known-fields.ts'
import type { TrackedFs } from '../../lib/documents/read-text.ts'
import { isJsonObject } from '../../lib/json.ts'
import { packageRootOf } from '../../packages/package-root.ts'
import { AAM_DEFAULTS } from '../aam/aam-defaults.ts'
import type { Format, SuiteContext } from '../format.ts'
import { toPathSegment } from '../paths.ts'
import { PLAIN_CASE, type EvalCase, type Suite } from '../suite.ts'
import { mockLayers, type PluginEvalCase } from './model.ts'
import { evalsDirOf, findCaseFiles, findCases, isCaseOfPlugin, resolvePlugins, stepsBelow } from './find-cases.ts'
import { loadMocks } from './mocks.ts'
import { readCaseFiles, type CaseDocument } from './read-case-files.ts'
import { caseSchema, type ReadCase } from './schema.ts'
import { validateStrictly } from './validate-strictly.ts'

/**
 * Reads the case of a folder; `file` is its `case.yaml`, else its `prompt.md`. Never throws. What Claude Code refuses to
 * load fails the file; what it would only find at the run makes the case broken, which is errored.
 */
async function loadPluginCase(file: string, { root, fs }: Pick<SuiteContext, 'fs' | 'root'>): Promise<Suite> {
  const packageRoot = packageRootOf(file, root)
  const caseDir = dirname(file)
  const document = await readCaseFiles(caseDir, fs)
  const { merged, isDefined } = document
  // Folders of cases may have one name in two groups.
  const shared = { format: 'plugin-eval', file, packageRoot, config: AAM_DEFAULTS, partDir: dirname(caseDir) } as const
  const unreadable = document.issues.some(isError)
  if (!unreadable && !isDefined) return { ...shared, cases: [], issues: [...document.issues, noCase(file)] }
  const read = unreadable ? { value: null, issues: [] } : validateStrictly(merged, caseSchema)
  const issues = [...document.issues, ...read.issues]
  if (read.value === null) return { ...shared, cases: [], issues: issues.map((one) => asReason(one, merged)) }

  const { name, runs, context, execution, graders } = read.value
  const evalsDir = evalsDirOf(file, root, fs) ?? dirname(caseDir)
  const plugins = resolvePlugins(read.value.plugins, merged, { root, fs, caseDir, evalsDir })
  if (plugins.issues.length > 0) return { ...shared, cases: [], issues: [...issues, ...plugins.issues] }
  const mocks = await loadMocks(mockLayers(caseDir, evalsDir), fs)
  const pluginEval: PluginEvalCase = {
    name,
    runs,
    context,
    caseDir,
    evalsDir,
    expectedOutcome: read.value.expected_outcome ?? null,
    execution: execution.session,
    graders: graders.map((grader, index) => {
      const { line, column } = merged.positionOf(['graders', index])
      return { ...grader, at: { line, column } }
    }),
    pluginDirs: plugins.dirs,
    mocks: mocks.servers,
  }
  const atRun = [...mocks.issues, ...checkCase(pluginEval, merged, fs)].map(ofCase)
  const broken = atRun.find(isError)
  const evalCase = toEvalCase(read.value, pluginEval, merged)
  const why = broken === undefined ? {} : { broken: `${basename(broken.file)}:${broken.line}: ${broken.message}` }
  return { ...shared, cases: [{ ...evalCase, ...why }], issues: [...issues, ...unusedFields(document), ...atRun] }
}

function noCase(file: string): Issue {
  const message = 'the case is empty; write the prompt into prompt.md, or define the case in case.yaml'
  return errorIn(file, 'empty-file', message)
}

// A file that would be the only grader is why there is none.
function asReason({ noEffect, ...issue }: Issue, { value }: ReadDocument): Issue {
  if (noEffect === undefined) return issue
  return valueAt(value, 'graders') === undefined ? { ...issue, severity: 'error' } : { ...issue, noEffect }
}

function toEvalCase(read: ReadCase, pluginEval: PluginEvalCase, merged: ReadDocument): EvalCase {
  const [name, prompt] = [merged.positionOf(['name']), merged.positionOf(['execution', 'prompt'])]
  return {
    id: toPathSegment(basename(pluginEval.caseDir)),
    name: read.name,
    ...PLAIN_CASE,
    description: read.description ?? null,
    prompt: read.execution.prompt,
    tags: read.tags,
    timeout: pluginEval.execution.timeoutSeconds,
    runs: read.runs,
    at: { line: name.line, column: name.column },
    promptAt: { line: prompt.line, column: prompt.column },
    kind: 'plugin-eval',
    pluginEval,
  }
}

/** What of a case can only be wrong once it is run: paths that lead elsewhere or to nothing, variables that are refused. */
function checkCase(
  { caseDir, context, execution }: PluginEvalCase,
  merged: ReadDocument,
  fs: TrackedFs,
): readonly Issue[] {
  const check = (path: string | null, field: FieldPath, kind: 'file' | 'folder'): readonly Issue[] => {
    const problem = path === null ? null : findProblem(path, caseDir, kind, fs)
    return problem === null ? [] : [errorAt(merged, ['context', ...field], problem.code, problem.message)]
  }
  const refused = Object.keys(execution.env).filter((name) => !/^EVAL_[A-Z0-9_]*$/.test(name))
  return [
    // Whether the script is there matters only to those who run it.
    ...check(context.scaffold, ['scaffold_script'], 'file').map((issue): Issue => ({ ...issue, severity: 'warning' })),
    ...check(context.history, ['history_file'], 'file'),
    ...context.addDirs.flatMap((path, index) => check(path, ['add_dirs', index], 'folder')),
    ...refused.map((name): Issue => {
      const message = `a case may only set variables whose names begin with EVAL_; set ${name} in the environment of the run`
      const path = ['execution', 'env', name]
      return errorAtKey(merged, path, 'invalid-variable', message)
    }),
  ]
}

/** Why a path of a case cannot be used; `null` when it can. Every step is looked at, so that no link leads out. */
function findProblem(
  path: string,
  caseDir: string,
  kind: 'file' | 'folder',
  fs: Pick<TrackedFs, 'look'>,
): { readonly code: string; readonly message: string } | null {
  const steps = path.startsWith('/') ? null : stepsBelow(caseDir, join(caseDir, path), fs)
  if (steps === null || steps.length === 0)
    return { code: 'unsafe-path', message: `${path} leads out of the folder of the case` }
  const blocked = steps.find((stats) => stats === null || stats.isSymbolicLink())
  if (blocked === null) return { code: 'file-missing', message: `${path} does not exist in the folder of the case` }
  if (blocked !== undefined) return { code: 'unsafe-path', message: `${path} is behind a symbolic link` }
  const isKind = kind === 'file' ? steps.at(-1)?.isFile() : steps.at(-1)?.isDirectory()
  return isKind === true ? null : { code: 'not-a-file', message: `${path} is not a ${kind}` }
}

/** Remarks on fields that have no effect: those that Claude Code ignores too, and those that need its own account. */
function unusedFields({ yaml, front }: Pick<CaseDocument, 'front' | 'yaml'>): readonly Issue[] {
  const account = [yaml, front].flatMap((document) => (document === null ? [] : accountFields(document)))
  return [
    ...(yaml === null ? [] : [[], ['context'], ['execution']].flatMap((path) => unknownAt(yaml, path))),
    ...account,
  ]
}

function accountFields(document: ReadDocument): readonly Issue[] {
  const paths = ['artifact_publish', 'growthbook_overrides'].flatMap((name) => [[name], ['execution', name]])
  return paths
    .filter((path) => path.reduce<unknown>(valueAt, document.value) !== undefined)
    .map((path) => noEffectAt(document, path, 'publishing needs an account of claude.ai; it is not done'))
}

function unknownAt(document: ReadDocument, path: readonly string[]): readonly Issue[] {
  const value = path.reduce<unknown>(valueAt, document.value)
  const fields = knownFields(caseSchema, path)
  return Object.keys(isJsonObject(value) ? value : {})
    .filter((key) => !fields.includes(key))
    .map((key) => noEffectAt(document, [...path, key], 'unknown field. Claude Code ignores it'))
}

/** Cases of `claude plugin eval`: a folder each. */
export const pluginEval: Format = {
  files: {
    find: async ({ root }) => findCases(await findCaseFiles(root), root),
    recognises: (file, { root, fs }) => isCaseOfPlugin(file, root, fs),
    load: loadPluginCase,
  },
  recordingFolder,
  // Every case has a timeout of its own.
  defaultTimeout: 120,
  kind: 'plugin-eval',
}

// The id of a case names its folder. `evals` alone is the folder of cases without a group, so a group of that name gets another.
function recordingFolder(suite: string): string {
  const group = posix.dirname(posix.dirname(suite))
  return `${group}/`.startsWith('evals/evals/') ? `evals/${group}` : group
}
