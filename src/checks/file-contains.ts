import type { CheckKind, Finding, SeenFile, SeenRun, TextFields } from './check.ts'
import { pathSchema, type Zod, type ZodType } from './schemas.ts'

/** A text in a file. */
export interface FileTextFields extends TextFields {
  readonly text: string
}

/** Looks for a text in a file, letter by letter. */
export const fileContains: CheckKind<FileTextFields> = {
  schema: (zod) => fileTexts(zod).describe('Texts that files must contain at the end.'),
  run: (fields, seen) => searchFile(fields, true, seen),
  describe: ({ value, text }) => `${value} contains ${JSON.stringify(text)}.`,
  label,
  reads: filesOf,
  needsOutput: true,
}

/** Looks that a text is not in a file. A missing file decides nothing. */
export const fileNotContains: CheckKind<FileTextFields> = {
  schema: (zod) => fileTexts(zod).describe('Texts that files must not contain at the end. A missing file is an error.'),
  run: (fields, seen) => searchFile(fields, false, seen),
  describe: ({ value, text }) => `${value} does not contain ${JSON.stringify(text)}.`,
  label,
  reads: filesOf,
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

function label({ value, text }: FileTextFields): string {
  return `${JSON.stringify(text)} in ${value}`
}

function filesOf({ value }: FileTextFields, run: SeenRun['run']): readonly string[] {
  return [value, ...writtenAs(value, run)]
}

// A plain name may lie anywhere: it is the one file of that name that the run wrote, or the one at the top.
function lookUp(name: string, { run, read }: SeenRun): { readonly path: string; readonly file: SeenFile } | null {
  const named = writtenAs(name, run)
  if (named.length > 1) return null
  const [path = name] = named
  const file = read(path)
  return name.includes('/') || named.length > 0 || file !== 'missing' ? { path, file } : null
}

function writtenAs(name: string, { files: { created, modified } }: SeenRun['run']): readonly string[] {
  if (name.includes('/')) return []
  const written = [...created, ...modified].map((file) => file.path)
  return written.filter((file) => file === name || file.endsWith(`/${name}`))
}

function searchFile({ value, text }: FileTextFields, isThere: boolean, seen: SeenRun): Finding {
  const found = lookUp(value, seen)
  const file = found?.file
  if (isThere && found?.file === 'missing') return { outcome: 'failed', message: `${found.path} does not exist.` }
  if (found === null || typeof file !== 'object' || file.text === null)
    return { outcome: 'errored', message: `What the run shows of ${value} does not decide it.` }
  const isFound = file.text.includes(text)
  if (isFound === isThere) return { outcome: 'passed' }
  const message = `${found.path} ${isFound ? 'contains' : 'does not contain'} ${JSON.stringify(text)}.`
  return { outcome: 'failed', message }
}
