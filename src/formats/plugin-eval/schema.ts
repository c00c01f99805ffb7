import { z } from 'zod'
import type { CallFields } from '../../checks/calls.ts'
import type { AskedCheck } from '../../checks/checks.ts'
import type { Target } from '../../checks/targets.ts'

/** Front matter of `prompt.md` that is about the case itself. */
export const CASE_FIELDS: readonly string[] = [
  'schema_version',
  'name',
  'description',
  'tags',
  'plugins',
  'runs',
  'expected_outcome',
]

/** Front matter of `prompt.md` that `case.yaml` has below `execution`. */
export const EXECUTION_FIELDS: readonly string[] = [
  'model',
  'max_turns',
  'timeout_seconds',
  'allowed_tools',
  'disallowed_tools',
  'artifact_publish',
  'growthbook_overrides',
  'append_system_prompt',
  'env',
]

/** Every kind of grader. */
export const GRADER_TYPES: readonly string[] = ['regex', 'tool_order', 'tool_used', 'file_exists', 'llm', 'baseline']

const text = z.string()

/** What `claude plugin eval init --bare` writes, and nothing that a case may be run with. */
const PLACEHOLDER = /TODO: describe what (?:the agent should do|a successful response looks like)/
const NOT_FILLED = { error: 'is still that of the template; replace it', params: { code: 'placeholder' } }
const filled = text.refine((value) => !PLACEHOLDER.test(value), NOT_FILLED)

const target = z.union([
  z.enum(['trace', 'last_message', 'files', 'mock_calls']).transform((kind): Target => ({ kind })),
  z.strictObject({ source: z.literal('file'), path: text }).transform(({ path }): Target => ({ kind: 'file', path })),
])
const LAST_MESSAGE: Target = { kind: 'last_message' }

const shared = {
  name: text,
  weight: z.number().positive().default(1),
  arm: z
    .enum(['with-only', 'both'])
    .optional()
    .transform((arm) => arm ?? null),
}
const toolMatch = z.union([
  text.transform((tool) => callOf(tool)),
  z.strictObject({ tool: text, input_match: text.optional() }).transform((one) => callOf(one.tool, one.input_match)),
])

const graderSchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('regex'),
      ...shared,
      target: target.default(LAST_MESSAGE),
      pattern: filled,
      flags: text.regex(/^[dgimsuvy]*$/, 'must be flags of a regular expression: any of d g i m s u v y').default(''),
      match: text
        .regex(/^(?:contains|not_contains|count:\d+)$/, 'must be contains, not_contains or count:N')
        .default('contains'),
    })
    .transform(({ target: of, pattern, flags, match, ...rest }) => ({
      ...rest,
      check: checkOf(match === 'not_contains' ? 'not-matches' : 'matches', {
        value: pattern,
        flags,
        target: of,
        ...(match.startsWith('count:') ? { times: Number(match.slice('count:'.length)) } : {}),
      }),
    })),
  z
    .strictObject({ type: z.literal('tool_order'), ...shared, before: toolMatch, after: toolMatch })
    .transform(({ before, after, ...rest }) => ({
      ...rest,
      check: checkOf('first-called', { value: `${before.value}, ${after.value}`, before, after }),
    })),
  z
    .strictObject({
      type: z.literal('tool_used'),
      ...shared,
      tool: text,
      input_match: text.optional(),
      min: z.int().nonnegative().optional(),
      max: z.int().nonnegative().optional(),
    })
    .transform(({ tool, input_match: inputMatch, min, max, ...rest }) => ({
      ...rest,
      check: checkOf('tool-called', {
        ...callOf(tool, inputMatch),
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
      }),
    })),
  z
    .strictObject({ type: z.literal('file_exists'), ...shared, path: text, exists: z.boolean().default(true) })
    .transform(({ path, exists, ...rest }) => ({ ...rest, check: checkOf('glob-created', { value: path, exists }) })),
  z.strictObject({
    type: z.literal('llm'),
    ...shared,
    criteria: filled,
    focus: target.default(LAST_MESSAGE),
  }),
  z
    .strictObject({ type: z.literal('baseline'), ...shared, baseline_file: text, criteria: filled })
    .transform(({ baseline_file: baselineFile, ...rest }) => ({ ...rest, baselineFile })),
])

