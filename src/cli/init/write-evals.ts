import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AgentEvalsError, messageOf } from '../../errors.ts'
import { refuseLeaving } from '../../files.ts'
import { createFile } from '../../write-atomically.ts'
import { caseFiles } from './case-files.ts'
import { firstCases, PLAIN_CASE, type FirstCase } from './first-cases.ts'
import { createSuiteCache } from '../../suites/suite-cache.ts'
import { triggerFile, triggerScenarios } from './trigger-files.ts'
import type { NewFile } from './new-file.ts'
import type { Skill } from '../../packages/package.ts'
import type { Survey } from './survey.ts'

/** Skills that get trigger queries unless all are asked for: a first run is to end within a minute. */
export const MAX_SKILLS = 5

/** A file that was to be written. */
export interface Written {
  readonly file: string
  /** Whether it was not there before. */
  readonly isNew: boolean
}

/** What {@link planEvals} found to write. */
export interface PlannedEvals {
  readonly files: readonly NewFile[]
  /** Skills whose trigger files are among them. */
  readonly asked: readonly Skill[]
  /** Number of skills and packages for which nothing is written. */
  readonly leftOut: number
}

/** A case of each kind, of every package with `all`, and the trigger queries of the first skills, with `all` of each. */
export function planEvals(
  root: string,
  { packages, skills }: Survey,
  { all }: { readonly all: boolean },
): PlannedEvals {
  const kinds = new Set<FirstCase['kind']>()
  const files: NewFile[] = []
  let leftOut = 0
  for (const pkg of packages) {
    const cases = firstCases(pkg)
    const chosen = all ? cases : cases.filter(({ kind }) => !kinds.has(kind))
    for (const { kind } of cases) kinds.add(kind)
    if (chosen.length === 0 && cases.length > 0) leftOut += 1
    files.push(...caseFiles(pkg.root, chosen))
  }
  if (kinds.size === 0 && skills.length === 0) files.push(...caseFiles(root, [PLAIN_CASE]))
  const asked = all ? skills : skills.slice(0, MAX_SKILLS)
  return { files, asked, leftOut: leftOut + skills.length - asked.length }
}

/** Writes the files of a plan, and a scenario for each query of a trigger file that is new. */
export async function writeEvals(
  root: string,
  { files, asked }: PlannedEvals,
  noteDone: () => void = () => {},
): Promise<readonly Written[]> {
  const written = [...writeAll(root, files)]
  const triggers = asked.map((skill) => {
    const [result] = writeAll(root, [triggerFile(skill)])
    noteDone()
    return { skill, file: result?.file ?? '', isNew: result?.isNew === true }
  })
  // One search of the repository for all of them.
  const cache = createSuiteCache()
  for (const { skill, file, isNew } of triggers) {
    written.push({ file, isNew })
    // The author's own queries are not answered by us.
    if (isNew) written.push(...writeAll(root, await triggerScenarios(skill, file, { root, cache })))
    noteDone()
  }
  return written
}

/** Writes files that are not there, and none through a link that leads out of the root. */
export function writeAll(root: string, files: readonly NewFile[]): readonly Written[] {
  return files.map(({ file, text }) => ({ file, isNew: write(root, file, text) }))
}

// Atomic, and never over a file that is there, also when it came to be a moment ago.
function write(root: string, file: string, text: string): boolean {
  try {
    refuseLeaving(root, dirname(file))
    mkdirSync(dirname(file), { recursive: true })
    return createFile(file, text)
  } catch (error) {
    const reason = messageOf(error)
    throw new AgentEvalsError('report-unwritable', `Cannot write ${file}: ${reason}`, { cause: error })
  }
}
