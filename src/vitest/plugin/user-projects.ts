import { readFile } from 'node:fs/promises'
import { importsFixture } from '../../suites/discover.ts'
import { projectCommand } from '../../rerun-command.ts'
import type { TestSpecification, Vitest } from 'vitest/node'
import type { RunSettings } from '../../settings.ts'
import type { EvalsReporter } from '../reporter/evals-reporter.ts'
import '../provided.ts'

/** A run that serves tests: its gateway is open. */
export interface ServedRun {
  readonly settings: RunSettings
  readonly reporter: EvalsReporter
}

/** What guests come to. */
export interface Hosts {
  readonly vitest: Vitest
  /** Names of the projects that are not guests. */
  readonly ownNames: readonly string[]
  /** The run that is served anyway; `null` when only guests need one. */
  readonly served: ServedRun | null
  /** Opens a run for guests alone. */
  readonly open: () => Promise<ServedRun>
  /** Files of guests, by their absolute path; filled before each pass. */
  readonly guests: Set<string>
}

/**
 * Reports a run, and lets tests of the user's own projects run agents too: nothing is started before one of their files
 * imports this package.
 */
export function reportWithGuests({ vitest, ownNames, served, open, guests }: Hosts): EvalsReporter {
  let run = served
  return {
    isRunning: () => run?.reporter.isRunning() === true,
    async onTestRunStart(specifications) {
      const found = await findGuests(specifications, ownNames)
      for (const { moduleId } of found) guests.add(moduleId)
      if (found.length > 0) run ??= await open()
      if (run === null) return
      for (const project of new Set(found.map((guest) => guest.project)))
        project.provide('agentEvals', settingsOfGuest(run.settings, project.name, vitest))
      await run.reporter.onTestRunStart?.(specifications)
    },
    onTestModuleCollected: (module) => run?.reporter.onTestModuleCollected?.(module),
    onTestModuleEnd: (module) => run?.reporter.onTestModuleEnd?.(module),
    onTestRunEnd: (...ended) => run?.reporter.onTestRunEnd?.(...ended),
  }
}

async function findGuests(
  specifications: readonly TestSpecification[],
  ownNames: readonly string[],
): Promise<readonly TestSpecification[]> {
  const others = specifications.filter(({ project }) => !ownNames.includes(project.name))
  const answers = await Promise.all(others.map(async ({ moduleId }) => importsFixture(await readText(moduleId))))
  return others.filter((_, index) => answers[index])
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    // A module that is no file is for Vitest to complain about.
    return ''
  }
}

function settingsOfGuest(settings: RunSettings, project: string, { config, vite }: Vitest): RunSettings {
  const { cwd, root } = settings
  const configFile = vite.config.configFile ?? null
  const named = projectCommand({ program: process.argv[1], cwd, root: config.root, configFile, project })
  return {
    ...settings,
    // Most tests of a project of the user's own run no agent.
    matrix: { environment: null, option: null },
    project,
    root,
    // A project may have no name.
    command: named.replace(" --project ''", ''),
    liveForbidden: settings.liveForbidden ?? 'a test of your own project only replays unless it is told to',
  }
}
