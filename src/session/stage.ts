import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Installation } from '../engines/engine.ts'
import type { InstalledCopy } from '../engines/engine.ts'
import { allOf, type Engines } from '../engines/registry.ts'
import type { CasePart, Suite } from '../formats/suite.ts'
import { checkRelativePath, collisionKey } from '../lib/documents/relative-path.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { formatJson } from '../lib/json.ts'
import { pathFrom } from '../packages/package-root.ts'
import type { AgentPackage } from '../packages/package.ts'
import { belowFolder, listFiles, type ListedFile, type Listing } from './inputs/list-files.ts'
import { describeEntry, filesOfCase, fixtureFiles, fixtureRoot, type Declaration } from './inputs/named-files.ts'
import { copiedProject } from './inputs/project-files.ts'
import { copyAll, copyInto, stageBase, writeInto } from './stage-base.ts'
import type { Workspace } from './workspace.ts'

/** What is put into a workspace. */
export interface StageRequest {
  readonly workspace: Pick<Workspace, 'workspace' | 'config' | 'hooks' | 'package'>
  readonly package: AgentPackage
  readonly packageFiles: Listing
  readonly installation: Omit<Installation, 'warnings'>
  readonly suite: Pick<Suite, 'file'> & Partial<Pick<Suite, 'before' | 'packageRoot' | 'skill'>>
  readonly evalCase: CasePart<'arm' | 'files' | 'overlays' | 'workspaceFiles'>
  /** Whether artifact cases of skills get a copy of their project. @default true */
  readonly projectCopy?: boolean
  /** Whose paths and folders count. @default the built-in ones */
  readonly engines?: Engines
  /** Absolute path of a folder of scenarios that is not the package's own. */
  readonly scenarios?: string | null
}

/**
 * Fills a workspace with copies, in the order that decides who wins: the package as a whole beside the workspace,
 * project and overlays of a skill's case, the engine's installation (the skill under test last), fixtures, workspace files. An agent's vault is the workspace itself.
 * A case's own file that would replace what is installed is refused, so nothing wins unnoticed. Returns what the author may
 * not expect, one sentence each.
 */
export async function stageWorkspace(request: StageRequest): Promise<readonly string[]> {
  const { workspace } = request
  try {
    const ownership = createPathOwnership(allOf('ownPaths', request.engines))
    await copyAll(workspace.package, request.packageFiles.files)
    if (request.package.vault === true) await copyAll(workspace.workspace, request.packageFiles.files)
    const laidOut = await layOut(request)
    const warnings = [...laidOut, ...installEngineFiles(request, ownership)]
    await nextTurn()
    placeCaseFiles(request, ownership)
    return warnings
  } catch (cause) {
    if (cause instanceof AgentEvalsError) throw cause
    throw new AgentEvalsError('workspace-failed', describeProblem(cause as NodeJS.ErrnoException, request), { cause })
  }
}

// A file where another part has a folder is a mistake of the case, not of the disk.
function describeProblem({ code = '', message, path, dest }: ErrnoProblem, { workspace }: StageRequest): string {
  if (!CLASHES.has(code))
    return `The workspace could not be filled: ${message}. Free some space, or make that file readable.`
  const place = pathFrom(workspace.workspace, dest ?? path ?? '')
  return `The workspace could not be filled: ${place} would be a file and a folder at once. An overlay, a fixture or a workspace file has a file where another one has a folder. Rename one of them.`
}

type ErrnoProblem = NodeJS.ErrnoException & { readonly dest?: string }

const CLASHES: ReadonlySet<string> = new Set(['EEXIST', 'EISDIR', 'ENOTDIR', 'ERR_FS_EISDIR'])

async function layOut(request: StageRequest): Promise<readonly string[]> {
  const { suite, evalCase, workspace, installation, engines, projectCopy = true, scenarios = null } = request
  const { skill } = suite
  if (skill === undefined) return []
  return stageBase({
    ...copiedProject({ ...suite, skill }, scenarios),
    workspace: workspace.workspace,
    overlayRoot: skill.projectRoot,
    evalCase,
    projectCopy,
    skillsFolder: installation.skillsFolder ?? null,
    engines,
  })
}

function installEngineFiles(request: StageRequest, ownership: PathOwnership): readonly string[] {
  const { installation, workspace, package: pkg } = request
  const warnings: string[] = []
  const claim = (to: string, owner: string): void => {
    const replaced = ownership.install(to, owner)
    if (replaced !== null && replaced !== owner) warnings.push(`${owner} replaces ${to} of ${replaced}.`)
  }
  if (pkg.manifest !== null && pkg.layout === undefined) {
    const { name, version } = pkg.manifest
    claim('package.agent.json', 'the package manifest')
    const manifest = { ...(name !== null && { name }), ...(version !== null && { version }) }
    writeInto(workspace.workspace, 'package.agent.json', formatJson(manifest))
  }
  for (const { to, content } of installation.files) {
    claim(to, 'the package')
    writeInto(workspace.workspace, to, content)
  }
  for (const { from, to, exclude, optional = false } of installation.copies) {
    const owner = pathFrom(pkg.root, from)
    for (const file of partBelow({ from, exclude, optional }, request)) {
      const path = file.path === '' ? to : `${to}/${file.path}`
      claim(path, owner)
      copyInto(workspace.workspace, path, file)
    }
  }
  for (const { to, ...copy } of installation.configCopies ?? []) {
    for (const file of partBelow(copy, request)) copyInto(workspace.config, `${to}/${file.path}`, file)
  }
  for (const { to, content } of installation.configFiles) writeInto(workspace.config, to, content)
  writeInto(workspace.hooks, 'plan.json', formatJson(installation.hookPlan))
  return warnings
}

