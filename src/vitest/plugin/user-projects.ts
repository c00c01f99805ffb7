import '../provided.ts'
import { importsFixture } from '../../suites/discover.ts'
import { projectCommand } from '../../rerun-command.ts'
import type { TestSpecification, Vitest } from 'vitest/node'
import type { RunSettings } from '../../settings.ts'
import type { EvalsReporter } from '../reporter/evals-reporter.ts'
import { readTextFile } from '../../files.ts'

/** A run that serves tests: its gateway is open. */
export interface ServedRun {
  readonly settings: RunSettings
  readonly reporter: EvalsReporter
}

/** What reports the user's own projects. */
export interface Hosts {
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
  return {
    isRunning: () => run?.reporter.isRunning() === true,
    refresh: async () => run?.reporter.refresh(),
    async onTestRunStart(specifications) {
      const found = await findUserProjects(specifications, ownNames)
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
}

async function findUserProjects(
  specifications: readonly TestSpecification[],
  ownNames: readonly string[],
): Promise<readonly TestSpecification[]> {
  const others = specifications.filter(({ project }) => !ownNames.includes(project.name))
  const answers = await Promise.all(others.map(async ({ moduleId }) => importsFixture(await readText(moduleId))))
  return others.filter((_, index) => answers[index])
}

async function readText(file: string): Promise<string> {
  try {
    return readTextFile(file)
  } catch {
    // A module that is no file is for Vitest to complain about.
    return ''
  }
}

function settingsOfUserProject(settings: RunSettings, project: string, { config, vite }: Vitest): RunSettings {
  const { cwd, root } = settings
  const configFile = vite.config.configFile ?? null
  const named = projectCommand({ program: process.argv[1], cwd, root: config.root, configFile, project })
  return {
    ...settings,
    // Most tests of a project of the user's own run no agent.
    engineMatrix: { environment: null, option: null },
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
