import { basename, join } from 'node:path'
import { z } from 'zod'
import { documentAt, errorIn, valueAt, warningAt } from '../lib/documents/document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { validate } from '../lib/documents/validate.ts'
import { readMarkdown, textField } from './front-matter.ts'
import type { LayoutName, Source } from './layouts.ts'
import { findingsOf, hasError, joinLoaded, noParts, type Loaded, type SubAgent } from './package.ts'
import { filesBelow, readData, readPath } from './read-files.ts'

const agentSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  system_prompt: z.string(),
  version: z.string().optional(),
  skills: z.array(z.string()).optional(),
  commands: z.array(z.string()).optional(),
  tools: z.array(z.string()).optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
})

/**
 * Reads every `<folder>/<name>/agent.yaml` with its prompt, and the older single `<folder>/<name>.md`; of Claude Code's
 * layouts every Markdown file below the folder, and single files.
 */
export async function loadAgents({ path, layout }: Source, plugin: string, fs: TrackedFs): Promise<Loaded<SubAgent>> {
  if (layout !== 'package') {
    // Tests beside agents are none.
    const files = (await filesBelow(path, fs)).filter(({ name, below }) => isAgent(name) && !below.includes('tests'))
    return joinLoaded(await Promise.all(files.map(({ file }) => loadOneFile(file, layout, plugin, fs))))
  }
  const entries = await fs.list(path)
  return joinLoaded(
    await Promise.all(
      entries.map(async (entry): Promise<Loaded<SubAgent>> => {
        const inner = join(path, entry.name)
        if (entry.isDirectory()) return loadAgent(inner, entry.name, fs)
        return isAgent(entry.name) ? loadOneFile(inner, layout, plugin, fs) : noParts(null, [])
      }),
    ),
  )
}

function isAgent(fileName: string): boolean {
  return fileName.endsWith('.md') && fileName !== 'README.md'
}

async function loadAgent(dir: string, name: string, fs: TrackedFs): Promise<Loaded<SubAgent>> {
  const part = { kind: 'agent', name } as const
  const file = join(dir, 'agent.yaml')
  if (fs.look(file) === null) {
    const missing = errorIn(file, 'file-missing', 'the file does not exist')
    return noParts(part, isVault(dir, fs) ? [] : [missing])
  }
  const { document, issues: unread } = await readData(file, 'agent', fs)
  if (document === null) return noParts(part, unread)
  const { value, issues } = validate(document, agentSchema)
  if (value === null) return noParts(part, issues)

  const differs = `differs from the folder's name ${JSON.stringify(name)}, which engines use`
  const remarks = value.name === name ? issues : [...issues, warningAt(document, ['name'], 'name-differs', differs)]
  const { path: promptFile, issues: unsafe } = readPath(dir, documentAt(document, ['system_prompt']), fs)
  if (promptFile === null) return noParts(part, [...remarks, ...unsafe])
  const { markdown, issues: mistakes } = await readMarkdown(promptFile, fs)
  const empty = markdown?.body.trim() === '' ? [errorIn(promptFile, 'empty-file', NO_PROMPT)] : []
  const findings = findingsOf(part, [...remarks, ...mistakes, ...empty])
  if (markdown === null || hasError(findings)) return { parts: [], findings }
  const { description, skills = [], tools = [] } = value
  return { parts: [{ name, description, file, promptFile, prompt: markdown.body, skills, tools }], findings }
}

const NO_PROMPT = 'the agent has no system prompt; write it below the front matter'

// An agent of another kind, a vault with golden tests, may lie in the same folder.
function isVault(dir: string, fs: TrackedFs): boolean {
  return ['persona', 'model.md'].some((name) => fs.look(join(dir, name)) !== null)
}

/** Reads an agent that is one Markdown file: front matter, then the prompt. */
async function loadOneFile(file: string, layout: LayoutName, plugin: string, fs: TrackedFs): Promise<Loaded<SubAgent>> {
  const fileName = basename(file, '.md')
  const { markdown, issues } = await readMarkdown(file, fs)
  if (markdown === null) return noParts({ kind: 'agent', name: fileName }, issues)
  // A project has no agent whose name or description is a number.
  const field = (key: string): string | null =>
    layout === 'project' && typeof valueAt(markdown.fields?.value, key) !== 'string' ? null : textField(markdown, key)
  const declared = layout === 'package' ? null : field('name')
  const written = field('description')
  const name = declared ?? fileName
  const part = { kind: 'agent', name } as const
  const isWhole = written !== null && (layout === 'package' || declared !== null)
  const description = written ?? `Agent from ${plugin} plugin`
  if (!isWhole && layout !== 'plugin') {
    const missing = [...(declared === null ? ['name'] : []), ...(written === null ? ['description'] : [])]
    const message = `the front matter of the agent has no ${missing.join(' and no ')}, so there is no such agent`
    return noParts(part, [...issues, errorIn(file, 'front-matter', message)])
  }

  const agent: SubAgent = {
    name,
    // An agent that is not whole is written anew, with what the plugin would give it.
    ...(layout !== 'package' && isWhole ? { native: true as const } : {}),
    description,
    file,
    promptFile: file,
    prompt: markdown.body,
    skills: toList(valueAt(markdown.fields?.value, 'skills')),
    tools: toList(valueAt(markdown.fields?.value, 'tools')),
  }
  return { parts: [agent], findings: findingsOf(part, issues) }
}

// Both `tools: Read, Grep` and a list are in use.
function toList(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((name) => typeof name === 'string')
  if (typeof value !== 'string') return []
  return value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
