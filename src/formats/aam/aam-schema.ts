import { z } from 'zod'
import { BUILDERS, CHECK_SCHEMAS } from '../../checks/check-schemas.ts'
import { pathSchema } from '../../checks/schemas.ts'
import { patternField } from '../../checks/pattern.ts'
import { basename, dirname, join } from 'node:path'
import { readDocument } from '../../lib/documents/read-document.ts'
import { openTrackedFs, readText } from '../../lib/documents/read-text.ts'
import { processText } from '../../lib/documents/validate.ts'
import { MANIFEST_NAMES, PLUGIN_FILE } from '../../packages/package-root.ts'
import { findLists, readsLikeEntry } from '../skill-evals/container.ts'
import { NOTHING_SETTLED, type SettledFields } from '../skill-evals/vocabulary.ts'

const MAX_CRITERIA_LENGTH = 20_000
const MAX_PROMPT_LENGTH = 1024 * 1024

const name = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, { error: 'must be 1 to 64 characters of a-z, 0-9 and -', abort: true })
  // A case's name is a folder's name in recordings.
  .refine((value) => !/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(value), 'is a reserved device name; choose another')

const expected = z
  .strictObject(Object.fromEntries([...CHECK_SCHEMAS].map(([kind, schema]) => [kind, schema.optional()])))
  .optional()

const path = pathSchema(BUILDERS)

const prompt = processText(z.string().max(MAX_PROMPT_LENGTH))

const criteria = z
  .string()
  .max(MAX_CRITERIA_LENGTH)
  .refine((value) => value.trim() !== '', 'must not be empty: the judge needs it')

const workspaceFile = z.union([path, z.strictObject({ path, content: z.string() })])

const input = z.strictObject({
  prompt,
  files: z.array(path).optional(),
  'workspace-files': z.array(workspaceFile).optional(),
})

const MAX_ANSWERS = 50
const MAX_ANSWER_LENGTH = 4096

const answerText = z
  .string()
  .max(MAX_ANSWER_LENGTH)
  .refine((value) => value.trim() !== '', 'must not be empty')

const answer = z.strictObject({
  question: patternField(BUILDERS).optional(),
  answer: z.union([answerText, z.array(answerText).min(1).max(MAX_ANSWERS)]),
})

const answers = z
  .array(answer)
  .min(1)
  .max(MAX_ANSWERS)
  .describe('What the user answers when the agent asks, by a pattern of the question or by the option that it offers.')

const caseFields = z.strictObject({
  name,
  description: z.string().optional(),
  target: z.string().optional(),
  input,
  answers: answers.optional(),
  expected,
  judge: z.strictObject({ criteria }).optional(),
})

/**
 * `evals/cases/*.yaml`. A mistake in any field is an error at that field; unknown fields are judged by their name. Checks
 * below `expected`, `judge.criteria` or both decide.
 */
export const aamCaseSchema: z.ZodType<z.infer<typeof caseFields>> = caseFields.refine(
  ({ expected: checks = {}, judge }) => judge !== undefined || Object.keys(checks).length > 0,
  {
    path: ['judge'],
    error: 'is missing. Write criteria below it, or a check below expected.',
    params: { code: 'missing-field' },
  },
)

const MAX_TURNS = 50

const turn = z.strictObject({
  prompt,
  expected,
  judge: z.strictObject({ criteria }).optional(),
})

/** The same with several messages of the user: each may have expectations of its own, and then the whole needs none. */
export const aamConversationSchema = caseFields.extend({
  input: input.partial({ prompt: true }).optional(),
  turns: z.array(turn).min(1).max(MAX_TURNS),
})

type Conversation = z.infer<typeof aamConversationSchema>

/** A case as written. */
export type AamCase = Omit<Conversation, 'turns'> & Partial<Pick<Conversation, 'turns'>>

/** Whether a value is such a case, whatever else is wrong with it; for files that nothing but their content identifies. */
function looksLikeAamCase(value: unknown): boolean {
  return recognisedSchema.safeParse(value).success
}

const said = z.looseObject({ prompt: z.string() })
const recognisedSchema = z.union([
  z.looseObject({ name: z.string(), input: said }),
  z.looseObject({ name: z.string(), turns: z.array(said).min(1) }),
])

const MAX_TIMEOUT = 86_400

/** Seconds that a case may take. */
export const timeout: z.ZodType<number> = z
  .number()
  .refine((value) => value > 0 && value <= MAX_TIMEOUT, {
    error: `must be more than 0 and at most ${MAX_TIMEOUT} seconds`,
    params: { code: 'out-of-range' },
  })
  .meta({ exclusiveMinimum: 0, maximum: MAX_TIMEOUT })

/** The value of a variable. */
export const envValue: z.ZodType<string> = z
  .string()
  .refine((value) => !value.includes('\0'), 'must not contain a NUL character')

/**
 * Whether a file at a suite's place is a suite. Beside a file of the format it is one, mistakes included, but for a list
 * of evals; elsewhere only when it reads like one: other tools keep their own files in folders of these names.
 */
export async function isAamCase(file: string): Promise<boolean> {
  const { text } = await readText(file)
  const value = text === null ? undefined : readDocument(text, { kind: 'yaml', file }).value
  return isBesideOurs(file) ? !isEvalList(value, NOTHING_SETTLED) : looksLikeAamCase(value)
}

/** Whether a file in a folder of cases is a list of evals of skills instead. */
export function isEvalList(value: unknown, settled: SettledFields): boolean {
  if (typeof value !== 'object' || value === null) return false
  const isEval = (entry: unknown): boolean => readsLikeEntry(entry, settled) && !looksLikeAamCase(entry)
  return findLists(value, settled).some(({ list }) => list.some(isEval))
}

// Whether the folders around a file say that it is ours.
function isBesideOurs(file: string): boolean {
  const cases = dirname(file)
  const evals = dirname(cases)
  if (basename(cases) !== 'cases' || basename(evals) !== 'evals') return false
  const fs = openTrackedFs()
  const has = (folder: string, names: readonly string[]): boolean =>
    names.some((one) => fs.look(join(folder, one)) !== null)
  if (has(evals, ['eval-config.json'])) return true
  // Another tool's own file beside the folder: its cases are its own.
  if (has(evals, FOREIGN_CONFIGS)) return false
  return has(join(evals, '..'), [...MANIFEST_NAMES, PLUGIN_FILE, 'SKILL.md'])
}

const FOREIGN_CONFIGS: readonly string[] = ['eval.yaml', 'eval.yml', 'evals.yaml', 'evals.yml']
