import { basename } from 'node:path'
import { z } from 'zod'
import { validate } from '../documents/validate.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { SubAgent } from './package.ts'
import { fileFinding, findingsOf, hasError, type Loaded } from './finding.ts'
import { readMarkdown } from './markdown.ts'

const names = z.union([z.string(), z.array(z.string())])

const legacySchema = z.looseObject({
  name: z.unknown().optional(),
  description: z.string().min(1),
  skills: names.optional(),
  tools: names.optional(),
})

/** How an agent file is read. */
export interface AgentFileOptions {
  /** Whether the name in its front matter counts, as in Claude Code, and not that of the file. @default false */
  readonly isNative?: boolean
}

/** Reads an agent that is one Markdown file: front matter, then the prompt. */
export async function loadLegacyAgent(
  file: string,
  fs: TrackedFs,
  { isNative = false }: AgentFileOptions = {},
): Promise<Loaded<SubAgent>> {
  const name = basename(file, '.md')
  const part = { kind: 'agent', name } as const
  const { markdown, issues } = await readMarkdown(file, fs)
  if (markdown === null || hasError(issues)) return { parts: [], findings: findingsOf(part, issues) }
  if (markdown.document === null) {
    const message = 'the agent starts with no front matter; begin it with --- and a description'
    return { parts: [], findings: [fileFinding(part, 'error', file, 'front-matter', message)] }
  }

  const checked = validate(markdown.document, legacySchema)
  const findings = findingsOf(part, [...issues, ...checked.issues])
  if (checked.value === null) return { parts: [], findings }

  const { name: declared, description, skills, tools } = checked.value
  const called = isNative && typeof declared === 'string' && declared !== '' ? declared : name
  const agent = {
    name: called,
    ...(isNative ? { native: true as const } : {}),
    description,
    file,
    promptFile: file,
    prompt: markdown.body,
  }
  return { parts: [{ ...agent, skills: toList(skills), tools: toList(tools) }], findings }
}

// Both `tools: Read, Grep` and a list are in use.
function toList(value: string | readonly string[] = []): readonly string[] {
  if (typeof value !== 'string') return value
  return value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
