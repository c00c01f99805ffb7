import { basename, dirname, posix, relative, sep } from 'node:path'
import type { z } from 'zod'
import { noEffectAt, valueAt, type FieldPath, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { knownFields } from '../../lib/documents/known-fields.ts'
import type { TrackedFs } from '../../lib/documents/read-text.ts'
import { formatZodIssue } from '../../lib/documents/validate.ts'
import { isJsonObject } from '../../lib/json.ts'
import { packageRootOf } from '../../packages/package-root.ts'
import { AAM_DEFAULTS } from '../aam/aam-defaults.ts'
import { withSiblings } from '../case-index.ts'
import { NEVER_SUITE_GLOBS, findFiles } from '../discover.ts'
import type { Format } from '../format.ts'
import { toPathSegment } from '../paths.ts'
import type { EvalCase, Suite } from '../suite.ts'
import { mockLayers, type CasePath, type PluginEvalCase } from './model.ts'
import { PLUGIN_EVAL_GLOBS, evalsDirOf, findCases, isCaseOfPlugin, resolvePlugins } from './find-cases.ts'
import { loadMocks } from './mocks.ts'
import { issueAt, mergeCase, readCaseFiles, type CaseFiles, type MergedCase } from './read-case-files.ts'
import { caseSchema, type WrittenCase } from './schema.ts'
import { toPluginEval } from './to-case.ts'

/** What a case is read with. */
interface LoadPluginCaseOptions {
  /** Absolute path of the owning package. */
  readonly packageRoot: string
  /** The Vitest root, absolute. */
  readonly root: string
  readonly fs: TrackedFs
}

/**
 * Reads the case of a folder; `file` is its `case.yaml`, else its `prompt.md`. Never throws. What Claude Code refuses to
 * load fails the file; what it would only find at the run makes the case broken, which is errored.
 */
async function loadPluginCase(file: string, options: LoadPluginCaseOptions): Promise<Suite> {
  const { packageRoot, fs } = options
  const caseDir = dirname(file)
  const files = await readCaseFiles(caseDir, fs)
  const merged = mergeCase(files)
  // Folders of cases may have one name in two groups.
  const shared = { format: 'plugin-eval', file, packageRoot, config: AAM_DEFAULTS, partDir: dirname(caseDir) } as const
  const unreadable = files.issues.some(({ severity }) => severity === 'error')
  if (!unreadable && isUndefined(files)) return { ...shared, cases: [], issues: [...files.issues, noCase(file)] }
  const read = unreadable ? { value: null, issues: [] } : readCase(merged)
  const issues = [...files.issues, ...read.issues]
  if (read.value === null) return { ...shared, cases: [], issues: issues.map((one) => asReason(one, merged)) }

  const evalsDir = evalsDirOf(file, options.root, fs) ?? dirname(caseDir)
  const plugins = resolvePlugins(read.value, merged, { ...options, caseDir, evalsDir })
  if (plugins.issues.length > 0) return { ...shared, cases: [], issues: [...issues, ...plugins.issues] }
  const mocks = await loadMocks(mockLayers(caseDir, evalsDir), fs)
  const pluginEval = toPluginEval(read.value, merged, {
    caseDir,
    evalsDir,
    source: sourceOf(files),
    pluginDirs: plugins.dirs,
    mocks: mocks.servers,
  })
  const atRun = [...mocks.issues, ...checkCase(pluginEval, merged, fs)].map(asBroken)
  const broken = atRun.find(({ severity }) => severity === 'error')
  const evalCase = toEvalCase(read.value, pluginEval, merged)
  return {
    ...shared,
    cases: [
      broken === undefined
        ? evalCase
        : { ...evalCase, broken: `${basename(broken.file)}:${broken.line}: ${broken.message}` },
    ],
    issues: [...issues, ...unusedFields(read.value, files), ...atRun],
  }
}

function readCase(merged: MergedCase): { readonly value: WrittenCase | null; readonly issues: readonly Issue[] } {
  const { value } = merged
  const version = value['schema_version']
  const at = merged.placeOf(['schema_version'])
  if (typeof version !== 'string')
    return refuse(issueAt(at, 'missing-field', 'missing; write the version as a text, such as "1.1"'))
  const major = Number.parseInt(version, 10)
  if (Number.isNaN(major)) return refuse(issueAt(at, 'invalid-value', `${JSON.stringify(version)} is not a version`))
  if (major > NEWEST)
    return refuse(
      issueAt(
        at,
        'unsupported-version',
        `version ${version} is newer than ${NEWEST}.x, which is the newest that is read`,
      ),
    )

  const checked = caseSchema.safeParse(value, { error: formatZodIssue })
  if (!checked.success)
    return { value: null, issues: checked.error.issues.flatMap((issue) => wordMistake(merged, issue)) }
  const placeholder = findPlaceholder(checked.data, merged)
  return placeholder === null ? { value: checked.data, issues: [] } : refuse(placeholder)
}

const NEWEST = 1

function refuse(issue: Issue): { readonly value: null; readonly issues: readonly Issue[] } {
  return { value: null, issues: [issue] }
}

function wordMistake(merged: MergedCase, issue: z.core.$ZodIssue): readonly Issue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) =>
      issueAt(
        merged.keyPlaceOf([...issue.path, key]),
        'unknown-field',
        'unknown field. Claude Code refuses it; remove it',
      ),
    )
  const place = merged.placeOf(issue.path)
  const custom = issue.code === 'custom' && typeof issue.params?.['code'] === 'string' ? issue.params['code'] : null
  return [issueAt(place, custom ?? codeOf(merged, issue), issue.message)]
}

