import { basename, join } from 'node:path'
import { isFile, isFolder, tryReadText } from '../lib/files.ts'
import { createMemo } from '../lib/memo.ts'
import { pathBelow, declaredName, namesOf, nameSkill } from '../packages/package-root.ts'
import { kindOf } from './kinds.ts'
import type { BeforeSubject, CasePart, EvalCase, SkillUnderTest, Suite } from './suite.ts'

/** The version that a run is compared with, as files. Plain JSON. */
export interface BeforeVersion {
  /** As the user named it: a ref of Git, or the path of a folder. */
  readonly ref: string
  /** `null` for a folder. */
  readonly commit: string | null
  /** Absolute path of its files. */
  readonly root: string
  /** Absolute path of the folder that they were, or stand in for. */
  readonly now: string
  /** Its skills that are not at their place today: renamed, moved or removed since. */
  readonly skills: readonly EarlierSkill[]
  /** Whether it is a version of the user's own repository. */
  readonly isOwn: boolean
}

/** A skill of an earlier version. */
export interface EarlierSkill {
  /** Name of its folder. */
  readonly name: string
  /** The name in its front matter, where that differs. */
  readonly alias?: string
  /** Absolute path of its folder in that version. */
  readonly dir: string
}

/** Adds to each case a second one, whose session gets the earlier version. Both have one id: the arm tells them apart. */
export function withBefore(suite: Suite): Suite {
  const cases = suite.cases.flatMap((one): readonly EvalCase[] => {
    const { arm, broken, skipped, name } = one
    const isOneRun = arm !== undefined || broken !== undefined || skipped !== undefined
    return isOneRun ? [one] : [one, { ...one, arm: 'variant', name: `${name}${BEFORE}` }]
  })
  return { ...suite, cases }
}

/** A case and its suite, of which a run is asked. */
interface CaseOfSuite<One extends EvalCase> {
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: One
}

/** The case as it runs: with the earlier version where it is of that arm. */
export function inItsVersion<One extends EvalCase>(
  caseOfSuite: CaseOfSuite<One>,
  { before }: { readonly before?: BeforeVersion },
): CaseOfSuite<One> {
  const { suite, evalCase } = caseOfSuite
  return evalCase.arm === 'variant' && before !== undefined ? toVersion(caseOfSuite, before) : { suite, evalCase }
}

/**
 * The case as it runs with the earlier version: the package, its skills and the project are those of then; the case, its
 * fixtures, its checks and its judge are today's. Where the version lacks what the case is about, it is skipped.
 */
function toVersion<One extends EvalCase>(
  { suite, evalCase }: CaseOfSuite<One>,
  version: BeforeVersion,
): CaseOfSuite<One> {
  const { arm: _arm, ...rest } = evalCase
  const bare = rest as One
  const packageRoot = placeBefore(version, suite.packageRoot)
  const skill = evalCase.skill ?? suite.skill
  const [earlier, names] = skill === undefined ? [undefined, NO_RENAMES] : skillIn(version, skill)
  const target = renamesOfTarget(version, evalCase, suite)
  const isLost = packageRoot === null || !isFolder(packageRoot) || earlier === null || target === null
  if (isLost) return { suite, evalCase: { ...bare, skipped: describeLost(evalCase, version) } }
  const renamed = new Map([...names, ...target])
  const before: BeforeSubject = { packageRoot, ...(earlier === undefined ? {} : { skill: earlier }) }
  return {
    suite: suiteOnce(suite, JSON.stringify(before), () => ({ ...suite, before })),
    evalCase: withNames(withPlugins(bare, version), renamed),
  }
}

// Runs of a suite are compared with each other by its identity.
const suiteOnce = createMemo<Omit<Suite, 'cases'>>()

function describeLost({ target }: Pick<EvalCase, 'target'>, { ref }: BeforeVersion): string {
  const what = target === null ? 'the package of this case' : `${target.kind} ${target.name}`
  return `${ref} does not have ${what}, so there is nothing to compare with`
}

/** The path of a file or folder in the earlier version, whether or not it is there; `null` where it has none. */
export function placeBefore({ root, now }: Pick<BeforeVersion, 'now' | 'root'>, path: string): string | null {
  if (path === now) return root
  const below = pathBelow(now, path)
  return below === null ? null : join(root, below)
}

type Renames = ReadonlyMap<string, string>

const NO_RENAMES: Renames = new Map()

function skillIn(
  version: BeforeVersion,
  skill: SkillUnderTest,
): readonly [skill: SkillUnderTest | null, names: Renames] {
  const found = skillAtVersion(version, skill)
  const projectRoot = placeBefore(version, skill.projectRoot)
  const evalsDir = placeBefore(version, skill.evalsDir)
  if (found === null || projectRoot === null || evalsDir === null) return [null, NO_RENAMES]
  const { name, dir, alias } = found
  const earlier = { name, dir, projectRoot, evalsDir, ...(alias === undefined ? {} : { alias }) }
  return [earlier, renamesOf(skill, found)]
}

