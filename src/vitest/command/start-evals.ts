import { resolve } from 'node:path'
import { startVitest, type TestCase, type Vite, type Vitest } from 'vitest/node'
import type { NamedCases } from '../../case/plan/plan.ts'
import type { GateResult } from '../../report/compare/comparison-schema.ts'
import type { ReportStatus } from '../../report/results/result.ts'
import { readOwnRunEnd } from '../../report/results/run-folder.ts'
import { nameCases } from '../plugin/case-planner.ts'
import '../provided.ts'
import { askBeforeSpending } from '../reporter/announce-live.ts'
import { brokenConfiguration, evalsUnlessConfigured, loadUnwritable, type OurProject } from './read-configuration.ts'
import { holdOutput } from './read-tests.ts'
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
  const vitest = await start(filters, options, [evalsUnlessConfigured([options.project ?? []].flat(), kind)])
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

/** Reads how a run ended from its tests and its reports. */
export function readEnding(vitest: Vitest, exitCode: number | string | null | undefined): RunEnding {
  const modules = vitest.state.getTestModules()
  const outcomes = modules.flatMap((module) => [...module.children.allTests()]).map(outcomeOf)
  const count = (outcome: string): number => outcomes.filter((one) => one === outcome).length
  const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0)
  return {
    failed: count('failed'),
    errored: count('errored') + broken.length + vitest.state.getUnhandledErrors().length,
    // A closed Vitest has forgotten what its projects were given, and with it the folder of the run.
    ...ownEnd(vitest),
    exitCode: Number(exitCode ?? 0),
  }
}

function ownEnd({ config }: Vitest): Pick<RunEnding, 'gate' | 'status'> {
  const end = readOwnRunEnd(config.root)
  return { status: end?.status ?? null, gate: end?.gate ?? null }
}

// A case says itself how it came out, and one for comparison or in quarantine counts for nothing here; another test was not completed when what it threw is an error of ours.
function outcomeOf(test: TestCase): string {
  const meta = test.meta().agentEvals
  if (meta !== undefined) return meta.arm === undefined && meta.quarantined === undefined ? meta.outcome : 'apart'
  const { state, errors } = test.result()
  if (state !== 'failed') return state
  return errors.length > 0 && errors.every(({ name }) => name === 'AgentEvalsError') ? 'errored' : 'failed'
}

/** How a run ended, as far as its exit code goes. */
export interface RunEnding {
  readonly failed: number
  readonly errored: number
  /** Of the reports; `null` when none were written. */
  readonly status: ReportStatus | null
  /** What the gate found; `null` where there was none. */
  readonly gate: GateResult['verdict'] | null
  /** What Vitest, its reporters or ours made of it. */
  readonly exitCode: number
}

/** 1 when anything failed, else 2 when anything is unknown; 130 when the run was stopped. */
export function exitCodeOf({ failed, errored, status, gate, exitCode }: RunEnding): number {
  if (status === 'interrupted' || INTERRUPTED.has(exitCode)) return 130
  if (failed > 0 || gate === 'failed') return 1
  // What is red without a failure could not be completed: nothing ran, a worker was lost, nothing was found.
  return errored > 0 || status === 'partial' || exitCode !== 0 ? 2 : 0
}

// SIGINT and SIGTERM.
const INTERRUPTED: ReadonlySet<number> = new Set([130, 143])
