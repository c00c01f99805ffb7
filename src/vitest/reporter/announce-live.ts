import { createInterface } from 'node:readline/promises'
import type { TestSpecification, Vitest } from 'vitest/node'
import { inItsVersion, subjectOfSuite } from '../../formats/before.ts'
import { kindOf } from '../../case/judge/judge-case.ts'
import { judgesOf, missingFor } from '../../case/judge/require-judge.ts'
import { countRuns, identifyCase, type TestFile } from '../../case/plan/plan-case.ts'
import { chooseSource, isLiveAllowed } from '../../case/prepare/choose-source.ts'
import { createCosts, liveModelOf, mayGoLive, type CostOfRun } from '../../case/prepare/expect-case.ts'
import { askedOf, engineNamed } from '../../case/prepare/resolve-engine.ts'
import type { Arm, EvalCase, Suite } from '../../formats/suite.ts'
import { describeUnpriced, type AskedModel } from '../../gateway/budget/price.ts'
import { addCosts, describeCost } from '../../gateway/budget/spending.ts'
import { hasCredential } from '../../gateway/credentials.ts'
import { upstreamKind } from '../../gateway/leases/lease.ts'
import type { ChosenJudge } from '../../judges/choose.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { countTo, firstOf, sumOf } from '../../lib/lists.ts'
import { dollars, toPrintableLine } from '../../lib/text.ts'
import type { RunSettings } from '../../options/settings.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { isCi } from '../../sandbox/environment.ts'
import { createInputCache, type InputCache } from '../../session/inputs/input-cache.ts'
import { isBroken } from './create-plan.ts'
import { isStdoutTaken } from './progress.ts'
import type { EvalsReporterOptions, SpendingGuard } from './reporter-options.ts'
import { printBy } from '../../report/summary/terminal.ts'

/** The lines before anything is spent; `null` when no case goes live. */
export async function announceLive(
  specifications: readonly TestSpecification[],
  testFiles: readonly Pick<TestFile, 'file'>[],
  options: EvalsReporterOptions,
): Promise<string | null> {
  const { settings, store } = options
  if (!isLiveAllowed(settings)) return null

  const costOf = createCosts()
  const inputs = createInputCache()
  const live: LiveCase[] = []
  for (const specification of specifications) {
    const suite = await store.load(specification.moduleId)
    if (isBroken(suite)) continue
    for (const evalCase of await options.planner.of(suite)) {
      const { id, engineName } = identifyCase(suite, evalCase, settings)
      const versioned = inItsVersion({ suite, evalCase }, settings)
      if (versioned.evalCase.skipped !== undefined) continue
      const runs = await listLive({ ...versioned, engineName, settings, store, inputs })
      if (runs.length === 0) continue
      const cost = costOf(id, { suite, evalCase, engine: engineName, model: settings.model })
      live.push({ runs, cost, arm: evalCase.arm ?? 'with_skill' })
    }
  }
  const ofTests = testFiles.length === 0 ? [] : [describeTestFiles(testFiles, settings)]
  // Whether they have recordings is known when they run: the first without one is announced then.
  if (live.length === 0) return settings.source === 'auto' ? null : (ofTests[0] ?? null)
  const runs = live.flatMap((one) => one.runs)
  const named = runs.flatMap(({ model, wire, priced = [] }): AskedModel[] => [
    ...(model === null ? [] : [{ model, wire }]),
    ...priced,
  ])
  const unpriced = describeUnpriced(named, settings.prices)
  const lines = [
    describeCosts(live, settings.maxCostUsd),
    describeModels(runs),
    ...ofTests,
    ...(unpriced === null ? [] : [`agent-evals: ${unpriced}`]),
  ]
  return lines.join('\n')
}

// Each run has answers of its own: some may be recorded and others not.
async function listLive(request: CaseToFind): Promise<readonly LiveRun[]> {
  const runs = countTo(countRuns(request.evalCase, request.settings))
  const live = await Promise.all(runs.map((run) => findLive(request, run)))
  return live.filter((one) => one !== null)
}

/** What a live run asks. */
export interface LiveRun {
  readonly engine: string
  /** `null` where only the run shows which model the engine takes. */
  readonly model: string | null
  /** Whether nothing but the engine names that model. */
  readonly isDefault: boolean
  readonly wire: AskedModel['wire']
  /** `null` where none is asked, `unknown` for the model of the agent where that is. */
  readonly judge: string | null
  /** Those that are asked where it cannot be, in their order. */
  readonly judgesAfter?: readonly string[]
  /** Whether that is the model of the agent because no judge was named. */
  readonly judgesItself?: boolean
  /** Its judge with its API, where it is known before the run. */
  readonly priced?: readonly AskedModel[]
  /** Whether it is played from a recording that may turn out to be stale. */
  readonly isRecorded: boolean
}

