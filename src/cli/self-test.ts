import { setMaxListeners } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProvider, kindOf } from '../case/judge/judge-case.ts'
import { missingFor, noJudge } from '../case/judge/require-judge.ts'
import { openGateway } from '../case/open-gateway.ts'
import { requirePrice } from '../case/prepare/resolve-engine.ts'
import { subscriptionCredential } from '../gateway/credentials.ts'
import { createRedactor } from '../gateway/redact.ts'
import { chooseJudge } from '../judges/choose.ts'
import { knownKindsIn } from '../judges/known-kinds.ts'
import { testJudge, type SelfTest } from '../judges/self-test.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { percent, wilsonInterval, type Interval } from '../lib/rates.ts'
import { dollars, plural, toPrintableLine } from '../lib/text.ts'
import { nearest } from '../options/settings.ts'
import type { AuditEntry } from '../report/golden/run-log.ts'
import { kappaInterval, type Kappa } from '../report/statistics/tests.ts'
import { settleSandbox } from '../sandbox/decide.ts'
import { searchFolder } from './find/search.ts'
import { print } from '../report/summary/terminal.ts'
import { pickOptions, type RunArguments } from './run-arguments.ts'

/** Options of `agent-evals audit --self-test`. */
export const SELF_TEST_OPTIONS = pickOptions('judge', 'maxCostUsd', 'allowUnknownCost')

/**
 * Puts verdicts that a person has given to the user's own judge, within the budget, and prints how often it errs.
 *
 * @throws {AgentEvalsError} `no-judge`, `unknown-price`.
 */