function renamesOf(after: Pick<EarlierSkill, 'alias' | 'name'>, before: EarlierSkill): Renames {
  return after.name === before.name ? NO_RENAMES : new Map(namesOf(after).map((name) => [name, before.name]))
}

/** A skill of today as it was: at its place, else by its name, else the one whose text is most like it; `null`: nowhere. */
export function skillAtVersion(
  version: BeforeVersion,
  skill: Pick<SkillUnderTest, 'alias' | 'dir' | 'name'>,
): EarlierSkill | null {
  const { name, dir } = skill
  const place = placeBefore(version, dir)
  if (place !== null && isFile(join(place, SKILL_FILE))) {
    const isCalledAnything = name !== basename(dir)
    const declared = declaredName(join(place, SKILL_FILE))
    return { name: nameSkill(basename(place), declared, isCalledAnything).name, dir: place }
  }
  const names = namesOf(skill)
  const isNamed = (one: EarlierSkill): boolean => namesOf(one).some((other) => names.includes(other))
  return version.skills.find(isNamed) ?? mostLike(version, join(dir, SKILL_FILE))
}

const SKILL_FILE = 'SKILL.md'

function mostLike({ skills }: BeforeVersion, file: string): EarlierSkill | null {
  const lines = linesOf(file)
  const rated = skills
    .map((skill) => ({ skill, share: likeness(lines, linesOf(join(skill.dir, SKILL_FILE))) }))
    .toSorted((one, other) => other.share - one.share)
  const [best] = rated
  return best !== undefined && best.share >= LEAST_LIKENESS ? best.skill : null
}

// As Git takes a file for a renamed one.
const LEAST_LIKENESS = 0.5

function linesOf(file: string): ReadonlySet<string> {
  const lines = (tryReadText(file) ?? '').split('\n').map((line) => line.trim())
  return new Set(lines.filter((line) => line !== ''))
}

function likeness(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  const shared = [...some].filter((line) => others.has(line)).length
  return some.size + others.size === 0 ? 0 : (2 * shared) / (some.size + others.size)
}

// What a case without a skill of its own is about: a part of its package.
function renamesOfTarget(
  version: BeforeVersion,
  { target, skill }: Pick<EvalCase, 'skill' | 'target'>,
  suite: Omit<Suite, 'cases'>,
): Renames | null {
  if (target?.kind !== 'skill' || skill !== undefined || suite.skill !== undefined) return NO_RENAMES
  const dirs = ['skills', join('.claude', 'skills')].map((folder) => join(suite.packageRoot, folder, target.name))
  const dir = dirs.find((one) => isFile(join(one, SKILL_FILE)))
  // A skill that is found in another way is looked for by the package as it was.
  if (dir === undefined) return NO_RENAMES
  const found = skillAtVersion(version, { ...target, dir })
  return found === null ? null : renamesOf(target, found)
}

function withPlugins<One extends EvalCase>(evalCase: One, version: BeforeVersion): One {
  const pluginCase = kindOf(evalCase).pluginCase(evalCase)
  if (pluginCase === null) return evalCase
  const pluginDirs = pluginCase.pluginDirs.map((dir) => placeBefore(version, dir) ?? dir)
  return { ...evalCase, pluginEval: { ...pluginCase, pluginDirs } }
}

function withNames<One extends EvalCase>(evalCase: One, names: Renames): One {
  if (names.size === 0) return evalCase
  const of = (name: string): string => names.get(name) ?? name
  const { target, checks } = evalCase
  const question = kindOf(evalCase).question(evalCase)
  const accepts = question?.accepts?.map(of)
  return {
    ...evalCase,
    target: target === null || target.kind !== 'skill' ? target : { kind: 'skill', name: of(target.name) },
    checks: checks.map((check) =>
      check.kind === 'skill-used' || check.kind === 'skill-not-used' ? { ...check, names: check.names.map(of) } : check,
    ),
    ...(question === null
      ? {}
      : {
          trigger: {
            ...question,
            skill: question.skill === null ? null : of(question.skill),
            ...(accepts === undefined ? {} : { accepts: [...new Set(accepts)] }),
          },
        }),
  }
}

/** A suite as what its session is made of is looked for: with the paths of the version that it gets. */
export function subjectOfSuite(
  suite: Omit<Suite, 'cases'>,
  evalCase: CasePart<'skill'>,
): readonly [Pick<Suite, 'packageRoot' | 'skill'>, CasePart<'skill'>] {
  const { before } = suite
  if (before === undefined) return [suite, evalCase]
  const { skill: _today, ...rest } = evalCase
  return [before, rest]
}

/** What tells the name of a test with the earlier version from that of its case. */
export const BEFORE = ' (variant)'
