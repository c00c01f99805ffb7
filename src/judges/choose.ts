import { AgentEvalsError } from '../errors.ts'
import { wireOfModel } from '../engines/wire-of-model.ts'
import type { LeaseGrant } from '../gateway/lease.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/** Who can judge. */
export type JudgeProviderName = (typeof PROVIDERS)[number]

const PROVIDERS = ['anthropic', 'claude-code', 'openai', 'codex'] as const

/** A judge that was chosen. */
export interface ChosenJudge {
  readonly provider: JudgeProviderName
  /** An id, or a family such as `claude-sonnet`. */
  readonly model: string
  /** Nobody chose: it is the agent's own model. */
  readonly isDefault: boolean
}

/**
 * Chooses the judge of a run: what was asked for as `[provider:]model`, else the agent's own model.
 *
 * @param credential - kind of the credential that is there for a live judge; `null` when none is needed or there.
 * @throws {AgentEvalsError} `invalid-options` for a judge that does not exist.
 */
export function chooseJudge(
  asked: string | null,
  run: Pick<AgentRun, 'model' | 'modelAsked'>,
  credential: LeaseGrant['credential'] | null,
): ChosenJudge {
  const isDefault = asked === null
  const wanted = asked ?? run.model ?? run.modelAsked
  if (wanted === null) {
    throw new AgentEvalsError(
      'judge-failed',
      'The agent named no model that could judge. Set `judge`, such as claude-sonnet.',
    )
  }
  const { provider, model } = isDefault ? { provider: null, model: wanted } : parseJudge(wanted)
  return { provider: requireProvider(provider ?? usualProvider(model, credential), wanted), model, isDefault }
}

/** Whether a judge assesses its own work. A scenario speaks for whoever it stands for, so only its names count. */
export function isSelfJudged(
  choice: ChosenJudge,
  run: Pick<AgentRun, 'model' | 'modelAsked'>,
  answered: string | null,
  isScenario: boolean,
): boolean {
  if (choice.isDefault || choice.model === run.modelAsked) return true
  return !isScenario && run.model !== null && (choice.model === run.model || answered === run.model)
}

/** Why a judge that was asked for cannot be; `null` when it can. */
export function problemOfJudge(asked: string): string | null {
  try {
    const { provider } = parseJudge(asked)
    if (provider !== null) requireProvider(provider, asked)
    return null
  } catch (error) {
    if (error instanceof AgentEvalsError) return error.message
    throw error
  }
}

interface ParsedJudge {
  readonly provider: string | null
  readonly model: string
}

function parseJudge(text: string): ParsedJudge {
  const colon = text.indexOf(':')
  const parsed =
    colon === -1 ? { provider: null, model: text } : { provider: text.slice(0, colon), model: text.slice(colon + 1) }
  if (parsed.model.trim() !== '') return parsed
  throw new AgentEvalsError(
    'invalid-options',
    `The judge "${text}" names no model. Write [provider:]model, such as anthropic:claude-sonnet.`,
  )
}

// A subscription's token is good for the CLI only. A scenario has a model of no family.
function usualProvider(model: string, credential: LeaseGrant['credential'] | null): JudgeProviderName {
  if (wireOfModel(model) === 'openai-chat' && model !== 'scenario') return 'openai'
  return credential === 'oauth' ? 'claude-code' : 'anthropic'
}

function requireProvider(provider: string, asked: string): JudgeProviderName {
  const known = PROVIDERS.find((name) => name === provider)
  if (known !== undefined) return known
  throw new AgentEvalsError(
    'invalid-options',
    `The judge "${asked}" names the provider "${provider}". There are anthropic, claude-code, openai and codex.`,
  )
}
