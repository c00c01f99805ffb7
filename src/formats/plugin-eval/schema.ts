import { z } from 'zod'

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
const target = z.union(
  [z.enum(['trace', 'last_message', 'files', 'mock_calls']), z.strictObject({ source: z.literal('file'), path: text })],
  'must be last_message, trace, files, mock_calls or {source: file, path: PATH}',
)
const shared = {
  name: text,
  weight: z.number().positive().default(1),
  arm: z.enum(['with-only', 'both']).optional(),
}
const toolMatch = z.union([text, z.strictObject({ tool: text, input_match: text.optional() })])

const graderSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('regex'),
    ...shared,
    target: target.default('last_message'),
    pattern: text,
    flags: text.regex(/^[dgimsuvy]*$/, 'must be flags of a regular expression: any of d g i m s u v y').default(''),
    match: text
      .regex(/^(?:contains|not_contains|count:\d+)$/, 'must be contains, not_contains or count:N')
      .default('contains'),
  }),
  z.strictObject({ type: z.literal('tool_order'), ...shared, before: toolMatch, after: toolMatch }),
  z.strictObject({
    type: z.literal('tool_used'),
    ...shared,
    tool: text,
    input_match: text.optional(),
    min: z.int().nonnegative().optional(),
    max: z.int().nonnegative().optional(),
  }),
  z.strictObject({ type: z.literal('file_exists'), ...shared, path: text, exists: z.boolean().default(true) }),
  z.strictObject({ type: z.literal('llm'), ...shared, criteria: text, focus: target.default('last_message') }),
  z.strictObject({ type: z.literal('baseline'), ...shared, baseline_file: text, criteria: text }),
])

/** A case of all its files. Claude Code ignores unknown fields of `case.yaml` itself, and refuses those of a grader. */
export const caseSchema = z.object({
  schema_version: text,
  name: text.min(1, 'must not be empty'),
  description: text.optional(),
  tags: z.array(text).default([]),
  plugins: z.array(text).optional(),
  context: z
    .object({
      scaffold_script: text.optional(),
      history_file: text.optional(),
      add_dirs: z.array(text).default([]),
    })
    .default({ add_dirs: [] }),
  execution: z.object({
    prompt: text.optional(),
    max_turns: z.int().positive().max(200).default(10),
    timeout_seconds: z.int().positive().max(3600).default(300),
    model: text.optional(),
    allowed_tools: z.array(text).default([]),
    disallowed_tools: z
      .array(text.regex(/^[A-Za-z]*$/, 'must be the name of a built-in tool, such as Agent'))
      .optional(),
    artifact_publish: z.boolean().optional(),
    growthbook_overrides: z.record(text, z.json()).optional(),
    append_system_prompt: text.optional(),
    env: z.record(text, text).default({}),
  }),
  runs: z.int().positive().max(50).default(3),
  graders: z.array(graderSchema).min(1, 'must contain at least one grader').superRefine(refuseSameNames),
  expected_outcome: text.optional(),
})

/** A case as written, all of its files merged, defaults filled in. */
export type WrittenCase = z.infer<typeof caseSchema>

/** A grader as written, defaults filled in. */
export type WrittenGrader = z.infer<typeof graderSchema>

/** What a grader looks at, as written. */
export type WrittenTarget = z.infer<typeof target>

/** The name of a tool, or that with a pattern for its input. */
export type WrittenToolMatch = z.infer<typeof toolMatch>

function refuseSameNames(graders: readonly { readonly name: string }[], context: z.RefinementCtx): void {
  const names = new Set<string>()
  for (const [index, { name }] of graders.entries()) {
    if (names.has(name)) {
      const message = `a second grader is called ${JSON.stringify(name)}; rename one`
      context.addIssue({ code: 'custom', message, path: [index, 'name'], params: { code: 'duplicate-name' } })
    }
    names.add(name)
  }
}