export async function selfTest(environment: RunArguments['environment']): Promise<number> {
  const root = process.cwd()
  const { options } = await searchFolder(root, { ...process.env, ...environment })
  const judgeName = nearest<string | null>(options.judge, null, null)
  if (judgeName === null) throw new AgentEvalsError('no-judge', 'No judge is named. Name yours: --judge claude-sonnet.')
  const unknown = { engine: 'claude-code', model: null, modelAsked: null }
  const choice = chooseJudge(judgeName, unknown, subscriptionCredential(process.env))
  if (missingFor(choice) !== null) throw noJudge([choice])
  requirePrice({ model: choice.model, wire: kindOf(choice).wire }, options)
  const sandbox = await settleSandbox(options.sandbox, { environment: process.env, root })
  const provider = await findProvider(choice, { engines: options.engines, root, sandbox }, { kind: 'live' })
  const folder = await mkdtemp(join(tmpdir(), 'agent-evals-'))
  const gateway = await openGateway(options)
  const stop = new AbortController()
  // All questions wait for it at once.
  setMaxListeners(0, stop.signal)
  const interrupt = (): void => stop.abort()
  for (const signal of SIGNALS) process.once(signal, interrupt)
  try {
    print(`Puts 60 known verdicts to ${choice.provider}:${choice.model}, for at most ${dollars(options.maxCostUsd)}.`)
    const { controlSocket } = gateway
    const knownKinds = knownKindsIn(folder)
    const tested = await testJudge({ choice, provider, controlSocket, knownKinds, signal: stop.signal })
    if (stop.signal.aborted) return INTERRUPTED
    const redactor = createRedactor(process.env)
    print(formatSelfTest(tested).map((line) => toPrintableLine(redactor.text(line))))
    return tested.verdicts.some(({ verdict }) => verdict === null) ? 2 : 0
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
    await gateway.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const INTERRUPTED = 130

function formatSelfTest({ verdicts, costUsd }: SelfTest): readonly string[] {
  const answered = verdicts.filter(({ verdict }) => verdict !== null)
  const holding = answered.filter(({ holds }) => holds)
  const others = answered.filter(({ holds }) => !holds)
  const failed = holding.filter(({ verdict }) => verdict === 'fail')
  const unscored = holding.filter(({ verdict }) => verdict === 'unscored')
  const passed = others.filter(({ verdict }) => verdict === 'pass')
  const kinds = verdicts.flatMap(({ isKindRight }) => isKindRight ?? [])
  const silent = verdicts.find(({ verdict }) => verdict === null)
  const rows: readonly (readonly [string, string])[] = [
    ['Wrongly passed', describeShare(share(passed.length, others.length), 'verdict')],
    ['Wrongly not passed', describeShare(share(failed.length + unscored.length, holding.length), 'verdict')],
    ['  of these failed', String(failed.length)],
    ['  of these unscored', String(unscored.length)],
    ['Kinds right', describeShare(share(kinds.filter(Boolean).length, kinds.length), 'answer')],
    ['Cost', costUsd === null ? 'unknown' : dollars(costUsd)],
  ]
  return [
    ...rows.map(([label, value]) => `${label.padEnd(20)} ${value}`),
    ...(silent === undefined
      ? []
      : [`${plural(verdicts.length - answered.length, 'verdict')} not given: ${silent.reason}`]),
    ...[...passed, ...failed, ...unscored].map(
      ({ statement, holds, verdict, reason }) =>
        `  ${verdict} instead of ${holds ? 'pass' : 'fail'}: ${statement} (${reason})`,
    ),
  ]
}

/** A share with the interval of the true one. */
interface Share {
  readonly count: number
  readonly of: number
  readonly interval: Interval | null
}

/** How far a judge can be believed, by what people say of its decisions. */
export interface AuditStatistics {
  /** Labels of the judge as it is now. */
  readonly labels: number
  readonly agreement: Share
  /** Of what a person would pass, the share that the judge passed. */
  readonly truePositives: Share
  /** Of what a person would fail, the share that the judge failed. */
  readonly trueNegatives: Share
  /** Agreement beyond chance; `null` with fewer than 20 labels, or where it is not defined. */
  readonly kappa: Kappa | null
}

/** A judge whose labels count. */
export interface CurrentJudge {
  readonly model: string | null
  readonly hash: string
}

/** The last label of each decision. A later one corrects an earlier one. */
export function lastLabels(entries: readonly AuditEntry[]): readonly AuditEntry[] {
  const labels = new Map<string, AuditEntry>()
  for (const entry of entries) if (entry.event !== 'sampled') labels.set(entry.decision, entry)
  return [...labels.values()]
}

/** Every judge that has labels, the last one first: another prompt makes another judge. */
export function labelledJudges(entries: readonly AuditEntry[]): readonly CurrentJudge[] {
  const judges = lastLabels(entries).map(({ judge_model: model, judge_hash: hash }) => ({ model, hash }))
  return [...new Map(judges.map((judge) => [JSON.stringify(judge), judge])).values()].toReversed()
}

/** Computes what the labels say of a judge. */
export function auditStatistics(entries: readonly AuditEntry[], judge: CurrentJudge): AuditStatistics {
  const labels = lastLabels(entries).filter(
    ({ judge_hash: hash, judge_model: model }) => hash === judge.hash && model === judge.model,
  )
  const count = (event: AuditEntry['event'], verdict: AuditEntry['verdict']): number =>
    labels.filter((entry) => entry.event === event && entry.verdict === verdict).length
  // Who disagrees with a verdict would have given the other one.
  const table = {
    bothPass: count('agree', 'pass'),
    bothFail: count('agree', 'fail'),
    judgePassed: count('disagree', 'pass'),
    judgeFailed: count('disagree', 'fail'),
  }
  return {
    labels: labels.length,
    agreement: share(table.bothPass + table.bothFail, labels.length),
    truePositives: share(table.bothPass, table.bothPass + table.judgeFailed),
    trueNegatives: share(table.bothFail, table.bothFail + table.judgePassed),
    kappa: labels.length < FEWEST_FOR_KAPPA ? null : kappaInterval(table),
  }
}

/** With fewer labels kappa says more about luck than about the judge. */
export const FEWEST_FOR_KAPPA = 20

/** A share of what was counted. */
function share(count: number, of: number): Share {
  return { count, of, interval: wilsonInterval(count, of) }
}

/** A share for reading, such as `50% (1 of 2; 9% to 91%)`. `unit`: what is counted. */
export function describeShare({ count, of, interval }: Share, unit = 'label'): string {
  if (interval === null) return `unknown (no ${unit})`
  return `${percent(count / of)} (${count} of ${of}; ${percent(interval[0])} to ${percent(interval[1])})`
}
