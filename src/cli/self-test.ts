import { setMaxListeners } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProvider, kindOf } from '../case/judge/judge-case.ts'
import { missingFor, noJudge } from '../case/judge/require-judge.ts'
import { requirePrice } from '../case/prepare/require-price.ts'
import { AgentEvalsError } from '../errors.ts'
import { dollars } from '../gateway/budget/dollars.ts'
import { openGateway } from '../case/open-gateway.ts'
import { subscriptionCredential } from '../gateway/secrets/credentials.ts'
import { chooseJudge } from '../judges/choose.ts'
import { testJudge, type SelfTest } from '../judges/self-test.ts'
import { knownKindsIn } from '../judges/statements/known-kinds.ts'
import { createRedactor } from '../results/redact.ts'
import { toPrintableLine } from '../results/printable.ts'
import { settleSandbox } from '../sandbox/decide.ts'
import { nearest } from '../settings.ts'
import { describeShare, share } from './audit-statistics.ts'
import { searchFolder } from './find/search.ts'
import { pickOptions } from './run-arguments.ts'
import { plural, print } from './output/terminal.ts'
import type { RunArguments } from './run-arguments.ts'

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
  const asked = nearest<string | null>(options.judge, null, null)
  if (asked === null) throw new AgentEvalsError('no-judge', 'No judge is named. Name yours: --judge claude-sonnet.')
  const unknown = { engine: 'claude-code', model: null, modelAsked: null }
  const choice = chooseJudge(asked, unknown, subscriptionCredential(process.env))
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
