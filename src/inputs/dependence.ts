import { basename, dirname, join, sep } from 'node:path'
import { pathFrom } from '../packages/package-root.ts'
import { judgedBy } from './collect.ts'
import { packagePathFilter } from './package-path.ts'
import { packageRole } from './package-role.ts'
import { kindOf } from '../suites/kinds.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { CasePart, Suite } from '../suites/suite.ts'
import type { Input } from './input.ts'
import type { InputCache } from './input-cache.ts'

/**
 * How a case depends on a file: `own`, it is one of what the case is about; `listed`, its session only lists the part
 * that the file describes, such as the skill of another case.
 */
export type Dependence = 'listed' | 'own'

/** The case that is asked about. */
export interface DependenceRequest {
  readonly suite: Pick<Suite, 'agent' | 'file' | 'config' | 'skill'>
  readonly evalCase: CasePart<'files' | 'overlays' | 'skill' | 'target' | 'workspaceFiles'>
  /** The package as this case gets it. */
  readonly package: AgentPackage
  /** Absolute paths of what answers the case, whether they exist or not: scenarios, recordings. */
  readonly answers: readonly string[]
  /** Names of the skills that its last run used. */
  readonly skillsUsed: ReadonlySet<string>
}

/**
 * Says how a case depends on a file, which need not exist: what was deleted or is missing counts as well. `null`: it does
 * not. Nothing is read or hashed for it.
 */
export function dependenceOn(file: string, request: DependenceRequest, cache: InputCache): Dependence | null {
  if (ownPaths(request).some((path) => path === file || file.startsWith(`${path}${sep}`))) return 'own'
  const pkg = request.package
  const path = pathFrom(pkg.root, file)
  const isKept = cache.perPackage(pkg, 'filter', () => packagePathFilter(pkg))
  if (path.startsWith('../') || !isKept(path, false)) return null
  const roleOf = cache.perPackage(pkg, 'role', () => packageRole(pkg))
  return dependenceOnPart(isFolderOfSkills(request) ? skillAt(path) : roleOf(path), path, request)
}

function ownPaths({ suite, evalCase, answers }: DependenceRequest): readonly string[] {
  return [
    suite.file,
    suite.config.file ?? join(dirname(dirname(suite.file)), 'eval-config.json'),
    ...judgedBy(suite),
    ...answers,
    ...kindOf(evalCase).folders(evalCase),
    ...kindOf(evalCase).pluginDirs(evalCase).slice(1),
    ...(evalCase.overlays ?? []),
    ...evalCase.files.map(({ from }) => from),
    ...evalCase.workspaceFiles.flatMap(({ from }) => (from === null ? [] : [from])),
  ]
}

// A query is asked of a skill beside its siblings; one that was just added or removed is not among the package's.
function isFolderOfSkills({ suite, evalCase, package: pkg }: DependenceRequest): boolean {
  const skill = evalCase.skill ?? suite.skill
  return skill !== undefined && kindOf(evalCase).sees === 'skills' && dirname(skill.dir) === pkg.root
}

function skillAt(path: string): Pick<Input, 'part' | 'role'> {
  return { role: 'skill', part: path.split('/')[0] ?? '' }
}

// Hooks, rules, manifests and files of no part are in every session of the package.
function dependenceOnPart(
  { role, part }: Pick<Input, 'part' | 'role'>,
  path: string,
  request: DependenceRequest,
): Dependence | null {
  if (role !== 'skill' && role !== 'agent') return 'own'
  const name = part ?? path.split('/')[1] ?? ''
  if (isAbout(role, name, request)) return 'own'
  return path.endsWith('/SKILL.md') || role === 'agent' ? 'listed' : null
}

function isAbout(role: 'agent' | 'skill', name: string, request: DependenceRequest): boolean {
  const { suite, evalCase, skillsUsed } = request
  const { target } = evalCase
  if (role === 'skill' && skillsUsed.has(name)) return true
  const skill = evalCase.skill ?? suite.skill
  if (skill !== undefined) return role === 'skill' && [skill.name, basename(skill.dir)].includes(name)
  // A case that says no target is about the whole package.
  if (target === null) return true
  if (target.kind === role) return target.name === name
  const agent = target.kind === 'agent' ? request.package.agents.find((one) => one.name === target.name) : undefined
  return role === 'skill' && agent?.skills.includes(name) === true
}