interface CaseToFind {
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: EvalCase
  readonly engineName: string
  readonly settings: RunSettings
  readonly store: EvalsReporterOptions['store']
  readonly inputs: InputCache
}

async function findLive(request: CaseToFind, run: number): Promise<LiveRun | null> {
  const { suite, evalCase, engineName, settings, store, inputs } = request
  try {
    const engine = await engineNamed(engineName, settings)
    const resolved = askedOf(engine, request, settings)
    // Without a key nothing is spent: the case says what is missing.
    if (!hasCredential(resolved.wire, process.env)) return null
    const source = await chooseSource({ ...request, ...resolved, run })
    if (source.name === null) return null
    const isRecorded = source.recording !== null
    if (!isRecorded && upstreamKind(source.answers) !== 'live') return null
    const named = isRecorded ? (source.whenStale?.model ?? source.model) : source.model
    const model = liveModelOf(engine, named, settings.prices)
    const [chosen, ...others] = judgesToAsk({ suite, evalCase, settings, engineName, model })
    const judge = chosen === undefined ? null : chosen === 'unknown' ? chosen : chosen.model
    const found: LiveRun = {
      engine: engineName,
      model,
      isDefault: named === null,
      wire: resolved.wire,
      judge,
      isRecorded,
      ...(chosen === undefined || chosen === 'unknown'
        ? {}
        : { judgesItself: chosen.isDefault, priced: [{ ...chosen, wire: kindOf(chosen).wire }] }),
      judgesAfter: others.flatMap((other) => (other === 'unknown' ? [] : [other.model])),
    }
    if (!isRecorded) return found
    const pkg = await store.packageFor(...subjectOfSuite(suite, evalCase))
    const scenario = source.scenario?.file ?? null
    return (await mayGoLive(source, { suite, evalCase, package: pkg, scenario }, judge, inputs)) ? found : null
  } catch {
    // The case itself says what is wrong with it.
    return null
  }
}

// A list of judges is tried in its order.
function judgesToAsk(request: Parameters<typeof judgesOf>[0]): readonly (ChosenJudge | 'unknown')[] {
  const judges = judgesOf(request) ?? []
  if (judges === 'unknown' || judges.length === 0) return judges === 'unknown' ? [judges] : []
  const open = judges.filter((judge) => missingFor(judge) === null)
  return open.length === 0 ? ['unknown'] : open
}

/** A case of which some runs go live. */
export interface LiveCase {
  /** Those that go live. */
  readonly runs: readonly LiveRun[]
  /** Of one of them. */
  readonly cost: CostOfRun
  readonly arm: Arm | 'with_skill'
}

/** What live cases are about to cost, by what they cost before, and what limits it. Unknown costs are never guessed. */
export function describeCosts(live: readonly LiveCase[], maxCostUsd: number): string {
  const sums = live.map(({ runs, cost }) => ({
    usd: cost.usd === null ? null : cost.usd * runs.length,
    knownUsd: cost.knownUsd * runs.length,
  }))
  const cost = describeCost(addCosts(sums))
  const source = cost === 'unknown' ? '' : ' by earlier runs and recordings'
  const limit = `at most ${dollars(maxCostUsd)} (--max-cost-usd)`
  return `agent-evals: ${describeCases(live)}; estimated cost ${cost}${source}, ${limit}; --source replay never spends`
}

/** Which models live runs ask, for agents and for judges. */
export function describeModels(runs: readonly LiveRun[]): string {
  const models = new Set(
    runs.map(({ engine, model, isDefault }) => {
      if (model === null) return `unknown (${engine} chooses it)`
      return isDefault ? `${model} (default of ${engine})` : model
    }),
  )
  const judges = new Set(
    runs.flatMap(({ judge, judgesAfter = [] }) => (judge === null ? [] : [[judge, ...judgesAfter].join(', else ')])),
  )
  const own = new Set(runs.flatMap(({ judge, judgesItself = false }) => (judgesItself ? (judge ?? []) : [])))
  // Each model would be measured by a judge of its own, and its rate compared with those of the others.
  const bias = own.size > 1 ? ' (each model judges its own runs; set one judge for all with --judge MODEL)' : ''
  return `agent-evals: model: ${[...models].join(', ')}; judge: ${judges.size === 0 ? 'none' : [...judges].join(', ')}${bias}`
}

