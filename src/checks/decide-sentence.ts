import { skillsUsed, toolCalls } from '../transcript/select.ts'
import { isUnchanged } from './file-facts.ts'
import { isPathBelow } from './nearest-path.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { Sentence } from './sentence.ts'

/** A run as sentences see it. */
export interface SentenceSubject {
  readonly run: Pick<AgentRun, 'files' | 'finalMessage' | 'output' | 'transcript'>
  /** Reads a file of the workspace as it is at the end. */
  readonly read: (path: string) => Promise<SeenFile>
}

/** The entry at a path; `text` is `null` for a file that is none. `unknown`: no regular file, or one that may not be read. */
export type SeenFile = { readonly text: string | null } | 'missing' | 'unknown'

/** What a check made of a sentence, with what it has seen. */
export interface SentenceFinding {
  readonly holds: boolean
  /** One sentence. */
  readonly evidence: string
}

/** Decides a sentence; `null` where what was left does not allow to, so that it is the judge's. */
export async function decideSentence(sentence: Sentence, subject: SentenceSubject): Promise<SentenceFinding | null> {
  const { run } = subject
  switch (sentence.kind) {
    case 'file-exists': {
      const seen = await lookUp(sentence.path, subject)
      if (seen === null || seen.file === 'unknown') return null
      const exists = seen.file !== 'missing'
      const evidence = exists ? `${seen.path} exists.` : `${seen.path} does not exist.`
      return { holds: exists === sentence.holds, evidence }
    }
    case 'file-contains': {
      // A missing file decides nothing.
      if (!sentence.holds && (await lookUp(sentence.path, subject))?.file === 'missing') return null
      return withText(sentence.path, subject, (text, path) => {
        const found = text.includes(sentence.text)
        const evidence = `${path} ${found ? 'contains' : 'does not contain'} ${JSON.stringify(sentence.text)}.`
        return { holds: found === sentence.holds, evidence }
      })
    }
    case 'file-words':
      return withText(sentence.path, subject, (text, path) => {
        const words = text.split(/\s+/).filter((word) => word !== '').length
        const holds = words >= sentence.least && words <= sentence.most
        return { holds, evidence: `${path} has ${words} ${words === 1 ? 'word' : 'words'}, counted as \`wc -w\` does.` }
      })
    case 'file-is-json':
      return withText(sentence.path, subject, (text, path) => {
        const problem = jsonProblem(text)
        return {
          holds: problem === null,
          evidence: `${path} is ${problem === null ? 'valid JSON' : `no JSON: ${problem}`}.`,
        }
      })
    case 'file-unchanged':
      return decideUnchanged(sentence.path, subject)
    case 'no-file':
      return decideNoFile(sentence.change, run.files)
    case 'says': {
      const found = run.finalMessage.includes(sentence.text)
      const evidence = `The final message ${found ? 'contains' : 'does not contain'} ${JSON.stringify(sentence.text)}.`
      return { holds: found === sentence.holds, evidence }
    }
    case 'tool-called': {
      const calls = toolCalls(run).filter(({ call }) => call.tool.toLowerCase() === sentence.name.toLowerCase())
      const events = calls.slice(0, 10).map(({ call }) => call.n)
      const evidence =
        calls.length === 0
          ? `${sentence.name} was not called.`
          : `${sentence.name} was called at event ${events.join(', ')}.`
      return { holds: calls.length > 0 === sentence.holds, evidence }
    }
    case 'skill-used': {
      const used = skillsUsed(run)
      const found = used.includes(sentence.name)
      const evidence = used.length === 0 ? 'No skill was used.' : `The run used ${used.join(', ')}.`
      return { holds: found === sentence.holds, evidence }
    }
  }
}

interface LookedUp {
  readonly path: string
  readonly file: SeenFile
}

// A plain name may lie anywhere: it is the one file of that name that the run wrote, or the one at the top.
async function lookUp(path: string, { run, read }: SentenceSubject): Promise<LookedUp | null> {
  if (path.includes('/')) return { path, file: await read(path) }
  const written = [...run.files.created, ...run.files.modified].map((file) => file.path)
  const named = written.filter((file) => file === path || file.endsWith(`/${path}`))
  const [only] = named
  if (named.length > 1) return null
  if (only !== undefined) return { path: only, file: await read(only) }
  const file = await read(path)
  return file === 'missing' ? null : { path, file }
}

async function withText(
  path: string,
  subject: SentenceSubject,
  decide: (text: string, path: string) => SentenceFinding,
): Promise<SentenceFinding | null> {
  const seen = await lookUp(path, subject)
  if (seen === null || seen.file === 'unknown') return null
  if (seen.file === 'missing') return { holds: false, evidence: `${seen.path} does not exist.` }
  return seen.file.text === null ? null : decide(seen.file.text, seen.path)
}

async function decideUnchanged(path: string, { run, read }: SentenceSubject): Promise<SentenceFinding | null> {
  if (!path.includes('/') && (await read(path)) === 'missing') return null
  const { created, modified, deleted } = run.files
  if (isUnchanged(path, run.files).is === 'unknown') return null
  const changed = modified.map((file) => file.path).find((file) => isPathBelow(file, path))
  if (changed !== undefined) return { holds: false, evidence: `${changed} was changed.` }
  const gone = deleted.find((file) => isPathBelow(file, path))
  if (gone !== undefined) return { holds: false, evidence: `${gone} was deleted.` }
  // What the run created has no state of before.
  if (created.some((file) => file.path === path) || (await read(path)) === 'missing') return null
  return { holds: true, evidence: `${path} was not created, modified or deleted.` }
}

function decideNoFile(change: 'created' | 'deleted' | 'modified', files: AgentRun['files']): SentenceFinding | null {
  if (files.unreadable.length > 0) return null
  const paths = { created: files.created, modified: files.modified, deleted: files.deleted.map((path) => ({ path })) }
  const found = paths[change].map(({ path }) => path)
  const evidence = found.length === 0 ? `No file was ${change}.` : `${change}: ${found.slice(0, 10).join(', ')}.`
  return { holds: found.length === 0, evidence }
}

function jsonProblem(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
