import type { FieldPath } from './document.ts'
import type { z } from 'zod'

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
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return unwrap(def.innerType)
    case 'pipe':
      return unwrap(def.in)
    case 'lazy':
      return unwrap(def.getter())
    case 'union':
      return def.options.flatMap(unwrap)
    case 'intersection':
      return [...unwrap(def.left), ...unwrap(def.right)]
    default:
      return [schema]
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
