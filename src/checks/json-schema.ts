import { tryParseJson, type JsonObject } from '../lib/json.ts'
import { messageOf } from '../lib/errors.ts'
import type { CheckKind, Finding, SeenRun, TextFields } from './check.ts'
import { oneOrMany, pathSchema } from './schemas.ts'
import type { ErrorObject, ValidateFunction } from 'ajv'

/** A file, and the schema that it must follow. An empty path stands for the final message. */
export interface JsonSchemaFields extends TextFields {
  readonly schema: JsonObject
}

/** Whether a file, or the agent's final message, is JSON that a schema (draft 2020-12) accepts. */
export const jsonSchema: CheckKind<JsonSchemaFields> = {
  schema: (zod) => {
    const one = zod
      .strictObject({
        path: pathSchema(zod).optional().describe('A file of the workspace. Default: the final message.'),
        schema: zod.looseObject({}).describe('The JSON schema, draft 2020-12.'),
      })
      .transform(({ path = '', schema }): JsonSchemaFields => ({ value: path, schema: schema as JsonObject }))
    return oneOrMany(zod, one).describe('JSON that the agent must produce.')
  },
  async problem({ schema }) {
    const made = await compile(schema)
    return 'problem' in made ? made.problem : null
  },
  run: ({ value }) => ({ outcome: 'errored', message: `${nameOf(value)} was not compared with its schema` }),
  reads: ({ value }) => (value === '' ? [] : [value]),
  async observe({ value, schema }, seen) {
    const made = await compile(schema)
    if ('problem' in made) return { outcome: 'errored', message: made.problem }
    const text = textOf(value, seen)
    if (typeof text !== 'string') return text
    const json = tryParseJson(text)
    if (json === undefined) return failed(value, 'it is not JSON', text)
    if (made.validate(json)) return { outcome: 'passed' }
    return failed(value, describeErrors(made.validate.errors ?? []), text)
  },
  describe: ({ value }) => `${nameOf(value).replace(/^t/, 'T')} follows its JSON schema.`,
  label: ({ value }) => nameOf(value),
  needsOutput: true,
}

function nameOf(path: string): string {
  return path === '' ? 'the final message' : path
}

// Agents like to fence what they are asked for.
function textOf(path: string, { run, read }: SeenRun): string | Finding {
  if (path === '') {
    const message = run.finalMessage.trim()
    return /^```\w*\n([\S\s]*?)\n?```$/.exec(message)?.[1] ?? message
  }
  const file = read(path)
  if (file === 'missing') return failed(path, 'there is no such file', '')
  if (file === 'unknown' || file.text === null)
    return {
      outcome: 'errored',
      message: `${path} cannot be read as text, so it is unknown whether it follows its schema`,
    }
  return file.text
}

function failed(path: string, why: string, text: string): Finding {
  const message = `expected ${nameOf(path)} to follow its JSON schema but ${why}`
  return { outcome: 'failed', message, expected: 'JSON of the schema', actual: text.slice(0, 4000) }
}

function describeErrors(errors: readonly ErrorObject[]): string {
  const all = errors.slice(0, 5).map(({ instancePath, message }) => `${instancePath || '(the whole)'} ${message ?? ''}`)
  return all.join('; ')
}

type Compiled = { readonly validate: ValidateFunction } | { readonly problem: string }

// Loaded only for cases that need it.
async function compile(schema: JsonObject): Promise<Compiled> {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  try {
    return {
      validate: new Ajv2020({
        allErrors: true,
        strict: true,
        strictTypes: false,
        strictTuples: false,
        strictRequired: false,
        validateFormats: false,
        logger: false,
      }).compile(schema),
    }
  } catch (error) {
    return { problem: `the JSON schema cannot be used: ${messageOf(error)}` }
  }
}
