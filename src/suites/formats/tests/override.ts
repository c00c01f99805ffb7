import { isJsonObject, type JsonObject, type JsonValue } from '../../../json.ts'

/** A copy with one value replaced, or why there is none. */
export type Overridden =
  | { readonly value: JsonObject; readonly problem: null }
  | { readonly value: null; readonly problem: string }

/**
 * Replaces the value at a dotted path such as `toolInput.edits.0.new_string`. Objects on the way are made where
 * nothing is; a key that itself holds dots is found when it is there.
 */
export function overrideAt(root: JsonObject, path: string, value: JsonValue): Overridden {
  const steps = Object.hasOwn(root, path) ? [path] : path.split('.')
  if (steps.includes('')) return refuse('has an empty step; write names with one dot between them')
  const dangerous = steps.find((step) => DANGEROUS.has(step))
  if (dangerous !== undefined) return refuse(`${JSON.stringify(dangerous)} is not a field; remove it`)

  try {
    return { value: replace(root, steps, value, []) as JsonObject, problem: null }
  } catch (error) {
    if (error instanceof NoWay) return refuse(error.message)
    throw error
  }
}

const DANGEROUS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

class NoWay extends Error {}

function replace(
  node: JsonValue | undefined,
  steps: readonly string[],
  value: JsonValue,
  above: readonly string[],
): JsonValue {
  const [step, ...rest] = steps
  if (step === undefined) return value
  const here = above.length === 0 ? 'the event' : above.join('.')
  if (Array.isArray(node)) {
    const list = node as readonly JsonValue[]
    const index = /^\d+$/.test(step) ? Number(step) : Number.NaN
    if (!(index <= list.length))
      throw new NoWay(`${here} is a list of ${list.length}; ${JSON.stringify(step)} is no place in it`)
    const copy = [...list]
    copy[index] = replace(list[index], rest, value, [...above, step])
    return copy
  }
  if (node !== undefined && node !== null && !isJsonObject(node)) {
    throw new NoWay(`${here} is ${JSON.stringify(node)}, in which there is no ${JSON.stringify(step)}`)
  }
  const object = isJsonObject(node) ? node : {}
  return { ...object, [step]: replace(object[step], rest, value, [...above, step]) }
}

function refuse(problem: string): Overridden {
  return { value: null, problem }
}
