import type { Command } from '../packages/package.ts'

/** A command's text, or why it cannot be rendered. */
export type Rendered =
  | { readonly text: string; readonly problems: readonly [] }
  | { readonly text: null; readonly problems: readonly string[] }

/** Puts values into a command's `{{name}}` places: given ones, else defaults; an optional one without either is empty. */
export function renderCommand(command: Command, given: Readonly<Record<string, string>>): Rendered {
  const values = new Map<string, string>()
  const problems: string[] = []
  for (const variable of command.variables) {
    const { name } = variable
    const value = Object.hasOwn(given, name) ? given[name] : (variable.default ?? undefined)
    if (value === undefined && variable.required) problems.push(`the required variable "${name}" has no value`)
    if (value !== undefined && variable.enum !== null && !variable.enum.includes(value)) {
      problems.push(`"${name}" is ${JSON.stringify(value)}; it may be ${variable.enum.join(', ')}`)
    }
    values.set(name, value ?? '')
  }
  // In one pass, so that a value that holds braces is not taken for a place.
  const text = command.body.replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, (place, name: string) => {
    const value = values.get(name)
    if (value === undefined) problems.push(`${place} is not a variable of the command`)
    return value ?? place
  })
  return problems.length === 0 ? { text, problems: [] } : { text: null, problems }
}
