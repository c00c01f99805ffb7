import { basename, dirname } from 'node:path'
import { formatZodIssue } from '../../../documents/validate.ts'
import { toPathSegment } from '../../path-segment.ts'
import { AAM_DEFAULTS } from '../aam/aam-defaults.ts'
import { checkCase } from './check-case.ts'
import { evalsDirOf } from './find-cases.ts'
import { mockLayers } from './mock-layers.ts'
import { loadMocks } from './mocks.ts'
import { issueAt, mergeCase, type MergedCase } from './merged-case.ts'
import { readCaseFiles, type CaseFiles } from './read-case-files.ts'
import { caseSchema, type WrittenCase } from './schema.ts'
import { resolvePlugins } from './plugins.ts'
import { toPluginEval } from './to-case.ts'
import { unusedFields } from './unused-fields.ts'
import type { TrackedFs } from '../../../documents/tracked-fs.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { z } from 'zod'
import type { EvalCase, Suite } from '../../suite.ts'
import type { PluginEvalCase } from './model.ts'

/** What a case is read with. */
export interface LoadPluginCaseOptions {
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
export async function loadPluginCase(file: string, options: LoadPluginCaseOptions): Promise<Suite> {
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
