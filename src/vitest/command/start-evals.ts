import { resolve } from 'node:path'
import { startVitest, type Vite, type Vitest } from 'vitest/node'
import { nameCases } from '../plugin/case-planner.ts'
import type { NamedCases } from '../../case/plan/plan.ts'
import { askBeforeSpending } from '../reporter/confirm-spending.ts'
import { brokenConfiguration } from './broken-configuration.ts'
import { evalsUnlessConfigured, type OurProject } from './evals-unless-configured.ts'
import { exitCodeOf } from './exit-code.ts'
import { holdOutput } from './hold-output.ts'
import { loadUnwritable } from './load-unwritable.ts'
import { readEnding } from './read-ending.ts'
import type { VitestArguments } from './vitest-arguments.ts'

interface EvalsToStart extends VitestArguments {
  /** What is named of the cases of suite files; `null`: all. */
  readonly cases: NamedCases | null
  /** Whether a terminal is asked once before anything is spent. */
  readonly asks: boolean
}

/** Runs the project of the evals, with the user's configuration or without any. Resolves to the exit code. */
export function startEvals({ cases, asks, ...args }: EvalsToStart): Promise<number> {
  nameCases(cases)
  askBeforeSpending(asks)
  return startVitestCommand('evals', args)
}

/** Runs one of our projects. Resolves to the exit code. */
export async function startVitestCommand(kind: OurProject, { filters, options }: VitestArguments): Promise<number> {
  const namesProjects = options.project !== undefined
  const vitest = await start(filters, options, [evalsUnlessConfigured(namesProjects, kind)])
  const code = exitCodeOf(readEnding(vitest, process.exitCode))
  if (!vitest.shouldKeepServer()) await leave(vitest, code)
  return code
}

// Vite prints a configuration that cannot be loaded before it throws, and the bundler prints it as a picture.
async function start(
  filters: VitestArguments['filters'],
  options: VitestArguments['options'],
  plugins: Vite.Plugin[],
): Promise<Vitest> {
  const output = holdOutput()
  const isLoaded = { now: false }
  const loaded: Vite.Plugin = {
    name: 'agent-evals:loaded',
    enforce: 'pre',
    config() {
      isLoaded.now = true
      output.release()
    },
  }
  try {
    return await loadUnwritable((loader) =>
      startVitest('test', [...filters], { ...options, ...loader }, { plugins: [loaded, ...plugins] }),
    )
  } catch (error) {
    if (isLoaded.now) throw error
    const folder = resolve(options.root ?? '.')
    const file = typeof options.config === 'string' ? resolve(folder, options.config) : undefined
    throw brokenConfiguration(error, { folder, file, advice: '' })
  } finally {
    output.drop()
  }
}

// Vitest gives what still runs a while and then ends the process by itself: the code must be known by then.
async function leave(vitest: Vitest, code: number): Promise<void> {
  process.exitCode = code
  await vitest.exit()
}
