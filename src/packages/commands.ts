import { basename, join } from 'node:path'
import { z } from 'zod'
import { validate } from '../documents/validate.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { Command, CommandVariable } from './package.ts'
import { findingsOf, hasError, joinLoaded, type Loaded } from './finding.ts'
import { readMarkdown } from './markdown.ts'

const variableSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9_][a-z0-9_-]*$/, 'may contain only a-z, 0-9, _ and -'),
  description: z.string().optional(),
  required: z.boolean().optional(),
  enum: z.array(z.string()).min(1).optional(),
  default: z.string().optional(),
})
type VariableFields = z.infer<typeof variableSchema>

const commandSchema = z.looseObject({
  name: z.string().optional(),
  description: z.string().optional(),
  variables: z.array(variableSchema).optional(),
})

/** Reads every `<folder>/<name>.md`. */
export async function loadCommands(folder: string, fs: TrackedFs): Promise<Loaded<Command>> {
  const entries = await fs.list(folder)
  const files = entries.filter(({ name }) => name.endsWith('.md') && name !== 'README.md')
  return joinLoaded(await Promise.all(files.map(({ name }) => loadCommand(join(folder, name), fs))))
}

/** Reads one command; one that is written for Claude Code has its name from where it is. */
export async function loadCommand(file: string, fs: TrackedFs, nativeName?: string): Promise<Loaded<Command>> {
  const name = nativeName ?? basename(file, '.md')
  const part = { kind: 'command', name } as const
  const { markdown, issues } = await readMarkdown(file, fs)
  if (markdown === null || hasError(issues)) return { parts: [], findings: findingsOf(part, issues) }

  const checked = markdown.document === null ? { value: {}, issues: [] } : validate(markdown.document, commandSchema)
  const findings = findingsOf(part, checked.issues)
  if (checked.value === null) return { parts: [], findings }

  const { name: declared, description = '', variables = [] } = checked.value
  const called = nativeName === undefined ? { name: declared ?? name } : { name, native: true as const }
  const command = { ...called, file, description, body: markdown.body, variables: variables.map(complete) }
  return { parts: [command], findings }
}

function complete(variable: VariableFields): CommandVariable {
  return {
    name: variable.name,
    description: variable.description ?? null,
    required: variable.required ?? false,
    enum: variable.enum ?? null,
    default: variable.default ?? null,
  }
}
