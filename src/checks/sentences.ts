import { plural } from '../lib/text.ts'
import type { CheckFields, CheckKind, Finding, Parts, SeenFile, SeenRun, TextFields } from './check.ts'
import { pathSchema, type Zod, type ZodType } from './schemas.ts'
import { isPathBelow, isUnchanged } from './file-facts.ts'
import { CONTAINS, FILE, IS, aboutFile, aboutText } from './skill-used.ts'

/** A text, or a path, and whether it has to be there. */
export interface HeldFields extends TextFields {
  readonly holds: boolean
}

/** Whether the final message of the agent holds a text. */
export const says: CheckKind<HeldFields> = {
  run({ value, holds }, { run }) {
    const found = run.finalMessage.includes(value)
    const seen = `The final message ${found ? 'contains' : 'does not contain'} ${JSON.stringify(value)}.`
    return { outcome: found === holds ? 'passed' : 'failed', seen }
  },
  describe: ({ value, holds }) =>
    `The final message ${holds ? 'contains' : 'does not contain'} ${JSON.stringify(value)}.`,
  sentences: [
    [
      `the final (?:assistant )?message ${CONTAINS}`,
      (parts) => {
        const { text, holds } = aboutText(parts)
        return { value: text, holds }
      },
    ],
  ],
}

/** Whether there is something at a path at the end. A plain name is a file that was written. */
export const pathExists: CheckKind<HeldFields> = {
  run({ value, holds }, seen) {
    const found = lookUp(value, seen)
    if (found === null || found.file === 'unknown') return unknown(value)
    const exists = found.file !== 'missing'
    return decided(exists === holds, exists ? `${found.path} exists.` : `${found.path} does not exist.`)
  },
  describe: ({ value, holds }) => `${value} ${holds ? 'exists' : 'does not exist'} at the end.`,
  reads: ({ value }, run) => [value, ...writtenAs(value, run)],
  sentences: [
    [`${FILE} (?:exists|${IS} (?:created|present|written))`, (parts) => aboutPath(parts, true)],
    [`${FILE} (?:does not exist|${IS} not (?:created|present|written))`, (parts) => aboutPath(parts, false)],
  ],
}

function aboutPath(parts: Parts, holds: boolean): HeldFields | null {
  return aboutFile(parts, (value) => ({ value, holds }))
}

/** A text in a file. */
export interface FileTextFields extends TextFields {
  readonly text: string
}

/** Whether a file holds a text, letter by letter. */
export const fileContains: CheckKind<FileTextFields> = {
  schema: (zod) => fileTexts(zod).describe('Texts that files must contain at the end.'),
  run: ({ value, text }, seen) => searchFile(value, text, true, seen),
  describe: ({ value, text }) => `${value} contains ${JSON.stringify(text)}.`,
  label: ({ value, text }) => `${JSON.stringify(text)} in ${value}`,
  reads: ({ value }, run) => [value, ...writtenAs(value, run)],
  sentences: [[`${FILE} ${CONTAINS}`, (parts) => aboutFileText(parts, true)]],
  needsOutput: true,
}

/** Whether a text stays out of a file. */
export const fileNotContains: CheckKind<FileTextFields> = {
  schema: (zod) => fileTexts(zod).describe('Texts that files must not contain at the end. A missing file is an error.'),
  run(fields, seen) {
    // A missing file decides nothing.
    const isMissing = lookUp(fields.value, seen)?.file === 'missing'
    return isMissing ? unknown(fields.value) : searchFile(fields.value, fields.text, false, seen)
  },
  describe: ({ value, text }) => `${value} does not contain ${JSON.stringify(text)}.`,
  label: ({ value, text }) => `${JSON.stringify(text)} in ${value}`,
  reads: ({ value }, run) => [value, ...writtenAs(value, run)],
  sentences: [[`${FILE} ${CONTAINS}`, (parts) => aboutFileText(parts, false)]],
}

function fileTexts(zod: Zod): ZodType<readonly FileTextFields[]> {
  const text = zod.string().min(1, 'must not be empty: everything contains it')
  const one = zod
    .strictObject({
      path: pathSchema(zod).describe('A file of the workspace.'),
      text: zod.union([text, zod.array(text).min(1)]).describe('What is looked for, letter by letter.'),
    })
    .transform(({ path, text: texts }) =>
      [texts].flat().map((content): FileTextFields => ({ value: path, text: content })),
    )
  return zod.union([
    one,
    zod
      .array(one)
      .min(1)
      .transform((all) => all.flat()),
  ])
}

function aboutFileText(parts: Parts, isThere: boolean): FileTextFields | null {
  const { text, holds } = aboutText(parts)
  return holds === isThere ? aboutFile(parts, (value) => ({ value, text })) : null
}

function searchFile(file: string, text: string, isThere: boolean, seen: SeenRun): Finding {
  return withText(file, seen, (content, path) => {
    const found = content.includes(text)
    return decided(found === isThere, `${path} ${found ? 'contains' : 'does not contain'} ${JSON.stringify(text)}.`)
  })
}

/** A file, and how many words it may have. */
export interface WordsFields extends TextFields {
  readonly least: number
  readonly most: number
}