function codeOf(merged: MergedCase, { code, path }: z.core.$ZodIssue): string {
  if (merged.valueOf(path) === undefined) return 'missing-field'
  if (code === 'invalid_type' || code === 'invalid_union') return 'wrong-type'
  return code === 'too_small' || code === 'too_big' ? 'out-of-range' : 'invalid-value'
}

// What `claude plugin eval init --bare` writes, and nothing that a case may be run with.
const PROMPT_TEMPLATE = 'TODO: describe what the agent should do'
const GRADER_TEMPLATE = 'TODO: describe what a successful response looks like'

function findPlaceholder({ execution, context, graders }: WrittenCase, merged: MergedCase): Issue | null {
  const place = merged.placeOf(['execution', 'prompt'])
  const prompt = execution.prompt ?? ''
  if (prompt.trim() === '') {
    const why = context.history_file === undefined ? '' : ', since a resumed session needs its next turn'
    return issueAt(place, 'missing-field', `missing; write the prompt below the front matter of prompt.md${why}`)
  }
  if (prompt.includes(PROMPT_TEMPLATE))
    return issueAt(place, 'placeholder', 'the prompt is still that of the template; write what the agent is asked')
  const index = graders.findIndex((one) =>
    ('criteria' in one ? one.criteria : 'pattern' in one ? one.pattern : '').includes(GRADER_TEMPLATE),
  )
  if (index === -1) return null
  const field = graders[index]?.type === 'regex' ? 'pattern' : 'criteria'
  const message = 'is still that of the template; write what a good answer is'
  return issueAt(merged.placeOf(['graders', index, field]), 'placeholder', message)
}

// Neither file says anything.
function isUndefined({ yaml, prompt, graders }: CaseFiles): boolean {
  const hasFront = Object.keys(prompt?.front?.value ?? {}).length > 0
  return (yaml === null || yaml.value === null) && !hasFront && (prompt?.body ?? '') === '' && graders.length === 0
}

function noCase(file: string): Issue {
  const message = 'the case is empty; write the prompt into prompt.md, or define the case in case.yaml'
  return { code: 'empty-file', severity: 'error', file, field: '', message, line: 1, column: 1 }
}

function sourceOf({ yaml, prompt, graders }: CaseFiles): PluginEvalCase['source'] {
  if (yaml === null) return 'prose'
  return prompt === null && graders.length === 0 ? 'case_yaml' : 'mixed'
}

// A file that would be the only grader is why there is none.
function asReason({ noEffect, ...issue }: Issue, { value }: MergedCase): Issue {
  if (noEffect === undefined) return issue
  return value['graders'] === undefined ? { ...issue, severity: 'error' } : { ...issue, noEffect }
}

function asBroken(issue: Issue): Issue {
  return issue.severity === 'error' ? { ...issue, skips: true } : issue
}

function toEvalCase(value: WrittenCase, pluginEval: PluginEvalCase, merged: MergedCase): EvalCase {
  const [name, prompt] = [merged.placeOf(['name']), merged.placeOf(['execution', 'prompt'])]
  return {
    id: toPathSegment(basename(pluginEval.caseDir)),
    name: value.name,
    description: value.description ?? null,
    target: null,
    prompt: value.execution.prompt ?? '',
    files: [],
    workspaceFiles: [],
    checks: [],
    criteria: null,
    tags: value.tags,
    category: null,
    timeout: value.execution.timeout_seconds,
    runs: value.runs,
    at: { line: name.line, column: name.column },
    promptAt: { line: prompt.line, column: prompt.column },
    kind: 'plugin-eval',
    pluginEval,
  }
}

