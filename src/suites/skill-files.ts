import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { checkRelativePath, collisionKey } from '../documents/relative-path.ts'
import { describeKind } from '../documents/read-text.ts'
import { toPathSegment } from './path-segment.ts'
import { SKILL_SUITE_NAMES } from './suite-files.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { Issue } from '../documents/issue.ts'
import type { EvalCase, FixtureBase, FixtureFile, SkillUnderTest, Suite } from './suite.ts'

/** Looks for the files and overlays that a skill's cases name. What is wrong becomes issues. */
export function resolveSkillFiles(
  suite: Suite,
  skill: SkillUnderTest,
  fs: TrackedFs,
  ownPaths: readonly string[],
): Suite {
  const issues: Issue[] = []
  const report: Report = ({ at, field = 'files' }, code, message) => {
    issues.push({ code, severity: 'error', file: suite.file, field, message, ...at })
  }
  const overlays = findOverlays(skill, fs)
  const cases = suite.cases.map((evalCase): EvalCase => {
    const files = evalCase.files.flatMap((entry) => resolve(entry, skill, fs, report) ?? [])
    reportCollisions([...files, ...evalCase.workspaceFiles], report)
    for (const file of [...files, ...evalCase.workspaceFiles]) {
      const reserved = checkReserved(file.to, ownPaths)
      if (reserved !== null) report(file, 'reserved-path', reserved)
    }
    return { overlays: overlays(evalCase), ...evalCase, files }
  })
  return { ...suite, cases, issues: [...suite.issues, ...issues] }
}

type Report = (place: NamedPlace, code: string, message: string) => void
type NamedPlace = Pick<FixtureFile, 'at' | 'field'>

interface Base {
  readonly base: FixtureBase
  readonly name: string
  readonly dir: string
}

// The same words as in the documentation of the formats, in the order in which they are looked at.
function basesOf(skill: SkillUnderTest): readonly Base[] {
  const bases: readonly Base[] = [
    { base: 'evals', name: 'the folder of the evals', dir: skill.evalsDir },
    { base: 'skill', name: "the skill's folder", dir: skill.dir },
    { base: 'project', name: 'the project', dir: skill.projectRoot },
  ]
  return bases.filter(({ dir }, index) => bases.findIndex((base) => base.dir === dir) === index)
}

function resolve(entry: FixtureFile, skill: SkillUnderTest, fs: TrackedFs, report: Report): FixtureFile | null {
  const found = basesOf(skill)
    .map((base) => ({ base, from: join(base.dir, entry.to) }))
    .filter(({ from }) => fs.look(from) !== null)
  const [first, ...others] = found
  if (first === undefined) {
    const where = basesOf(skill).map(({ name }) => name)
    report(entry, 'file-missing', `${entry.to} does not exist: neither below ${where.join(' nor below ')}`)
    return null
  }

  const kind = describeKind(lstatSync(first.from))
  if (kind !== null && kind !== 'a folder') {
    report(entry, 'not-a-file', `${entry.to} is ${kind}, not a regular file`)
    return null
  }
  const other = others.find(({ from }) => !isSame(first.from, from))
  if (other !== undefined) {
    const message = `${entry.to} is ambiguous: below ${first.base.name} and below ${other.base.name} are different files; rename one`
    report(entry, 'ambiguous-file', message)
    return null
  }
  const answer = answerIn(first.from, skill, kind === 'a folder')
  if (answer !== null) {
    report(entry, 'reserved-path', `${entry.to} would show the agent ${answer}, which contains the expected answers`)
    return null
  }
  return { ...entry, from: first.from, base: first.base.base }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [lstatSync(one), lstatSync(other)]
  if (!a.isFile() || !b.isFile() || a.size !== b.size) return false
  return a.ino === b.ino || readFileSync(one).equals(readFileSync(other))
}

function answerIn(from: string, { evalsDir }: SkillUnderTest, isFolder: boolean): string | null {
  const answers = SKILL_SUITE_NAMES.map((name) => join(evalsDir, name))
  const shown = answers.find((file) => file === from || (isFolder && file.startsWith(`${from}${sep}`) && lookup(file)))
  return shown === undefined ? null : relative(evalsDir, shown)
}

function lookup(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined
}

// A fixture must not reconfigure the agent that it is for; overlays are for that.
function checkReserved(path: string, ownPaths: readonly string[]): string | null {
  const key = collisionKey(path)
  const isReserved = ['.git', ...ownPaths].some((folder) => key === folder || key.startsWith(`${folder}/`))
  return isReserved ? `${path} configures the agent; move it to the overlay setup/` : null
}

function reportCollisions(files: readonly (NamedPlace & { readonly to: string })[], report: Report): void {
  const seen = new Map<string, string>()
  for (const { to, ...place } of files) {
    const key = collisionKey(to)
    const other = seen.get(key)
    if (other !== undefined)
      report(
        place,
        'same-path',
        other === to
          ? `${to} is named twice; remove one`
          : `${to} and ${other} are the same file on case-insensitive disks`,
      )
    seen.set(key, to)
  }
}

/** The base overlay and a case's own, as far as there are any. A trigger query has the base overlay only. */
function findOverlays({ evalsDir }: SkillUnderTest, fs: TrackedFs): (evalCase: EvalCase) => readonly string[] {
  const isFolder = (folder: string): boolean => fs.look(folder)?.isDirectory() === true
  const setup = join(evalsDir, 'setup')
  const base = isFolder(setup) ? [setup] : []
  // Most cases have no folder of their own, and a suite may hold thousands.
  const names = namesIn(evalsDir)
  return ({ id, trigger }) => {
    if (trigger !== undefined) return base
    const segment = checkRelativePath(id) === null && !id.includes('/') ? id : toPathSegment(id)
    const own = join(evalsDir, segment, 'setup')
    const isNamed = names === null || names.has(collisionKey(segment))
    return isNamed && isFolder(own) ? [...base, own] : base
  }
}

// `null` where the folder can be entered and not listed.
function namesIn(folder: string): ReadonlySet<string> | null {
  try {
    return new Set(readdirSync(folder).map(collisionKey))
  } catch {
    return null
  }
}