// What they ask is known when they run.
function describeTestFiles(files: readonly Pick<TestFile, 'file'>[], { root }: Pick<RunSettings, 'root'>): string {
  const names = files.map(({ file }) => toPrintableLine(pathFrom(root, file)))
  return `agent-evals: tests in TypeScript, live calls unknown: ${firstOf(names, MOST_NAMES).join(', ')}`
}

const MOST_NAMES = 8

function describeCases(live: readonly LiveCase[]): string {
  const recorded = live.filter(({ runs }) => runs.every(({ isRecorded }) => isRecorded)).length
  const without = live.filter(({ arm }) => arm === 'without_skill').length
  const runs = sumOf(live, (one) => one.runs.length)
  const cases = live.length === 1 ? '1 case goes live' : `${live.length} cases go live`
  const ifStale = live.length === 1 ? ' if its recording is stale' : ' if their recordings are stale'
  const some = recorded === 0 ? '' : `, ${recorded} of them only if their recordings are stale`
  const stale = recorded === live.length ? ifStale : some
  const before = live.filter(({ arm }) => arm === 'variant').length
  const arms = [
    ...(without === 0 ? [] : [`, ${without} of them without the skill`]),
    ...(before === 0 ? [] : [`, ${before} of them with the version before`]),
  ].join('')
  return `${cases}${stale}${arms}${runs === live.length ? '' : `, in ${runs} runs`}`
}

const ASKS = Symbol.for('vitest-agent-evals:ask-before-spending')

/** Makes the runs of this process ask once, where a person can answer, before their first request to a model. */
export function askBeforeSpending(asks: boolean): void {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !isCi(process.env)
  // Symbols of the registry, since another copy of this module may be loaded, as pnpm installs them.
  Reflect.set(globalThis, ASKS, asks && isTerminal)
}

/** Creates the guard of one Vitest process. */
export function guardSpending(
  vitest: Pick<Vitest, 'config' | 'exit' | 'logger'>,
  { maxCostUsd }: { readonly maxCostUsd: number },
): SpendingGuard {
  // What begins before the first pass is prepared for it, and spends nothing.
  let unforeseen: Promise<void> | null = Promise.resolve()
  const say = (line: string): void =>
    isStdoutTaken(vitest) ? printBy(vitest.logger, 'error', line) : printBy(vitest.logger, 'log', line)
  const announceLate = async (caseId: string): Promise<void> => {
    const limit = `cost unknown, at most ${dollars(maxCostUsd)} (--max-cost-usd)`
    say(`agent-evals: without a current recording, goes live: ${toPrintableLine(caseId)}; others may follow; ${limit}`)
    if (!mustAsk()) return
    // Vitest redraws its lines meanwhile, so the question is a line as well.
    say(`agent-evals: ${QUESTION}`)
    const terminal = createInterface({ input: process.stdin })
    const answer = await new Promise<string>((resolve) =>
      terminal.once('line', resolve).once('close', () => resolve('')),
    )
    terminal.close()
    if (isYes(answer)) return
    throw new AgentEvalsError('spending-declined', 'The question whether to run live was answered with no.')
  }
  return {
    async begin(announced) {
      unforeseen = announced === null ? null : Promise.resolve()
      if (announced === null) return
      printBy(vitest.logger, 'log', announced)
      if (!mustAsk()) return
      const terminal = createInterface({ input: process.stdin, output: process.stdout })
      const answer = await terminal.question(`agent-evals: ${QUESTION} `).catch(() => '')
      terminal.close()
      if (isYes(answer)) return
      say('agent-evals: nothing was run or spent. --source replay plays only what is recorded.')
      process.exitCode = 2
      await vitest.exit(true)
    },
    beforeSpending: (caseId) => (unforeseen ??= announceLate(caseId)),
  }
}

const QUESTION = 'Run them live? --yes does not ask. [y/N]'

/** Whether this process has yet to ask before it spends. */
export function mayAsk(): boolean {
  return Reflect.get(globalThis, ASKS) === true
}

function mustAsk(): boolean {
  const asks = mayAsk()
  Reflect.set(globalThis, ASKS, false)
  return asks
}

function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim())
}
