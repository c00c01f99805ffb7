import { basename, dirname, join, sep } from 'node:path'
import { kindOf } from '../../formats/kinds.ts'
import { pluginCaseFolders } from '../../formats/plugin-eval/model.ts'
import type { CaseMatter, CasePart, EvalCase, Suite } from '../../formats/suite.ts'
import { compareTexts } from '../../lib/text.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { FilePart, Input, InputRole } from '../../recordings/input.ts'
import type { InputCache } from './input-cache.ts'
import { listFiles, whyLeftOut, type Listing } from './list-files.ts'
import { filesOfCase, fixtureFiles, fixtureRoot, listNamed, type NamedFile } from './named-files.ts'
import { filePart } from './package-files.ts'
import { packageRule } from './stays-out.ts'

/** The case whose inputs are asked for. */
export interface InputsRequest {
  readonly suite: Pick<Suite, 'file' | 'config'> & Partial<Pick<Suite, 'before' | 'packageRoot' | 'skill'>>
  readonly evalCase: CasePart<'arm' | 'files' | 'overlays' | 'workspaceFiles'>
  readonly package: AgentPackage
  /** Plugins of the case; the first is the package. */
  readonly plugins?: readonly AgentPackage[]
  /** Files of the scripts that check it. */
  readonly scripts?: readonly NamedFile[]
  /** Absolute path of the scenario that is played; `null` when there is none. */
  readonly scenario: string | null
}

/**
 * Lists everything the case depends on, sorted by path. The whole package is in it, because all of it is
 * installed. Throws `missing-input` or `unsafe-path` for a fixture that cannot be staged.
 */
export async function collectInputs(request: InputsRequest, cache: InputCache): Promise<readonly Input[]> {
  const pkg = request.package
  const ofPackage = await cache.perPackage(pkg, 'inputs', () => withHashes(filesOf(pkg, cache), cache))
  const ofCase = await withHashes(caseFiles(request), cache)
  const further = request.evalCase.arm === undefined ? (request.plugins ?? []).slice(1) : []
  const ofFurther = await Promise.all(
    further.map((one) => cache.perPackage(one, 'inputs', () => withHashes(filesOf(one, cache), cache))),
  )
  return [...ofPackage, ...ofFurther.flat(), ...ofCase].toSorted(
    (a, b) => compareTexts(a.path, b.path) || compareTexts(a.role, b.role),
  )
}

/** Whether an input is in the package's copy in the session; the others are the case's own. */
export function isPackageInput({ role }: Pick<Input, 'role'>): boolean {
  return role === 'package' || role === 'vault'
}

// One after the other: a package may have more files than a process may have open.
async function withHashes(files: readonly Omit<Input, 'hash'>[], cache: InputCache): Promise<readonly Input[]> {
  const inputs: Input[] = []
  for (const input of files) inputs.push({ ...input, hash: await cache.hash(input.file) })
  return inputs
}

function filesOf(pkg: AgentPackage, cache: InputCache): readonly Omit<Input, 'hash'>[] {
  const { reportRoot, root, vault = false } = pkg
  const partOf = filePart(pkg)
  return cache.packageFiles(pkg).files.map(({ file, path }) => ({
    file,
    path: reportRoot === undefined ? path : pathFrom(reportRoot, join(root, path)),
    role: vault ? 'vault' : 'package',
    part: partOf(path),
  }))
}

function caseFiles(request: InputsRequest): readonly Omit<Input, 'hash'>[] {
  const declaration = { packageRoot: fixtureRoot(request.suite, request.package.root), caseFile: request.suite.file }
  const { config, skill } = request.suite
  const folders = pluginCaseFolders(kindOf(request.evalCase).pluginCase(request.evalCase))
  const ofFolders = folders.flatMap((folder) => listFiles(folder).files)
  const overlays = (request.evalCase.overlays ?? []).flatMap(
    (overlay) => listNamed(overlay, skill?.projectRoot ?? request.package.root).files,
  )
  const ofCase = [request.suite.file, ...(config.file === null ? [] : [config.file]), ...judgedBy(request.evalCase)]
  const all: Pick<Input, 'base' | 'file' | 'role'>[] = [
    ...ofCase.map((file) => ({ file, role: 'case' as const })),
    ...inRole('case', ofFolders),
    ...inRole('case', fixtureFiles(request.scripts ?? [], declaration)),
    ...(request.scenario === null ? [] : [{ file: request.scenario, role: 'scenario' as const }]),
    ...inRole('overlay', overlays),
    ...inRole('fixture', fixtureFiles(filesOfCase(request.evalCase), declaration)).map((input) => {
      return { ...input, ...baseOf(input.file, request.evalCase.files) }
    }),
  ]
  const once = new Map(all.map((input) => [`${input.role}:${input.file}`, input]))
  const { before, packageRoot } = request.suite
  // Files of the case are today's: they have the same path in both versions.
  const reportRoot = request.package.reportRoot ?? request.package.root
  const root = before === undefined ? reportRoot : (packageRoot ?? reportRoot)
  return [...once.values()].map((input) => {
    const path = pathFrom(root, input.file)
    return { ...input, path, part: null }
  })
}