/** Whether the number of words of a file is in a range. */
export const fileWords: CheckKind<WordsFields> = {
  run: ({ value, least, most }, seen) =>
    withText(value, seen, (text, path) => {
      const words = text.split(/\s+/).filter((word) => word !== '').length
      const holds = words >= least && words <= most
      return decided(holds, `${path} has ${plural(words, 'word')}, counted as \`wc -w\` does.`)
    }),
  describe: ({ value, least, most }) => `${value} has ${least} to ${most} words.`,
  reads: ({ value }, run) => [value, ...writtenAs(value, run)],
  sentences: [
    [String.raw`${FILE} word count is between (?<least>\d{1,7}) and (?<most>\d{1,7})`, aboutWords],
    [String.raw`${FILE} has between (?<least>\d{1,7}) and (?<most>\d{1,7}) words`, aboutWords],
    [String.raw`${FILE} has at least (?<least>\d{1,7}) words`, aboutWords],
    [String.raw`${FILE} has at most (?<most>\d{1,7}) words`, aboutWords],
  ],
}

function aboutWords(parts: Parts): WordsFields | null {
  const [least, most] = [Number(parts['least'] ?? 0), Number(parts['most'] ?? Infinity)]
  return aboutFile(parts, (value) => ({ value, least, most }))
}

/** Whether a file is JSON. */
export const fileIsJson: CheckKind<TextFields> = {
  run: ({ value }, seen) =>
    withText(value, seen, (text, path) => {
      const problem = jsonProblem(text)
      return decided(problem === null, `${path} is ${problem === null ? 'valid JSON' : `no JSON: ${problem}`}.`)
    }),
  describe: ({ value }) => `${value} is valid JSON.`,
  reads: ({ value }, run) => [value, ...writtenAs(value, run)],
  sentences: [[`${FILE} is valid JSON`, (parts) => aboutFile(parts, (value) => ({ value }))]],
}

/** Whether what is at a path now was there before, as it is. */
export const pathUnchanged: CheckKind<TextFields> = {
  run({ value: path }, { run, read }) {
    if (!path.includes('/') && read(path) === 'missing') return unknown(path)
    const { created, modified, deleted } = run.files
    if (isUnchanged(path, run.files).is === 'unknown') return unknown(path)
    const changed = modified.map((file) => file.path).find((file) => isPathBelow(file, path))
    if (changed !== undefined) return decided(false, `${changed} was changed.`)
    const gone = deleted.find((file) => isPathBelow(file, path))
    if (gone !== undefined) return decided(false, `${gone} was deleted.`)
    // What the run created has no state of before.
    if (created.some((file) => file.path === path) || read(path) === 'missing') return unknown(path)
    return decided(true, `${path} was not created, modified or deleted.`)
  },
  describe: ({ value }) => `${value} is as it was before.`,
  reads: ({ value }) => [value],
  sentences: [
    [
      `${FILE} ${IS} (?:unchanged|not (?:been )?(?:changed|modified|edited)|byte-identical to the (?:staged )?fixture)`,
      (parts) => aboutFile(parts, (value) => ({ value })),
    ],
  ],
}

/** What may not have happened to any file. */
export interface ChangeFields extends CheckFields {
  readonly value: 'created' | 'deleted' | 'modified'
}

/** Whether a run has created, modified or deleted no file at all. */
export const noFile: CheckKind<ChangeFields> = {
  run({ value }, { run: { files } }) {
    if (files.unreadable.length > 0) return unknown('the workspace')
    const paths = { created: files.created, modified: files.modified, deleted: files.deleted.map((path) => ({ path })) }
    const found = paths[value].map(({ path }) => path)
    const seen = found.length === 0 ? `No file was ${value}.` : `${value}: ${found.slice(0, 10).join(', ')}.`
    return decided(found.length === 0, seen)
  },
  describe: ({ value }) => `No file is ${value}.`,
  sentences: [
    [
      'no (?:new )?files? (?:is|are|was|were) (?<change>created|modified|deleted)',
      ({ change }) =>
        change === 'created' || change === 'modified' || change === 'deleted' ? { value: change } : null,
    ],
  ],
}

function decided(holds: boolean, seen: string): Finding {
  return { outcome: holds ? 'passed' : 'failed', seen }
}

function unknown(path: string): Finding {
  return { outcome: 'errored', seen: `What the run shows of ${path} does not decide it.` }
}

interface LookedUp {
  readonly path: string
  readonly file: SeenFile
}

// A plain name may lie anywhere: it is the one file of that name that the run wrote, or the one at the top.
function lookUp(path: string, { run, read }: SeenRun): LookedUp | null {
  const named = writtenAs(path, run)
  if (named.length > 1) return null
  const file = read(named[0] ?? path)
  return path.includes('/') || named.length > 0 || file !== 'missing' ? { path: named[0] ?? path, file } : null
}

function writtenAs(name: string, { files: { created, modified } }: SeenRun['run']): readonly string[] {
  if (name.includes('/')) return []
  const written = [...created, ...modified].map((file) => file.path)
  return written.filter((file) => file === name || file.endsWith(`/${name}`))
}

function withText(path: string, seen: SeenRun, decide: (text: string, path: string) => Finding): Finding {
  const found = lookUp(path, seen)
  if (found === null || found.file === 'unknown') return unknown(path)
  if (found.file === 'missing') return decided(false, `${found.path} does not exist.`)
  return found.file.text === null ? unknown(path) : decide(found.file.text, found.path)
}

function jsonProblem(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
