import { join, sep } from 'node:path'
import { pathFrom } from '../packages/package-root.ts'
import { fixtureFiles, fixtureRoot, type NamedFile } from './fixture-files.ts'
import { listOverlay } from './overlay-files.ts'
import { listTree } from './list-tree.ts'
import { kindOf } from '../suites/kinds.ts'
import { compareTexts } from '../texts.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { CasePart, EvalCase, Suite } from '../suites/suite.ts'
import type { Input, InputRole } from './input.ts'
import type { InputCache } from './input-cache.ts'

/** The case whose inputs are asked for. */
export interface InputsRequest {
  readonly suite: Pick<Suite, 'file' | 'config'> & Partial<Pick<Suite, 'agent' | 'packageRoot' | 'skill'>>
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
export function isPackageInput(input: Pick<Input, 'role'>): boolean {
  return !CASE_ROLES.has(input.role)
}

const CASE_ROLES: ReadonlySet<InputRole> = new Set([
  'case',
  'config',
  'fixture',
  'overlay',
  'scenario',
  'workspace-file',
])

// One after the other: a package may have more files than a process may have open.
async function withHashes(files: readonly Omit<Input, 'hash'>[], cache: InputCache): Promise<readonly Input[]> {
  const inputs: Input[] = []
  for (const input of files) inputs.push({ ...input, hash: await cache.hash(input.file) })
  return inputs
}

function filesOf(pkg: AgentPackage, cache: InputCache): readonly Omit<Input, 'hash'>[] {
  const { files } = cache.packageFiles(pkg)
  const { reportRoot } = pkg
  if (reportRoot === undefined) return files
  return files.map((file) => ({ ...file, path: pathFrom(reportRoot, join(pkg.root, file.path)) }))
}

function caseFiles(request: InputsRequest): readonly Omit<Input, 'hash'>[] {
  const declaration = { packageRoot: fixtureRoot(request.suite, request.package.root), caseFile: request.suite.file }
  const copied = request.evalCase.workspaceFiles.flatMap(({ from, to, at }) =>
    from === null ? [] : [{ from, to, at }],
  )
  const { config, skill } = request.suite
  const folders = kindOf(request.evalCase).folders(request.evalCase)
  const all: Pick<Input, 'base' | 'file' | 'role'>[] = [
    { file: request.suite.file, role: 'case' },
    ...folders.flatMap((folder) =>
      listTree(folder, { maxFiles: MAX_FILES }).files.map(({ file }) => ({ file, role: 'case' as const })),
    ),
    ...fixtureFiles(request.scripts ?? [], declaration).map(({ file }) => ({ file, role: 'case' as const })),
    ...(config.file === null ? [] : [{ file: config.file, role: 'config' as const }]),
    ...judgedBy(request.suite).map((file) => ({ file, role: 'config' as const })),
    ...(request.scenario === null ? [] : [{ file: request.scenario, role: 'scenario' as const }]),
    ...fixtureFiles(request.evalCase.files, declaration).map(({ file }) => ({
      file,
      role: 'fixture' as const,
      ...baseOf(file, request.evalCase.files),
    })),
    ...(request.evalCase.overlays ?? []).flatMap((overlay) =>
      listOverlay(overlay, skill?.projectRoot ?? request.package.root).files.map(({ file }) => ({
        file,
        role: 'overlay' as const,
      })),
    ),
    ...fixtureFiles(copied, declaration).map(({ file }) => ({ file, role: 'workspace-file' as const })),
  ]
  const once = new Map(all.map((input) => [`${input.role}:${input.file}`, input]))
  return [...once.values()].map((input) => {
    const path = pathFrom(request.package.reportRoot ?? request.package.root, input.file)
    return { ...input, path, part: null }
  })
}

/** Files of a folder of one case; more is an accident such as a dependency folder. */
const MAX_FILES = 10_000

// A file is named itself, or is in a folder that is.
function baseOf(file: string, named: EvalCase['files']): Pick<Input, 'base'> {
  const base = named.find(({ from }) => file === from || file.startsWith(`${from}${sep}`))?.base
  return base === undefined ? {} : { base }
}

/** Absolute paths of the files that say how golden tests are judged. */
export function judgedBy({ agent }: Partial<Pick<Suite, 'agent'>>): readonly string[] {
  return agent === undefined ? [] : [agent.rubric.file, agent.judge.file]
}