function inRole(role: InputRole, files: readonly Pick<Input, 'file'>[]): readonly Pick<Input, 'file' | 'role'>[] {
  return files.map(({ file }) => ({ file, role }))
}

// A file is named itself, or is in a folder that is.
function baseOf(file: string, named: EvalCase['files']): Pick<Input, 'base'> {
  const base = named.find(({ from }) => file === from || file.startsWith(`${from}${sep}`))?.base
  return base === undefined ? {} : { base }
}

/** Absolute paths of the files that say how golden tests are judged. */
function judgedBy(evalCase: CaseMatter): readonly string[] {
  const { agent } = kindOf(evalCase).golden(evalCase) ?? {}
  return agent === undefined ? [] : [agent.rubric.file, agent.judge.file]
}

/** The case that is asked about. */
export interface DependenceRequest {
  readonly suite: Pick<Suite, 'file' | 'config' | 'skill'>
  readonly evalCase: CasePart<'files' | 'overlays' | 'skill' | 'target' | 'workspaceFiles'>
  /** The package as this case gets it. */
  readonly package: AgentPackage
  /** Absolute paths of what answers the case, whether they exist or not: scenarios, recordings. */
  readonly answers: readonly string[]
  /** Names of the skills that its last run used. */
  readonly skillsUsed: ReadonlySet<string>
}

/**
 * Tells whether a case depends on a file, which need not exist: what was deleted or is missing counts as well. Nothing is
 * read or hashed for it.
 */
export function dependsOn(file: string, request: DependenceRequest, cache: InputCache): boolean {
  if (ownPaths(request).some((path) => path === file || file.startsWith(`${path}${sep}`))) return true
  const pkg = request.package
  const reached = cache.perPackage(pkg, 'reached', () => pathsOf(cache.packageFiles(pkg)))
  const path = reached.get(file) ?? pathFrom(pkg.root, file)
  const { rule } = cache.perPackage(pkg, 'rule', () => packageRule(pkg))
  if (path.startsWith('../') || whyLeftOut(path, false, rule) !== null) return false
  const partOf = cache.perPackage(pkg, 'part', () => filePart(pkg))
  const part = isFolderOfSkills(request) ? { kind: 'skill' as const, name: path.split('/')[0] ?? '' } : partOf(path)
  return dependsOnPart(part, path, request)
}

// A file behind a link has another path in the session.
function pathsOf({ files }: Listing): ReadonlyMap<string, string> {
  return new Map(files.map(({ file, path }) => [file, path]))
}

function ownPaths({ suite, evalCase, answers }: DependenceRequest): readonly string[] {
  const pluginCase = kindOf(evalCase).pluginCase(evalCase)
  return [
    suite.file,
    suite.config.file ?? join(dirname(dirname(suite.file)), 'eval-config.json'),
    ...judgedBy(evalCase),
    ...answers,
    ...pluginCaseFolders(pluginCase),
    ...(pluginCase?.pluginDirs.slice(1) ?? []),
    ...(evalCase.overlays ?? []),
    ...evalCase.files.map(({ from }) => from),
    ...evalCase.workspaceFiles.flatMap(({ from }) => (from === null ? [] : [from])),
  ]
}

// A query is asked of a skill beside its siblings; one that was just added or removed is not among the package's.
function isFolderOfSkills({ suite, evalCase, package: pkg }: DependenceRequest): boolean {
  const skill = evalCase.skill ?? suite.skill
  return skill !== undefined && kindOf(evalCase).isQuery && dirname(skill.dir) === pkg.root
}

// Hooks, rules, manifests and files of no part are in every session of the package.
function dependsOnPart(part: FilePart | null, path: string, request: DependenceRequest): boolean {
  if (part?.kind !== 'skill' && part?.kind !== 'agent') return true
  return isAbout(part.kind, part.name ?? path.split('/')[1] ?? '', request)
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
