import { basename, join } from 'node:path'
import { z } from 'zod'
import { errorAt, errorIn, warningAt, type Issue, type ReadDocument } from '../lib/documents/document.ts'
import { readDocument, readFrontMatter, type FrontMatter } from '../lib/documents/read-document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { checkRelativePath, normalizeRelativePath } from '../lib/documents/relative-path.ts'
import { validate } from '../lib/documents/validate.ts'
import {
  fileFinding,
  findingsOf,
  hasError,
  joinLoaded,
  type Loaded,
  type Command,
  type CommandVariable,
  type Rule,
  type SubAgent,
} from './package.ts'

/** Bytes; instructions for a model that are longer than this are not read by any. */
const MAX_MARKDOWN_BYTES = 1024 * 1024

/**
 * Reads a Markdown file and takes it apart; `null` with the reason when it cannot be read. Front matter that is no YAML
 * only because of a colon or a quote in a text is read line by line, as engines do, with a warning.
 */
export async function readMarkdown(
  file: string,
  fs: TrackedFs,
): Promise<{ readonly markdown: FrontMatter | null; readonly issues: readonly Issue[] }> {
  const { text, issue } = await fs.readText(file, MAX_MARKDOWN_BYTES)
  if (issue !== null) return { markdown: null, issues: [issue] }
  const markdown = readFrontMatter(text, file)
  const [first] = markdown.issues
  if (markdown.document === null || first === undefined) return { markdown, issues: markdown.issues }
  const lenient = readFrontMatter(withQuotedTexts(text), file)
  if (lenient.issues.length > 0) return { markdown, issues: markdown.issues }
  const message = `${first.message}; it is read line by line, as Claude Code does`
  return { markdown: lenient, issues: [{ ...first, code: 'loose-front-matter', severity: 'warning', message }] }
}

function withQuotedTexts(text: string): string {
  const lines = text.split('\n')
  const end = lines.findIndex((line, index) => index > 0 && /^---[ \t]*\r?$/.test(line))
  return lines.map((line, index) => (index < end ? quoteText(line) : line)).join('\n')
}

function quoteText(line: string): string {
  const [key = ''] = /^[\w-]+:[ \t]+/.exec(line) ?? []
  const value = key === '' ? '' : line.slice(key.length).trimEnd()
  return value === '' || /^[|>[{]/.test(value) || isQuoted(value) ? line : `${key}${JSON.stringify(value)}`
}

function isQuoted(value: string): boolean {
  return /^"(?:[^"\\]|\\.)*"$/.test(value) || /^'(?:[^']|'')*'$/.test(value)
}

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

/** Reads every `<folder>/<name>/agent.yaml` with its prompt, and the older single `<folder>/<name>.md`. */
export async function loadAgents(folder: string, fs: TrackedFs): Promise<Loaded<SubAgent>> {
  const entries = await fs.list(folder)
  return joinLoaded(
    await Promise.all(
      entries.map(async (entry): Promise<Loaded<SubAgent>> => {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) return loadAgent(path, entry.name, fs)
        if (entry.name.endsWith('.md') && entry.name !== 'README.md') return loadLegacyAgent(path, fs)
        return { parts: [], findings: [] }
      }),
    ),
  )
}

async function loadAgent(dir: string, name: string, fs: TrackedFs): Promise<Loaded<SubAgent>> {
  const part = { kind: 'agent', name } as const
  const file = join(dir, 'agent.yaml')
  if (fs.look(file) === null && isVault(dir, fs)) return { parts: [], findings: [] }
  const { text, issue } = await fs.readText(file)
  if (issue !== null) return { parts: [], findings: findingsOf(part, [issue]) }

  const document = readDocument(text, { kind: 'yaml', file, what: 'agent' })
  const { value, issues } = validate(document, agentSchema)
  if (value === null) return { parts: [], findings: findingsOf(part, issues) }

  const remarks = value.name === name ? [] : [nameDiffers(document, name)]
  const unsafe = checkRelativePath(value.system_prompt)
  if (unsafe !== null) {
    const refused = errorAt(document, ['system_prompt'], 'unsafe-path', `the path ${unsafe}`)
    return { parts: [], findings: findingsOf(part, [...issues, ...remarks, refused]) }
  }

  const promptFile = join(dir, normalizeRelativePath(value.system_prompt))
  if (fs.look(promptFile) === null) {
    const missing = errorAt(document, ['system_prompt'], 'file-missing', `${value.system_prompt} does not exist`)
    return { parts: [], findings: findingsOf(part, [...issues, ...remarks, missing]) }
  }

  const prompt = await readMarkdown(promptFile, fs)
  const empty = prompt.markdown?.body.trim() === '' ? [errorIn(promptFile, 'empty-file', NO_PROMPT)] : []
  const findings = findingsOf(part, [...issues, ...remarks, ...prompt.issues, ...empty])
  if (prompt.markdown === null || hasError(findings)) return { parts: [], findings }

  const { description, skills = [], tools = [] } = value
  return {
    parts: [{ name, description, file, promptFile, prompt: prompt.markdown.body, skills, tools }],
    findings,
  }
}

const NO_PROMPT = 'the agent has no system prompt; write it below the front matter'

// An agent of another kind, a vault with golden tests, may lie in the same folder.
function isVault(dir: string, fs: TrackedFs): boolean {
  return ['persona', 'model.md'].some((name) => fs.look(join(dir, name)) !== null)
}

function nameDiffers(document: ReadDocument, folderName: string): ReturnType<typeof warningAt> {
  const message = `differs from the folder's name ${JSON.stringify(folderName)}, which engines use`
  return warningAt(document, ['name'], 'name-differs', message)
}

const names = z.union([z.string(), z.array(z.string())])

const legacySchema = z.looseObject({
  name: z.unknown().optional(),
  description: z.string().min(1),
  skills: names.optional(),
  tools: names.optional(),
})

/** How an agent file is read. */
interface AgentFileOptions {
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

const MAX_LEVELS = 8

/** Finds every `RULE.md` and `*.rule.md` below the folder. */
export async function loadRules(folder: string, fs: TrackedFs, parents: readonly string[] = []): Promise<Loaded<Rule>> {
  const entries = await fs.list(folder)
  const loaded = await Promise.all(
    entries.map(async (entry): Promise<Loaded<Rule>> => {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && parents.length < MAX_LEVELS) return loadRules(path, fs, [...parents, entry.name])
      const name = ruleName(entry.name, parents)
      if (name === null) return { parts: [], findings: [] }
      if (entry.isFile()) return { parts: [{ name, file: path }], findings: [] }
      const message = 'is not a regular file; links are not followed'
      return { parts: [], findings: [fileFinding({ kind: 'rule', name }, 'error', path, 'not-a-file', message)] }
    }),
  )
  return joinLoaded(loaded)
}

function ruleName(fileName: string, parents: readonly string[]): string | null {
  if (fileName === 'RULE.md' && parents.length > 0) return parents.join('/')
  if (!fileName.endsWith('.rule.md')) return null
  return [...parents, fileName.slice(0, -'.rule.md'.length)].join('/')
}
