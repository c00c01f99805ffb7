import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { glob } from 'tinyglobby'
import type { Report, ReportCase } from '../../../src/report/report.ts'
import type { TestProject } from '../project.ts'
import type { Edit } from '../recordings-project.ts'

/** How a case ends: its outcome and the code of its error, such as `errored stale`. */
export type Ending = string

/**
 * A package whose cases show one mechanism: cases that must stay red, and their twins that must stay green. Only outcomes
 * and codes are compared, so that the mechanism can be built anew.
 */
export interface RedPackage {
  /** The mechanism, in words: the name of its tests. */
  readonly about: string
  /** Its folder below the project. */
  readonly folder: string
  /** Its files below that folder. */
  readonly files: FileTree
  /** Changes between the recording and the replay; a package without any is played once, from its scenarios. */
  readonly edits?: readonly Change[]
  /** How each red case ends; several endings where either names the cause well. */
  readonly red: Readonly<Record<string, Ending | readonly Ending[]>>
  /** Names of the twins, all of which pass. */
  readonly green: readonly string[]
}

/** An edited text, a file that takes the place of another one, or a new file. */
export type Change =
  | Edit
  | { readonly file: string; readonly copyOf: string }
  | { readonly file: string; readonly text: string }

/** A red case or a twin as its test is named: the mechanism, the case, and how it ends. */
export type Row = readonly [about: string, id: string, ends: RegExp]

/** The rows of packages. */
export function rowsOf(packages: readonly RedPackage[]): readonly Row[] {
  return packages.flatMap(({ about, folder, red, green }) => [
    ...Object.entries(red).map(([name, ends]) => [about, `${folder}/${name}`, anyOf(ends)] as const),
    ...green.map((name) => [about, `${folder}/${name}`, anyOf('passed')] as const),
  ])
}

function anyOf(ends: Ending | readonly Ending[]): RegExp {
  return new RegExp(`^(?:${[ends].flat().join('|')})$`)
}

/** All files of packages, by path below the project. */
export function filesOf(packages: readonly RedPackage[]): FileTree {
  return Object.fromEntries(
    packages.flatMap(({ folder, files }) => Object.entries(files).map(([path, file]) => [`${folder}/${path}`, file])),
  )
}

/** Changes the files of packages, as a pull request does. */
export async function applyEdits(project: TestProject, packages: readonly RedPackage[]): Promise<void> {
  for (const { folder, edits = [] } of packages) for (const edit of edits) await apply(join(project.root, folder), edit)
}

async function apply(folder: string, change: Change): Promise<void> {
  const path = join(folder, change.file)
  if ('copyOf' in change) return copyFile(join(folder, change.copyOf), path)
  if ('text' in change) {
    await mkdir(dirname(path), { recursive: true })
    return writeFile(path, change.text)
  }
  const text = await readFile(path, 'utf8')
  if (!text.includes(change.from)) throw new Error(`${path} does not hold ${JSON.stringify(change.from)}.`)
  await writeFile(
    path,
    text.replaceAll(change.from, () => change.to),
  )
}

/** How each case of the reports below the project ended, by folder and name; the newest report of a package counts. */
export async function readEndings(project: TestProject): Promise<ReadonlyMap<string, Ending>> {
  const files = (
    await glob('**/evals/reports/*.json', { cwd: project.root, ignore: ['**/node_modules/**'] })
  ).toSorted()
  const found = new Map<string, Ending>()
  for (const file of files) {
    const { cases } = JSON.parse(await readFile(join(project.root, file), 'utf8')) as Report
    const folder = file.replace(/\/?evals\/reports\/[^/]+$/, '')
    for (const one of cases) found.set(join(folder, one.name), endingOf(one))
  }
  return found
}

/** What Vitest's own JSON report says of each case below the folders of the packages. */
export async function readShown(project: TestProject, file: string): Promise<ReadonlyMap<string, string>> {
  const { testResults } = JSON.parse(await project.files.readFile(file, 'utf8')) as VitestResults
  return new Map(
    testResults.flatMap(({ name, assertionResults }) => {
      const [group = '', folder = ''] = relative(project.root, name).split('/')
      return assertionResults.map(({ title, status }) => [`${group}/${folder}/${title}`, status] as const)
    }),
  )
}

interface VitestResults {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[]
  }[]
}

/** How a case ended. */
export function endingOf({ outcome, error_code: code }: Pick<ReportCase, 'error_code' | 'outcome'>): Ending {
  return code === null ? outcome : `${outcome} ${code}`
}
