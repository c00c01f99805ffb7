import { isPackageInput } from '../inputs/collect.ts'
import { isVerified } from '../results/verified-engines.ts'
import { sha256OfJson } from '../sha256.ts'
import { decidingUse, firedIn } from './assess/count-triggers.ts'
import { isDeciding } from '../transcript/deciding-use.ts'
import type { FirstTurnPlan } from '../agent/first-turn/first-turn-plan.ts'
import { runFirstTurn } from '../agent/first-turn/run-first-turn.ts'
import type { RunEngine } from '../replay/run-recorded.ts'
import type { PreparedRun } from '../replay/prepared-run.ts'
import type { TriggerQuestion } from '../suites/suite.ts'
import type { Run } from './context.ts'

/** Notes the text of a query as early as possible, so that the queries of a suite can be compared with each other. */
export function noteQuery({ suite, evalCase }: Pick<Run, 'evalCase' | 'suite'>): void {
  const known = queries.get(suite) ?? new Set<string>()
  queries.set(suite, known.add(evalCase.prompt))
}

const queries = new WeakMap<object, Set<string>>()

/** Runs a query by its first turn where that can decide it. */
export function runByFirstTurn(
  query: Pick<Run, 'evalCase' | 'settings' | 'suite'>,
  prepared: PreparedRun,
  question: TriggerQuestion,
): RunEngine {
  noteQuery(query)
  const plan = firstTurnPlan(query, prepared, question)
  return (asked) => runFirstTurn(asked, plan)
}

/** How a run of a query is to be decided, and which other queries have the same first request but for their text. */
export function firstTurnPlan(
  { suite, settings }: Pick<Run, 'settings' | 'suite'>,
  { request, inputs, source }: PreparedRun,
  question: TriggerQuestion,
): FirstTurnPlan {
  const { engine, package: pkg, evalCase, sandbox } = request
  const shared = inputs.filter((input) => isPackageInput(input) || input.role === 'overlay' || input.role === 'config')
  const key = {
    engine: [engine.engine.name, engine.executable, engine.version],
    inputs: shared.map(({ file, path, role, hash }) => [file, path, role, hash]),
    skills: pkg.skills.map(({ dir }) => dir),
    overlays: evalCase.overlays ?? [],
    target: evalCase.target,
    config: suite.config,
    sandbox: [sandbox.backend, sandbox.enforced],
    // Its kind of credential is in the request.
    source: [source.answers.kind, source.recording?.credential ?? null],
  }
  return {
    mode: settings.triggers,
    key: sha256OfJson(key),
    others: [...(queries.get(suite) ?? [])],
    overlayPaths: shared.flatMap(({ path, role }) => (role === 'overlay' ? [path] : [])),
    isVerified,
    isSubject: (skill) => isDeciding(skill, decidingUse(question)),
    hasFired: (run) => (run.status === 'completed' ? firedIn(run, question) : null),
  }
}