function callOf(tool: string, inputMatch?: string): CallFields {
  const input = inputMatch === undefined ? {} : { inputMatch: { value: inputMatch, flags: '' } }
  return { value: tool, isExact: true, ...input }
}

function checkOf<Kind extends AskedCheck['kind']>(
  kind: Kind,
  fields: Omit<Extract<AskedCheck, { kind: Kind }>, 'kind'>,
): AskedCheck {
  return { kind, ...fields } as AskedCheck
}

const NEWEST = 1
const version = text
  .refine((value) => !Number.isNaN(Number.parseInt(value, 10)), 'is not a version, such as "1.1"')
  .refine((value) => !(Number.parseInt(value, 10) > NEWEST), {
    error: `is newer than ${NEWEST}.x, which is the newest that is read`,
    params: { code: 'unsupported-version' },
  })

const NO_PROMPT = {
  error: 'missing; write the prompt below the front matter of prompt.md',
  params: { code: 'missing-field' },
}

const context = z
  .object({
    scaffold_script: text.optional(),
    history_file: text.optional(),
    add_dirs: z.array(text).default([]),
  })
  .default({ add_dirs: [] })
  .transform(({ scaffold_script: scaffold = null, history_file: history = null, add_dirs: addDirs }) => ({
    scaffold,
    history,
    addDirs,
  }))

const execution = z
  .object({
    prompt: filled.default('').refine((value) => value.trim() !== '', NO_PROMPT),
    max_turns: z.int().positive().max(200).default(10),
    timeout_seconds: z.int().positive().max(3600).default(300),
    model: text.optional(),
    allowed_tools: z.array(text).default([]),
    disallowed_tools: z
      .array(text.regex(/^[A-Za-z]*$/, 'must be the name of a built-in tool, such as Agent'))
      .default([]),
    artifact_publish: z.boolean().optional(),
    growthbook_overrides: z.record(text, z.json()).optional(),
    append_system_prompt: text.optional(),
    env: z.record(text, text).default({}),
  })
  .prefault({})
  .transform((one) => ({
    prompt: one.prompt,
    session: {
      maxTurns: one.max_turns,
      timeoutSeconds: one.timeout_seconds,
      model: one.model ?? null,
      allowedTools: one.allowed_tools,
      disallowedTools: one.disallowed_tools.filter((name) => name !== ''),
      appendSystemPrompt: one.append_system_prompt ?? null,
      env: one.env,
    },
  }))

/** A case of all its files. Claude Code ignores unknown fields of `case.yaml` itself, and refuses those of a grader. */
export const caseSchema = z.object({
  schema_version: version,
  name: text.min(1, 'must not be empty'),
  description: text.optional(),
  tags: z.array(text).default([]),
  plugins: z.array(text).default([]),
  context,
  execution,
  runs: z.int().positive().max(50).default(3),
  graders: z.array(graderSchema).min(1, 'must contain at least one grader').superRefine(refuseSameNames),
  expected_outcome: text.optional(),
})

/** A case of all its files as it is meant, without its places. */
export type ReadCase = z.output<typeof caseSchema>

function refuseSameNames(graders: readonly { readonly name: string }[], refinement: z.RefinementCtx): void {
  const names = new Set<string>()
  for (const [index, { name }] of graders.entries()) {
    if (names.has(name)) {
      const message = `a second grader is called ${JSON.stringify(name)}; rename one`
      refinement.addIssue({ code: 'custom', message, path: [index, 'name'], params: { code: 'duplicate-name' } })
    }
    names.add(name)
  }
}