// What the package's filter left out stays out of the engine's layout too.
function partBelow(
  { from, exclude, optional = false }: Omit<InstalledCopy, 'to'>,
  { package: pkg, packageFiles }: StageRequest,
): readonly ListedFile[] {
  const path = pathFrom(pkg.root, from)
  const single = packageFiles.files.find((file) => file.path === path)
  const found = path.startsWith('../')
    ? listFiles(from).files
    : single === undefined
      ? belowFolder(packageFiles.files, path)
      : [{ ...single, path: '' }]
  const isKept = (entry: { readonly path: string }): boolean =>
    !exclude.some((name) => entry.path === name || entry.path.startsWith(`${name}/`))
  if (found.length > 0 || optional) return found.filter(isKept)
  const reason = packageFiles.leftOut.find((entry) => `${path}/`.startsWith(entry.path.replace(/\/?$/, '/')))?.why
  throw new AgentEvalsError(
    reason === undefined ? 'missing-input' : 'unsafe-path',
    `Nothing to install at ${path}: it ${reason ?? 'is missing or empty'}. Put the files there.`,
  )
}

function placeCaseFiles(request: StageRequest, ownership: PathOwnership): void {
  const { evalCase, workspace } = request
  const declaration = declarationOf(request)
  for (const copy of fixtureFiles(filesOfCase(evalCase), declaration)) {
    ownership.add(copy.to, copy.entry)
    copyInto(workspace.workspace, copy.to, copy)
  }
  for (const { from, to, content, at } of evalCase.workspaceFiles) {
    if (from !== null) continue
    ownership.add(to, describeEntry({ to, at }, declaration))
    writeInto(workspace.workspace, to, content)
  }
}

// The files of a skill's case may lie anywhere in its project.
function declarationOf({ package: pkg, suite }: StageRequest): Declaration {
  return { packageRoot: fixtureRoot(suite, pkg.root), caseFile: suite.file }
}

/** Who owns which path of a workspace, so that nothing is replaced unnoticed. */
interface PathOwnership {
  /** Claims a path for the engine's installation, which may replace its own; returns whose file is replaced. */
  install(path: string, owner: string): string | null
  /** Claims a path for a case's own file; refuses one that is taken, in whatever spelling. */
  add(path: string, entry: string): void
}

/** Starts with the paths of engines and of git: an installation may write there, a case may not. */
function createPathOwnership(reserved: readonly string[]): PathOwnership {
  const files = new Map<string, string>()
  const folders = new Map<string, string>()

  const claim = (path: string, owner: string): void => {
    const segments = collisionKey(path).split('/')
    for (let length = 1; length < segments.length; length += 1) folders.set(segments.slice(0, length).join('/'), owner)
    files.set(segments.join('/'), owner)
  }

  const takenBy = (path: string): string | null => {
    const segments = collisionKey(path).split('/')
    const whole = segments.join('/')
    const above = segments.map((_, index) => files.get(segments.slice(0, index + 1).join('/')))
    return above.find((owner) => owner !== undefined) ?? folders.get(whole) ?? null
  }

  return {
    install(path, owner) {
      assertSafePath(path, `${owner} installs ${JSON.stringify(path)}, which`)
      const replaced = takenBy(path)
      claim(path, owner)
      return replaced
    },
    add(path, entry) {
      assertSafePath(path, entry)
      const folded = collisionKey(path)
      const isOfEngine = reserved.some((one) => folded === one || folded.startsWith(`${one}/`))
      const isReserved = isOfEngine || folded.split('/').includes('.git')
      const owner = isReserved ? 'the engine' : takenBy(path)
      if (owner === null) {
        claim(path, entry)
        return
      }
      throw new AgentEvalsError(
        'unsafe-path',
        `${entry} would replace a file of ${owner}. Give it another path in the workspace.`,
      )
    },
  }
}

/**
 * Refuses a path that could land outside the workspace, or not where it says on some file system.
 * The loader has reported it with line and column; this holds for every path.
 */
function assertSafePath(path: string, entry: string): void {
  const problem = checkRelativePath(path)
  if (problem === null) return
  throw new AgentEvalsError(
    'unsafe-path',
    `${entry} ${problem}. Use a plain path relative to the workspace, such as "src/a.txt".`,
  )
}
