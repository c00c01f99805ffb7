import { basename, dirname, relative, sep } from 'node:path'
import { pathFrom } from '../../packages/package-root.ts'
import { NO_ENTRY } from '../formats/skill-evals/container.ts'
import { groupBy } from '../../lists.ts'
import { isJsonObject } from '../../json.ts'
import { readSuiteValue } from '../suite-document.ts'
import type { SearchNote } from '../search-notes.ts'
import type { CandidateFile } from './suite-files.ts'

/** Files in which other tools keep evals. */
export const FOREIGN_GLOBS: readonly string[] = [
  '**/{eval,evals}.{yaml,yml}',
  '**/*.eval.{yaml,yml}',
  '**/promptfooconfig.{yaml,yml}',
  '**/{evals,eval}/**/*.jsonl',
  '**/{evals,eval}/**/*{evals,prompts,queries,triggers}.{csv,tsv,yaml,yml}',
  '**/{evals,eval}/*.{yaml,yml}',
  '**/*.eval.md',
]

/** Counts files of formats that are not read, one note per format. */
export function noteForeign(files: readonly string[], root: string): readonly SearchNote[] {
  const kinds = new Map<string, string[]>()
  for (const file of files.toSorted()) {
    const kind = kindOf(file)
    const isResult = relative(root, file)
      .split(sep)
      .some((part) => RESULTS.has(part))
    if (kind !== null && !isResult && !isPipeline(file)) kinds.set(kind, [...(kinds.get(kind) ?? []), file])
  }
  return [...kinds].map(([kind, found]) => {
    const noun = found.length === 1 ? 'file' : 'files'
    const [first] = found
    return {
      file: found.length === 1 ? (first ?? null) : null,
      message: `${found.length} ${kind} ${noun} of another format, ignored (${found.length === 1 ? '' : 'first: '}${pathFrom(
        root,
        first ?? root,
      )}).`,
    }
  })
}

const RESULTS: ReadonlySet<string> = new Set(['baselines', 'recordings', 'reports', 'results', 'runs', 'scenarios'])

// A pipeline of CI that runs evals is often called `evals.yml`: its jobs have steps or a script.
function isPipeline(file: string): boolean {
  if (!/\.ya?ml$/.test(file)) return false
  if (basename(dirname(file)) === 'workflows') return true
  const value = readSuiteValue(file)
  const jobs = isJsonObject(value) && isJsonObject(value['jobs']) ? value['jobs'] : value
  return (
    isJsonObject(jobs) &&
    Object.values(jobs).some((job) => isJsonObject(job) && ['script', 'steps', 'uses'].some((name) => name in job))
  )
}

function kindOf(file: string): string | null {
  const name = basename(file)
  if (/^evals?\.ya?ml$/.test(name)) return name
  if (/\.eval\.ya?ml$/.test(name)) return '*.eval.yaml'
  if (name.endsWith('.eval.md')) return '*.eval.md'
  if (/^promptfooconfig\.ya?ml$/.test(name)) return name
  if (/(?:evals|prompts|queries|triggers)\.(?:[ct]sv|ya?ml)$/.test(name)) return name
  if (name.endsWith('.jsonl')) return '*.jsonl'
  const isOther =
    /\.ya?ml$/.test(name) &&
    isAmongEvals(file) &&
    !/^(?:(?:case|config|schema|settings)|(?:docker-)?compose)\./.test(name)
  return isOther ? '*.yaml' : null
}

// Fixtures lie deeper, and a file elsewhere is of any tool.
function isAmongEvals(file: string): boolean {
  return ['eval', 'evals'].includes(basename(dirname(file)))
}

function isWorthNote({ file, reason }: CandidateFile): boolean {
  return isAmongEvals(file) || reason === NO_ENTRY
}

/** Names the JSON files in folders of evals that read like no suite, one note per folder and reason. */
export function noteUnread(candidates: readonly CandidateFile[], root: string): readonly SearchNote[] {
  const groups = groupBy(candidates.filter(isWorthNote), ({ file, reason }) => JSON.stringify([dirname(file), reason]))
  return [...groups.values()].map((group) => {
    const [first, ...others] = group
    const path = pathFrom(root, first?.file ?? root)
    const more = others.length === 0 ? '' : ` and ${others.length} more beside it`
    const verb = others.length === 0 ? 'is no suite' : 'are no suites'
    return { file: first?.file ?? null, message: `${path}${more} ${verb}: ${first?.reason ?? ''}.` }
  })
}
