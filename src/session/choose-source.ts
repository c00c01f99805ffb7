import { basename, join } from 'node:path'
import { existsSync } from 'node:fs'
import { AgentEvalsError } from '../errors.ts'
import { hasCredential } from '../gateway/credentials.ts'
import { loadScenario } from '../gateway/sources/load-scenario.ts'
import { formatIssue } from '../suites/issue.ts'
import type { RunSettings } from '../run-settings.ts'
import type { ResultSource } from '../report/result.ts'
import type { EvalCase, Suite } from '../suites/suite.ts'
import type { AnswerSource, WireName } from '../gateway/lease.ts'

/** Where a case's answers come from, or why it is not run. */
export type ChosenSource =
  | { readonly name: ResultSource; readonly answers: AnswerSource; readonly file: string | null }
  | { readonly name: null; readonly reason: string }

/**
 * Chooses between scenario and live API. A hand-written scenario is played unless `live` was asked for.
 *
 * @throws {AgentEvalsError} `invalid-scenario`; `missing-answers` where nothing may be spent and nothing is recorded.
 */
export async function chooseSource(
  suite: Pick<Suite, 'packageRoot'>,
  evalCase: Pick<EvalCase, 'id'>,
  wire: WireName,
  settings: RunSettings,
): Promise<ChosenSource> {
  if (settings.source === 'live') return LIVE
  if (settings.source === 'record')
    throw new AgentEvalsError('invalid-options', 'Recording is not built yet. Use --source live or write a scenario.')

  const file = join(suite.packageRoot, 'evals', 'scenarios', `${basename(evalCase.id)}.yaml`)
  if (existsSync(file))
    return { name: 'scenario', answers: { kind: 'scenario', scenario: await readScenario(file, settings.root) }, file }

  const command = `AGENT_EVALS_SOURCE=live npx vitest run --project ${settings.project} -t '${evalCase.id}'`
  const missing = `It has no scenario at evals/scenarios/${evalCase.id}.yaml and no recording`
  if (settings.source === 'replay')
    throw new AgentEvalsError('missing-answers', `${missing}; replay never spends. Run it live: ${command}`)

  const forbidden = settings.liveForbidden ?? (hasCredential(wire, process.env) ? null : 'no credential is set')
  if (forbidden === null) return LIVE
  if (settings.missingIs === 'skipped')
    return { name: null, reason: `${missing}, and ${forbidden}. Run it live: ${command}` }
  throw new AgentEvalsError('missing-answers', `${missing}, and ${forbidden}. Run it live elsewhere: ${command}`)
}

const LIVE: ChosenSource = { name: 'live', answers: { kind: 'live' }, file: null }

async function readScenario(
  file: string,
  root: string,
): Promise<Extract<AnswerSource, { kind: 'scenario' }>['scenario']> {
  const { scenario, issues } = await loadScenario(file)
  if (scenario !== null) return scenario
  const errors = issues.filter((issue) => issue.severity === 'error')
  throw new AgentEvalsError('invalid-scenario', errors.map((issue) => formatIssue(issue, root)).join('\n'))
}