/** What of a case can only be wrong once it is run: paths that lead elsewhere or to nothing, variables that are refused. */
function checkCase(
  { caseDir, context, execution }: PluginEvalCase,
  merged: MergedCase,
  fs: TrackedFs,
): readonly Issue[] {
  const check = (path: CasePath | null, field: FieldPath, kind: 'file' | 'folder'): readonly Issue[] => {
    const problem = path === null ? null : findProblem(path, caseDir, kind, fs)
    return problem === null ? [] : [issueAt(merged.placeOf(['context', ...field]), problem.code, problem.message)]
  }
  return [
    // Whether the script is there matters only to those who run it.
    ...check(context.scaffold, ['scaffold_script'], 'file').map((issue): Issue => ({ ...issue, severity: 'warning' })),
    ...check(context.history, ['history_file'], 'file'),
    ...context.addDirs.flatMap((path, index) => check(path, ['add_dirs', index], 'folder')),
    ...Object.keys(execution.env)
      .filter((name) => !/^EVAL_[A-Z0-9_]*$/.test(name))
      .map((name) =>
        issueAt(
          merged.keyPlaceOf(['execution', 'env', name]),
          'invalid-variable',
          `a case may only set variables whose names begin with EVAL_; set ${name} in the environment of the run`,
        ),
      ),
  ]
}

/** Why a path of a case cannot be used; `null` when it can. Every step is looked at, so that no link leads out. */
function findProblem(
  { path, file }: CasePath,
  caseDir: string,
  kind: 'file' | 'folder',
  fs: Pick<TrackedFs, 'look'>,
): { readonly code: string; readonly message: string } | null {
  const below = relative(caseDir, file)
  if (below === '' || below.startsWith('..') || path.startsWith('/'))
    return { code: 'unsafe-path', message: `${path} leads out of the folder of the case` }
  const steps = below.split(sep)
  for (const [index] of steps.entries()) {
    const current = [caseDir, ...steps.slice(0, index + 1)].join(sep)
    const stats = fs.look(current)
    if (stats === null) return { code: 'file-missing', message: `${path} does not exist in the folder of the case` }
    if (stats.isSymbolicLink()) return { code: 'unsafe-path', message: `${path} is behind a symbolic link` }
  }
  const stats = fs.look(file)
  const isKind = kind === 'file' ? stats?.isFile() : stats?.isDirectory()
  return isKind === true ? null : { code: 'not-a-file', message: `${path} is not a ${kind}` }
}

/** Remarks on fields that have no effect: those that Claude Code ignores too, and those that need its own account. */
function unusedFields({ execution }: WrittenCase, { yaml, prompt }: CaseFiles): readonly Issue[] {
  const documents = [yaml, prompt?.front ?? null].filter((one) => one !== null)
  return [
    ...(yaml === null ? [] : [[], ['context'], ['execution']].flatMap((path) => unknownAt(yaml, path))),
    ...ACCOUNT_FIELDS.filter((name) => execution[name] !== undefined).flatMap((name) =>
      documents.flatMap((document) => accountField(document, name)),
    ),
  ]
}

const ACCOUNT_FIELDS = ['artifact_publish', 'growthbook_overrides'] as const

function accountField(document: ReadDocument, name: string): readonly Issue[] {
  const path = [[name], ['execution', name]].find((one) => one.reduce<unknown>(valueAt, document.value) !== undefined)
  return path === undefined
    ? []
    : [noEffectAt(document, path, 'publishing needs an account of claude.ai; it is not done')]
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
    find: async ({ root }) => (await findCases(await findFiles(root, PLUGIN_EVAL_GLOBS, NEVER_SUITE_GLOBS), root)).ours,
    recognises: isCaseOfPlugin,
    async load(file, { root, cache, fs }) {
      const suite = await loadPluginCase(file, { packageRoot: packageRootOf(file, root), root, fs })
      return withSiblings(suite, (await cache.skillSuites(root)).cases)
    },
  },
  recordingFolder,
  // Every case has a timeout of its own.
  defaultTimeout: 120,
  kind: 'plugin-eval',
  extras: ['aggregate-result'],
}

// The id of a case names its folder. `evals` alone is the folder of cases without a group, so a group of that name gets another.
function recordingFolder(suite: string): string {
  const group = posix.dirname(posix.dirname(suite))
  return `${group}/`.startsWith('evals/evals/') ? `evals/${group}` : group
}
