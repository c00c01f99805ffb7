import { existsSync } from 'node:fs'
import { basename, isAbsolute, resolve } from 'node:path'
import type { TestSpecification, Vite, Vitest } from 'vitest/node'
import { importsFixture } from '../../formats/discover.ts'
import { tryReadText } from '../../lib/files.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { RunSettings } from '../../options/settings.ts'
import { projectCommand } from '../../report/rerun-command.ts'
import type { AgentEvalsApi } from '../provided.ts'
import type { EvalsReporter } from '../reporter/evals-reporter.ts'
import { tellFirst } from '../reporter/one-pass-at-a-time.ts'

/** A run that serves tests: its gateway is open. */
export interface ServedRun {
  readonly settings: RunSettings
  readonly reporter: EvalsReporter
  /** Whether its reporter may ask a person something when it is told of a pass. */
  readonly mayAsk: boolean
}

/** What reports the user's own projects. */
interface Hosts {
  readonly vitest: Vitest
  /** Names of the projects that this plugin adds. */
  readonly ownNames: readonly string[]
  /** The run that is served anyway; `null` when only user projects need one. */
  readonly served: ServedRun | null
  /** Opens a run for user projects alone. */
  readonly open: () => Promise<ServedRun>
  /** Files of user projects, by their absolute path; filled before each pass. */
  readonly userProjects: Set<string>
}

/**
 * Reports a run, and lets tests of the user's own projects run agents too: nothing is started before one of their files
 * imports this package.
 */
export function reportWithUserProjects({ vitest, ownNames, served, open, userProjects }: Hosts): EvalsReporter {
  let run = served
  const reporter: EvalsReporter = {
    isRunning: () => run?.reporter.isRunning() === true,
    refresh: async () => run?.reporter.refresh(),
    async onTestRunStart(specifications) {
      const found = findUserProjects(specifications, ownNames)
      for (const { moduleId } of found) userProjects.add(moduleId)
      if (found.length > 0) run ??= await open()
      if (run === null) return
      for (const project of new Set(found.map((specification) => specification.project)))
        project.provide('agentEvals', settingsOfUserProject(run.settings, project.name, vitest))
      await run.reporter.onTestRunStart?.(specifications)
    },
    onTestModuleCollected: (module) => run?.reporter.onTestModuleCollected?.(module),
    onTestModuleEnd: (module) => run?.reporter.onTestModuleEnd?.(module),
    onTestRunEnd: (...ended) => run?.reporter.onTestRunEnd?.(...ended),
  }
  return served?.mayAsk === true ? tellFirst(reporter, vitest) : reporter
}

function findUserProjects(
  specifications: readonly TestSpecification[],
  ownNames: readonly string[],
): readonly TestSpecification[] {
  const others = specifications.filter(({ project }) => !ownNames.includes(project.name))
  // A module that is no file is for Vitest to complain about.
  return others.filter(({ moduleId }) => importsFixture(tryReadText(moduleId) ?? ''))
}

function settingsOfUserProject(settings: RunSettings, project: string, { config, vite }: Vitest): RunSettings {
  // Their tests are not of this project's arms.
  const { before: _, ...rest } = settings
  const { cwd, root } = rest
  const configFile = vite.config.configFile ?? null
  const named = projectCommand({ program: process.argv[1], cwd, root: config.root, configFile, project })
  return {
    ...rest,
    // Most tests of a project of the user's own run no agent.
    engineMatrix: { environment: null, option: null },
    modelMatrix: [],
    project,
    root,
    // A project may have no name.
    command: named.replace(' --project ""', ''),
    liveBlockedReason: settings.liveBlockedReason ?? ONLY_REPLAY,
    ...(settings.requireLive === undefined
      ? {}
      : { requireLive: { ...settings.requireLive, blockedReason: settings.requireLive.blockedReason ?? ONLY_REPLAY } }),
  }
}

const ONLY_REPLAY = 'tests of your own project only replay unless a flag says otherwise'

/** What decides whether the project takes part in a run. */
export interface GateRequest {
  readonly name: string
  readonly when: 'always' | 'named'
  /** Values of `--project`. */
  readonly projects: readonly string[]
  /** File filters of the command line. */
  readonly filters: readonly string[]
  /** Absolute paths of all suite files. */
  readonly suites: readonly string[]
  /** Folder that filters are relative to. */
  readonly root: string
  /** Whether an editor asks, which never starts anything by itself. */
  readonly showOnly: boolean
}

/** Why the project takes part; `null` when it does not. */
export type GateReason = 'always' | 'file-named' | 'project-named' | 'show-only'

/** Paid work is never started by a plain `vitest`: the project, or one of its files, has to be named. */
export function openGate(request: GateRequest): GateReason | null {
  if (request.projects.some((pattern) => namesProject(pattern, request.name))) return 'project-named'
  if (request.when === 'always') return 'always'
  if (request.projects.length === 0 && request.filters.some((filter) => namesSuite(filter, request)))
    return 'file-named'
  return request.showOnly ? 'show-only' : null
}

// `*` alone means "all the usual ones", which is not a name.
function namesProject(pattern: string, name: string): boolean {
  if (pattern.startsWith('!') || pattern === '*') return false
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(name)
}

// A filter is a substring of a path for Vitest. It names a suite when it ends like a file of one, or is the very
// folder of some; `src` must not open the project because `evals/cases/src.yaml` exists.
function namesSuite(filter: string, { suites, root }: GateRequest): boolean {
  const path = filter.replace(/:\d+(?:-\d+)?$/, '')
  if (/\.(?:ya?ml|json|md)$/i.test(path))
    return suites.some((suite) => suite.includes(path) || suite === resolve(root, path))
  const folder = isAbsolute(path) ? path : resolve(root, path)
  const isEvalsFolder = folder.split(/[\\/]/).includes('evals') && existsSync(folder)
  return isEvalsFolder && suites.some((suite) => suite.startsWith(`${folder.replace(/[\\/]$/, '')}/`))
}

/** What a `vitest` command line names. */
interface NamedByCommand {
  readonly filters: readonly string[]
  /** Values of `--project`. */
  readonly projects: readonly string[]
}

/** Reads a `vitest` command line; nothing is named when another program drives Vitest. */
export function readCommand(
  argv: readonly string[],
  parse: (argv: string[]) => {
    readonly filter: readonly string[]
    readonly options: { readonly project?: string | string[] }
  },
): NamedByCommand {
  const program = basename(argv[1] ?? '')
  if (!program.startsWith('vitest')) return { filters: [], projects: [] }
  try {
    const { filter, options } = parse(['vitest', ...argv.slice(2)])
    return { filters: filter, projects: [options.project ?? []].flat() }
  } catch {
    return { filters: [], projects: [] }
  }
}

/** Whether only projects of this plugin are named. */
export function namesOnlyOurs(projects: readonly string[], { projectName, assertName }: AgentEvalsApi): boolean {
  return projects.length > 0 && projects.every((project) => project === projectName || project === assertName)
}

/** Absolute path of the folder below which our projects look for files. */
export function projectRoot(config: Vite.UserConfig, { root }: Pick<ResolvedOptions, 'root'>): string {
  // Vitest 5 keeps the flag `--root` among its own options, Vitest 4 among those of Vite.
  return resolve(config.test?.root ?? config.root ?? process.cwd(), root ?? '.')
}
