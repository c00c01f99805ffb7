import { z } from 'zod'
import { readDocument } from '../../../documents/read-document.ts'
import { validate } from '../../../documents/validate.ts'
import { envValue, timeout } from '../config-fields.ts'
import type { ReadText } from '../../../documents/read-text.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { TestConfig } from '../../tests/test-suite.ts'

/** `tests/test-config.json` as it counts for the cases beside it. */
export interface ReadTestConfig {
  readonly config: TestConfig
  readonly issues: readonly Issue[]
}

/** What counts without the file. */
export const TEST_DEFAULTS: TestConfig = { file: null, timeout: 30, env: {} }

// Unlike an agent's, a script's environment is the author's to choose; only our own names stay ours.
const envName = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, 'not a variable name; use A-Z, 0-9 and _, not starting with a digit')
  .refine((name) => !name.startsWith('AGENT_EVALS_'), 'is reserved; choose another name')

const configSchema = z.strictObject({
  version: z.literal(1),
  timeout: timeout.optional(),
  env: z.record(envName, envValue).optional(),
})

/** Reads the text of a test-config.json. A file that is not there leaves the defaults. */
export function parseTestConfig(read: ReadText, file: string): ReadTestConfig {
  if (read.issue?.code === 'file-missing') return { config: TEST_DEFAULTS, issues: [] }
  if (read.issue !== null) return { config: TEST_DEFAULTS, issues: [read.issue] }
  const { value, issues } = validate(
    readDocument(read.text, { kind: 'json', file, what: 'configuration' }),
    configSchema,
  )
  if (value === null) return { config: TEST_DEFAULTS, issues }
  return { config: { file, timeout: value.timeout ?? TEST_DEFAULTS.timeout, env: value.env ?? {} }, issues }
}
