import { basename } from 'node:path'
import { z } from 'zod'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { validate } from '../lib/documents/validate.ts'
import { describeMarkdown, readMarkdown, type Markdown } from './front-matter.ts'
import type { Source } from './layouts.ts'
import { findingsOf, joinLoaded, noParts, type Command, type Loaded } from './package.ts'
import { filesBelow } from './read-files.ts'

const variableSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9_][a-z0-9_-]*$/, 'may contain only a-z, 0-9, _ and -'),
  description: orNull(z.string()),
  required: z.boolean().default(false),
  enum: orNull(z.array(z.string()).min(1)),
  default: orNull(z.string()),
})

/** A field that is `null` where it is missing. */
function orNull<Value>(schema: z.ZodType<Value>): z.ZodType<Value | null> {
  return schema.optional().transform((value) => value ?? null)
}

const commandSchema = z.looseObject({
  name: z.string().optional(),
  description: z.string().optional(),
  variables: z.array(variableSchema).optional(),
})

/**
 * Reads every `<folder>/<name>.md`; of Claude Code's layouts also those in folders, and single files. These are called
 * `plugin:folder:name`, as far as there is one.
 */
export async function loadCommands(
  { path, layout, name: listed }: Source,
  plugin: string | null,
  fs: TrackedFs,
): Promise<Loaded<Command>> {
  const isOwn = layout === 'package'
  const files = (await filesBelow(path, fs)).filter(
    ({ name, below }) => name.endsWith('.md') && name !== 'README.md' && (!isOwn || below.length === 0),
  )
  const prefix = plugin === null || isOwn ? [] : [plugin]
  const commands = files.map(async ({ file, below }): Promise<Loaded<Command>> => {
    // A command may be a folder, as a skill is.
    const last = basename(file) === 'SKILL.md' && below.length > 0 ? [] : [listed ?? basename(file, '.md')]
    const name = [...prefix, ...below, ...last].join(':')
    const part = { kind: 'command', name } as const
    const { markdown, issues } = await readMarkdown(file, fs)
    if (markdown === null) return noParts(part, issues)
    if (isOwn) return readOwn(markdown, name, file)
    const { body } = markdown
    const command = { name, native: true, file, description: describeMarkdown(markdown), body, variables: [] } as const
    return { parts: [command], findings: findingsOf(part, issues) }
  })
  return joinLoaded(await Promise.all(commands))
}

function readOwn({ fields, body, issues }: Markdown, fileName: string, file: string): Loaded<Command> {
  const checked = fields === null ? { value: {}, issues: [] } : validate(fields, commandSchema)
  const findings = findingsOf({ kind: 'command', name: fileName }, [...issues, ...checked.issues])
  if (checked.value === null) return { parts: [], findings }
  const { name = fileName, description = '', variables = [] } = checked.value
  return { parts: [{ name, file, description, body, variables }], findings }
}
