import { join } from 'node:path'
import { z } from 'zod'
import { errorAt, warningAt, type ReadDocument } from '../documents/document.ts'
import { readDocument } from '../documents/read-document.ts'
import { validate } from '../documents/validate.ts'
import { checkRelativePath, normalizeRelativePath } from '../documents/relative-path.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { Issue } from '../documents/issue.ts'
import type { SubAgent } from './package.ts'
import { findingsOf, hasError, joinLoaded, type Loaded } from './finding.ts'
import { loadLegacyAgent } from './legacy-agent.ts'
import { readMarkdown } from './markdown.ts'

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
  const empty = prompt.markdown?.body.trim() === '' ? [emptyPrompt(promptFile)] : []
  const findings = findingsOf(part, [...issues, ...remarks, ...prompt.issues, ...empty])
  if (prompt.markdown === null || hasError(findings)) return { parts: [], findings }

  const { description, skills = [], tools = [] } = value
  return {
    parts: [{ name, description, file, promptFile, prompt: prompt.markdown.body, skills, tools }],
    findings,
  }
}

function emptyPrompt(file: string): Issue {
  const message = 'the agent has no system prompt; write it below the front matter'
  return { code: 'empty-file', severity: 'error', file, field: '', message, line: 1, column: 1 }
}

// An agent of another kind, a vault with golden tests, may lie in the same folder.
function isVault(dir: string, fs: TrackedFs): boolean {
  return ['persona', 'model.md'].some((name) => fs.look(join(dir, name)) !== null)
}

function nameDiffers(document: ReadDocument, folderName: string): ReturnType<typeof warningAt> {
  const message = `differs from the folder's name ${JSON.stringify(folderName)}, which engines use`
  return warningAt(document, ['name'], 'name-differs', message)
}
