import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { variablesAskedFor } from '../../engines/install.ts'
import { isProgram } from '../../engines/find.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { EvalCase } from '../../formats/suite.ts'
import { foldersUpwards, isFile, readTextFile } from '../../lib/files.ts'
import { isJsonObject } from '../../lib/json.ts'
import { sha256OfJson } from '../../lib/sha256.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { Input } from '../../recordings/input.ts'
import type { AgentRequest } from '../../session/agent-request.ts'
import type { InputCache } from '../../session/inputs/input-cache.ts'
import { copiedProject, listProjectFiles } from '../../session/inputs/project-files.ts'

/** A run that is prepared. */
type Surrounded = Pick<
  AgentRequest,
  'engine' | 'evalCase' | 'inputs' | 'package' | 'plugins' | 'projectCopy' | 'sandbox' | 'scenarios' | 'suite'
>

/**
 * Hash of what a session sees beyond the contents of its inputs: which of them are programs, the copy of the project,
 * the programs of hooks, MCP servers and checks, the variables that are passed on, and an engine of the
 * user's own. Another hash may mean another result.
 */
export async function hashSurroundings(
  request: Surrounded,
  files: readonly Pick<Input, 'file' | 'path'>[],
  { checks }: Pick<EvalCase, 'checks'>,
  { engineModules }: Pick<RunSettings, 'engineModules'>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  const packages = request.plugins === undefined || request.plugins.length === 0 ? [request.package] : request.plugins
  const { engine, executable, version } = request.engine
  return sha256OfJson({
    executable: files.flatMap(({ file, path }) => (request.inputs.isExecutable(file) ? [path] : [])),
    project: await hashProject(request),
    programs: programsOf(packages, checks, environment),
    variables: variablesOf(packages, request.sandbox.backend, environment),
    engine: await hashModules(engineModules[engine.name], request.inputs),
    // One that says no version is known by its file.
    program: isProgram(request.engine) && version === null ? stampOf(executable) : null,
  })
}

async function hashProject(request: Surrounded): Promise<readonly (readonly [string, boolean, string])[]> {
  const { suite, evalCase, inputs, projectCopy = true, scenarios = null } = request
  if (suite.skill === undefined || !projectCopy || kindOf(evalCase).isQuery) return []
  const { skill, hidden } = copiedProject({ ...suite, skill: suite.skill }, scenarios)
  const key = `project of ${skill.dir} ${skill.evalsDir} ${skill.projectRoot}`
  return inputs.perPackage(request.package, key, async () => {
    const project = await listProjectFiles(skill, hidden)
    const hashed: (readonly [string, boolean, string])[] = []
    // One after the other: a project may have more files than a process may have open. Of a mode only this is copied.
    for (const { file, path, mode } of project.files) hashed.push([path, (mode & 0o111) !== 0, await inputs.hash(file)])
    return hashed
  })
}

function programsOf(
  packages: readonly AgentPackage[],
  checks: EvalCase['checks'],
  { PATH = '' }: Readonly<Record<string, string | undefined>>,
): readonly (readonly [string, number, number])[] {
  const scripts = checks.flatMap((check) => (check.kind === 'script' ? [check.value] : []))
  const words = new Set([...packages.flatMap(commandsOf), ...scripts].flatMap((command) => command.match(WORD) ?? []))
  const folders = [...PATH.split(delimiter), ...USUAL_FOLDERS].filter(isAbsolute)
  return [...words].toSorted().flatMap((word) => {
    const candidates = word.includes('/') ? [word].filter(isAbsolute) : folders.map((folder) => join(folder, word))
    const file = candidates.find(isFile)
    return file === undefined ? [] : [stampOf(file)]
  })
}

// `=` ends a word, too: a program may be the value of a variable or of an option.
const WORD = /[^\s"'`;|&()<>{}$=]+/g
const USUAL_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin']

function commandsOf({ hookGroups, mcpServers }: AgentPackage): readonly string[] {
  const hooks = hookGroups.flatMap((group) => group.hooks.map((hook) => (hook.type === 'command' ? hook.command : '')))
  const servers = mcpServers.flatMap(({ config }) => {
    const { command, args } = isJsonObject(config) ? config : {}
    return [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string')
  })
  return [...hooks, ...servers]
}

function stampOf(file: string): readonly [string, number, number] {
  const { size, mtimeMs } = statSync(file)
  return [file, size, mtimeMs]
}

// Inside bubblewrap every session has the same.
function variablesOf(
  packages: readonly AgentPackage[],
  backend: string,
  environment: Readonly<Record<string, string | undefined>>,
): readonly (readonly [string, string | null])[] {
  const names = [...(backend === 'bubblewrap' ? [] : ['PATH']), ...packages.flatMap(variablesAskedFor)]
  return names.map((name) => [name, environment[name] ?? null])
}

/** The module of an engine and all that it loads: what is beside it by content, a package by its entry and its manifest. */
async function hashModules(
  entry: string | undefined,
  inputs: Pick<InputCache, 'hash'>,
): Promise<readonly (readonly [string, string])[]> {
  const found = new Map<string, string>()
  const open = entry === undefined ? [] : [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue
    found.set(file, await inputs.hash(file))
    const isInstalled = file.includes('/node_modules/')
    if (isInstalled) open.push(...manifestOf(file))
    if (isInstalled || file.endsWith('.json')) continue
    for (const [, name = ''] of readTextFile(file).matchAll(IMPORTED)) open.push(...moduleNamed(name, file))
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const IMPORTED = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"]([^'"\n]+)['"]/g

function moduleNamed(name: string, from: string): readonly string[] {
  if (name.startsWith('node:')) return []
  const beside = name.startsWith('.') ? resolve(dirname(from), name) : null
  if (beside !== null && isFile(beside)) return [beside]
  try {
    // CommonJS leaves out the end of a name.
    const file = createRequire(from).resolve(name)
    return isAbsolute(file) ? [file] : []
  } catch {
    return []
  }
}

// A new version of a package may have the same entry.
function manifestOf(file: string): readonly string[] {
  const found = foldersUpwards(dirname(file)).find((folder) => isFile(join(folder, 'package.json')))
  return found === undefined ? [] : [join(found, 'package.json')]
}
