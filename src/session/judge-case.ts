import { AgentEvalsError } from '../errors.ts'
import { findEngine } from '../engines/find.ts'
import { findCredential } from '../gateway/credentials.ts'
import { chooseJudge, type ChosenJudge } from '../judges/choose.ts'
import { judgeRun, type Judged } from '../judges/judge-run.ts'
import { erroredJudge } from '../judges/judgement.ts'
import { anthropicProvider } from '../judges/providers/anthropic.ts'
import { createClaudeCodeProvider } from '../judges/providers/claude-code.ts'
import type { AnswerSource, LeaseGrant } from '../gateway/lease.ts'
import type { JudgeQuestion } from '../judges/prompt.ts'
import type { JudgeProvider } from '../judges/providers/provider.ts'
import type { RunSettings } from '../run-settings.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/** A run to judge, and where its case stands. */
export interface JudgeCase {
  readonly label: string
  readonly question: JudgeQuestion & { readonly run: AgentRun }
  /** `[provider:]model`; `null`: the agent's own model. */
  readonly judge: string | null
  readonly votes: number
  readonly source: AnswerSource
  readonly settings: RunSettings
  readonly signal: AbortSignal
}

/** Judges a run. What goes wrong is the judge's result too: what the checks found stays true. */
export async function judgeCase(request: JudgeCase): Promise<Judged> {
  const { label, question, votes, source, settings, signal } = request
  try {
    const choice = chooseJudge(request.judge, question.run, liveCredential(source))
    const provider = await findProvider(choice, settings)
    const { controlSocket } = settings
    return await judgeRun({ label, question, choice, provider, votes, source, controlSocket, signal })
  } catch (error) {
    if (signal.aborted) return { part: erroredJudge('cancelled', 'The judge was called off.'), exchanges: [] }
    if (error instanceof AgentEvalsError) return { part: erroredJudge(error.code, error.message), exchanges: [] }
    throw error
  }
}

function liveCredential(source: AnswerSource): LeaseGrant['credential'] | null {
  return source.kind === 'live' ? findCredential('anthropic-messages', process.env).kind : null
}

async function findProvider({ provider }: ChosenJudge, settings: RunSettings): Promise<JudgeProvider> {
  if (provider === 'anthropic') return anthropicProvider
  if ('code' in settings.sandbox) throw new AgentEvalsError(settings.sandbox.code, settings.sandbox.message)
  const option = settings.engines['claude-code']
  const engine = await findEngine('claude-code', { option, environment: process.env, root: settings.root })
  return createClaudeCodeProvider(engine, settings.sandbox)
}
