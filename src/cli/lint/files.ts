import { lstatSync, mkdirSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { TestSuite } from '../../formats/free-tests/test-suite.ts'
import { normalise } from '../../formats/skill-evals/vocabulary.ts'
import { warningIn, type Issue } from '../../lib/documents/document.ts'
import { withMembers } from '../../lib/documents/edit-json.ts'
import { foldersUpTo, refuseLinks, replaceFile, tryReadText } from '../../lib/files.ts'
import { formatJson } from '../../lib/json.ts'
import { groupBy } from '../../lib/lists.ts'
import { packageRootOf, pathBelow } from '../../packages/package-root.ts'
import { ignoredBelow, ignoringLines } from '../../session/inputs/package-path.ts'

/** Warnings for the lines by which git ignores evals: a clone, as in CI, holds none of them. */
export async function findIgnoredEvals(root: string, files: readonly string[]): Promise<readonly Issue[]> {
  const evalsPaths = files.flatMap((file): readonly EvalsPath[] => {
    const path = pathBelow(root, file)
    const folder = foldersUpTo(root, dirname(file)).findLast((one) => EVALS.has(basename(one))) ?? dirname(file)
    return path === null ? [] : [{ path, folder: pathBelow(root, folder), above: pathBelow(root, dirname(folder)) }]
  })
  const paths = [
    ...new Set(evalsPaths.flatMap(({ path, folder, above }) => [path, ...asFolder(folder), ...asFolder(above)])),
  ]
  const ignored = new Set(await ignoredBelow(root, paths))
  const isIgnored = (folder: string | null): boolean => asFolder(folder).some((one) => ignored.has(one))
  // What is ignored with all around it is a copy, such as a build.
  const hidden = evalsPaths.filter(({ path, above }) => ignored.has(path) && !isIgnored(above))
  if (hidden.length === 0) return []
  const lines = await ignoringLines(
    root,
    hidden.map(({ path }) => path),
  )
  return [...groupBy(lines, ({ file, line }) => `${file}:${line}`).values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { file, line, pattern, path } = first
    const isFolder = hidden.some((one) => one.path === path && isIgnored(one.folder))
    const more = group.length === 1 ? '' : ` and ${group.length - 1} more`
    const message = `${JSON.stringify(pattern)} hides ${path}${more} from git, so a clone, as in CI, holds no such evals. Add the line ${isFolder ? '!**/evals/' : '!**/evals/**'} below it`
    const place = isAbsolute(file) ? file : join(root, file)
    return [warningIn(place, 'ignored-evals', message, { line, column: 1 })]
  })
}

interface EvalsPath {
  readonly path: string
  /** The folder of evals around it; `null` for the root. */
  readonly folder: string | null
  readonly above: string | null
}

const EVALS: ReadonlySet<string> = new Set(['eval', 'evals'])

function asFolder(path: string | null): readonly string[] {
  return path === null ? [] : [`${path}/`]
}

/** Warnings for free tests that expect nothing: they pass whatever is printed. The format of hooks has its own. */
export function findEmptyTests({ cases, file }: TestSuite): readonly Issue[] {
  return cases
    .filter(({ assertions, kind }) => assertions.length === 0 && kind !== 'hook')
    .map(({ at }) => {
      const message = 'no expectations: any output passes'
      return { code: 'no-expectations', severity: 'warning', file, field: 'expected', message, ...at }
    })
}

/** Errors for files that a skill's free test needs and that are not there. */
export function findMissingTestFiles({ cases, file, partDir }: TestSuite): readonly Issue[] {
  const isThere = (path: string): boolean => lstatSync(join(partDir, path), { throwIfNoEntry: false }) !== undefined
  return cases.flatMap((test) => {
    if (test.kind !== 'skill') return []
    return test.files.flatMap(({ path, at }, index): readonly Issue[] => {
      if (isThere(path)) return []
      const hint = isThere(`tests/${path}`) ? `; write "tests/${path}"` : ''
      const message = `${path} does not exist below the skill's folder${hint}`
      return [{ code: 'file-missing', severity: 'error', file, field: `input.files.${index}`, message, ...at }]
    })
  })
}

/** What was written to the configuration of a package, or that it could not be. */
export interface SettledConfig {
  readonly file: string
  /** Roles by the names of fields; `null` where the file is no object of JSON. */
  readonly fields: Readonly<Record<string, string>> | null
}

/** Writes the roles that notes propose to `fields` of each package's eval-config.json, whose other text stays as it is. */
export function settleFields(issues: readonly Issue[], root: string): readonly SettledConfig[] {
  const proposed = issues.flatMap(({ file, proposes }) => (proposes === undefined ? [] : [{ file, ...proposes }]))
  const configs = groupBy(proposed, ({ file }) => join(packageRootOf(file, root), 'evals', 'eval-config.json'))
  return [...configs].map(([file, all]): SettledConfig => {
    const first = new Map<string, readonly [string, string]>()
    // What says something in one entry is no remark in another.
    for (const { field, role } of all.toSorted((a, b) => Number(a.role === 'ignore') - Number(b.role === 'ignore')))
      first.set(normalise(field), first.get(normalise(field)) ?? [field, role])
    const fields = Object.fromEntries(first.values())
    const text = tryReadText(file)
    const edited = text === null ? formatJson({ fields }) : withMembers(text, 'fields', fields)
    if (edited === null) return { file, fields: null }
    refuseLinks(dirname(dirname(file)), file)
    mkdirSync(dirname(file), { recursive: true })
    replaceFile(file, edited)
    return { file, fields }
  })
}
