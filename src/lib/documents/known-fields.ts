import type { z } from 'zod'
import { valueAt, type FieldPath } from './document.ts'
import { similarName } from './nearest-name.ts'

/** The names that `schema` knows at `path`; empty where any name is allowed. */
export function knownFields(schema: z.core.$ZodType, path: FieldPath): readonly string[] {
  const found = descend([schema], path)
  return [...new Set(found.flatMap((part) => Object.keys(shapeOf(part))))]
}

function descend(schemas: readonly z.core.$ZodType[], path: FieldPath): readonly z.core.$ZodType[] {
  const open = schemas.flatMap(unwrap)
  const [step, ...rest] = path
  if (step === undefined) return open
  return descend(
    open.flatMap((schema) => childrenOf(schema, step)),
    rest,
  )
}

// Looks through everything that only decorates: optional, default, pipe, union.
function unwrap(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'pipe':
      return unwrap((def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in)
    case 'lazy':
      return unwrap(def.getter())
    case 'union':
      return def.options.flatMap(unwrap)
    case 'intersection':
      return [...unwrap(def.left), ...unwrap(def.right)]
    default:
      return 'innerType' in def ? unwrap(def.innerType) : [schema]
  }
}

function childrenOf(schema: z.core.$ZodType, step: PropertyKey): readonly z.core.$ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'array') return [def.element]
  if (def.type === 'record') return [def.valueType]
  const child = shapeOf(schema)[String(step)]
  return child === undefined ? [] : [child]
}

function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'object' ? def.shape : {}
}

/** What is wrong with options that were given in code. */
interface OptionProblem {
  /** Dotted path of the option; empty for the options as a whole. */
  readonly path: string
  /** What was given; `undefined` where nothing was. */
  readonly value: unknown
  /** What goes behind the value, such as `expected a number`; `null` for an option that does not exist. */
  readonly expected: string | null
  /** What to write instead of an option or of a word that does not exist; may be empty. */
  readonly hint: string
}

/** Finds the first mistake in options, in the words of all our messages. */
export function describeProblem(error: z.ZodError, value: unknown, schema: z.ZodType): OptionProblem {
  // What is missing may be what was written wrongly.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0]
  const parent = issue?.path ?? []
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  if (unknown !== undefined) {
    const names = knownFields(
      schema,
      parent.filter((step) => typeof step !== 'symbol'),
    )
    const near = similarName(unknown, names)
    const hint = near === null ? `Known: ${names.toSorted().join(', ')}.` : `Did you mean \`${near}\`?`
    return { path: [...parent, unknown].join('.'), value: undefined, expected: null, hint }
  }
  const expected = (issue?.message ?? 'invalid').replace(/^missing; /, '').replace(/, got [^]*$/, '')
  // What is inside of a text, such as `passRate=0.8`, is known to its schema only.
  const actual = parent.map(String).reduce(valueAt, value) ?? issue?.input
  const words = issue?.code === 'invalid_value' ? issue.values.filter((one) => typeof one === 'string') : []
  const near = typeof actual === 'string' ? similarName(actual, words) : null
  const hint = near === null ? '' : ` Did you mean ${JSON.stringify(near)}?`
  return { path: parent.join('.'), value: actual, expected, hint }
}

/** The rest of a sentence that begins with the option; `written` is how the value was spelled, where that is known. */
export function describeWritten({ value, expected, hint }: OptionProblem, written?: string): string {
  if (expected === null) return `is not known. ${hint}`
  const shown = written ?? value
  return shown === undefined ? `is missing: ${expected}.` : `is ${JSON.stringify(shown)}: ${expected}.${hint}`
}
