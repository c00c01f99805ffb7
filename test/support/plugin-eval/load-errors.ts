import { execFile } from 'node:child_process'
import { basename, dirname, relative, sep } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { failsFile, type Issue } from '../../../src/lib/documents/document.ts'
import { loadSuite } from '../../../src/formats/load-suite.ts'
import { claudeExecutable } from '../engines.ts'
import { findSuitesOf } from '../find-suites.ts'

/** A mistake that keeps a case from loading. */
export interface LoadError {
  /** The file that is named; `null` where only the case is. */
  readonly file: string | null
  /** The field, or a word for what is wrong. */
  readonly field: string
  /** Place and message, for a person. */
  readonly text: string
}

/** Mistakes by the folder of the case. */
export type LoadErrors = ReadonlyMap<string, readonly LoadError[]>

/** What `claude plugin eval` refuses to load below a folder. It ends after that, without a credential. */
export async function claudeLoadErrors(root: string): Promise<LoadErrors> {
  const env = {
    PATH: process.env['PATH'],
    HOME: `${root}/home`,
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    CLAUDE_CODE_MAX_RETRIES: '0',
  }
  const args = ['plugin', 'eval', '.', '--runs', '1', '--trust-plugin', '--no-publish', '--output-dir', `${root}/out`]
  const { stderr } = await promisify(execFile)(claudeExecutable() ?? '', args, { cwd: root, env }).catch(
    (error: unknown) => error as { readonly stderr: string },
  )
  const lines = stripVTControlCharacters(stderr).split('\n')
  const found = lines.flatMap((line) => {
    const [, place, message] = /^✗ (.+?\/evals\/[^:]*): (.*)$/.exec(line) ?? []
    if (place === undefined || message === undefined) return []
    // A grader of two files has one name; the message does not name the file.
    const isOfBoth = message.includes('duplicate grader name')
    const file = isOfBoth
      ? null
      : (/^(?:graders\/)?([\w-]+\.(?:md|yaml))\b/.exec(message)?.[1] ?? /case\.yaml$/.exec(place)?.[0] ?? null)
    return [[caseOf(root, place), fieldsOf(message).map((field) => ({ file, field, text: message }))] as const]
  })
  return new Map(found)
}

/** What this project refuses to load there. */
export async function ourLoadErrors(root: string): Promise<LoadErrors> {
  const ours = await findSuitesOf('plugin-eval', root)
  const found = await Promise.all(
    ours.map(async (file) => {
      const { issues } = await loadSuite(file, { root })
      return [caseOf(root, file), issues.filter(failsFile).map(toLoadError)] as const
    }),
  )
  return new Map(found.filter(([, fields]) => fields.length > 0))
}

function toLoadError(issue: Issue): LoadError {
  const file = basename(issue.file)
  return { file, field: fieldOf(issue), text: `${file}:${issue.line}:${issue.column} ${issue.message}` }
}

function caseOf(root: string, file: string): string {
  const folder = /\/(?:case\.yaml|prompt\.md)$/.test(file) ? dirname(file) : file
  return relative(`${root}/evals`, folder).split(sep).join('/')
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/frontmatter must include "type:"/, 'type'],
  [/unterminated frontmatter/, 'front matter'],
  [/invalid YAML frontmatter/, 'syntax'],
  [/must be a YAML object/, 'object'],
  [/no case definition/, 'empty'],
  [/requires? execution\.prompt|execution\.prompt is required/, 'prompt'],
  [/blank `init` template/, 'template'],
  [/schema_version/, 'schema_version'],
  [/\(cap: \d+\)/, 'size'],
  [/YAML parse failed/, 'syntax'],
  [/is not a regular file|not a directory|symbolic link/, 'kind of file'],
  [/plugins entry/, 'plugins'],
  [/cannot be disallowed/, 'disallowed_tools'],
]

function fieldsOf(message: string): readonly string[] {
  const [, unknown] = /unknown frontmatter key "(.+?)"/.exec(message) ?? []
  if (unknown !== undefined) return [unknown]
  if (!message.startsWith('invalid case.yaml:'))
    return WORDS.filter(([words]) => words.test(message)).map(([, word]) => word)
  const [, list = ''] = message.split('invalid case.yaml:')
  return [...list.matchAll(/ {2}([\w.]+): (.*?)(?= {2}|$)/g)].map(([, field = '', why = '']) => {
    const [, key] = /Unrecognized key\(s\) in object: '(.+?)'/.exec(why) ?? []
    if (/duplicate grader name/.test(why)) return 'name'
    return key ?? shorten(field)
  })
}

function fieldOf({ code, field, message }: Issue): string {
  if (code === 'unknown-field' && field === '') return /^"(.+?)"/.exec(message)?.[1] ?? ''
  if (code === 'placeholder') return 'template'
  if (code === 'front-matter') return 'front matter'
  if (code === 'empty-file') return 'empty'
  if (['file-too-large', 'too-many-files'].includes(code)) return 'size'
  if (['not-a-file', 'not-a-folder'].includes(code)) return 'kind of file'
  if (code === 'two-documents') return 'object'
  if (field === '') return code === 'wrong-type' ? 'object' : 'syntax'
  return shorten(field)
}

function shorten(field: string): string {
  return field
    .replace(/^graders\.\d+\./, '')
    .replace(/^execution\./, '')
    .replace(/^(disallowed_tools|plugins)\.\d+$/, '$1')
    .replace(/^(target|before|after)\.(?=\w)/, '')
}
