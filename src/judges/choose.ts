import { wireOfEngine } from '../engines/registry.ts'
import type { JudgeSettings } from '../formats/suite.ts'
import { apiModel, isSameModel, type CredentialKind, type WireName } from '../gateway/leases/lease.ts'
import { wireOfModel } from '../gateway/wires/apis.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import { judgeProviders, readJudgeName, type JudgeName } from './providers/registry.ts'

/** The model of a scenario, which is of no family. */
const SCENARIO = 'scenario'

/** A judge that was chosen. */
export interface ChosenJudge {
  /** A name of the list of judge providers. */
  readonly provider: string
  /** An id, or a family such as `claude-sonnet`. */
  readonly model: string
  /** No choice was made: it is the agent's own model. */
  readonly isDefault: boolean
}

/**
 * Chooses the judge of a run: what was asked for as `[provider:]model`, else the agent's own model.
 *
 * @param credential - kind of the credential that is there for a live judge; `null` when none is needed or there.
 * @throws {AgentEvalsError} `invalid-options` for a judge that does not exist.
 */
export function chooseJudge(judge: string | null, run: JudgedAgent, credential: CredentialKind | null): ChosenJudge {
  const isDefault = judge === null
  const name = judge ?? modelOf(run)
  if (name === null) {
    throw new AgentEvalsError(
      'judge-failed',
      'The model of the agent is unknown, so it cannot judge. Set `judge`, such as claude-sonnet.',
    )
  }
  const { provider, model } = isDefault ? { provider: null, model: name } : parseJudge(name)
  // The agent's own model is asked as the agent asks it: behind a proxy its name says nothing of its API.
  const wire = isDefault && model !== SCENARIO ? wireOfEngine(run.engine, model) : null
  return { provider: provider ?? usualProvider(model, credential, wire), model, isDefault }
}

// What an alias means, only the answers show. A scenario judges what a scenario answered, whatever model was asked for.
function modelOf({ model, modelAsked }: JudgedAgent): string | null {
  if (model === SCENARIO || modelAsked === null) return model
  const asked = apiModel(modelAsked)
  return /\d/.test(asked) ? asked : (model ?? asked)
}

/** What the choice of a judge needs to know of the agent. */
type JudgedAgent = Pick<AgentRun, 'engine' | 'model' | 'modelAsked'>

/** Whether a judge assesses its own work. A scenario answers in the name of a model, so only names count. */
export function isSelfJudged(
  choice: ChosenJudge,
  run: Pick<AgentRun, 'model' | 'modelAsked'>,
  answered: string | null,
  isScenario: boolean,
): boolean {
  if (choice.isDefault || (run.modelAsked !== null && isSameModel(choice.model, run.modelAsked))) return true
  return !isScenario && run.model !== null && (choice.model === run.model || answered === run.model)
}

function parseJudge(text: string): JudgeName {
  const name = readJudgeName(text)
  if ('problem' in name) throw new AgentEvalsError('invalid-options', `The judge "${text}" ${name.problem}.`)
  return name
}

function usualProvider(model: string, credential: CredentialKind | null, agentWire: WireName | null): string {
  const wire = agentWire ?? (model === SCENARIO ? 'anthropic-messages' : wireOfModel(model))
  const usual = [...judgeProviders()].find(([, kind]) => kind.recognises(model, credential, wire))
  if (usual !== undefined) return usual[0]
  throw new AgentEvalsError(
    'invalid-options',
    `No judge provider serves the model "${model}". Choose one: --judge openai:${model}`,
  )
}

/**
 * Judges that `judge.md` names, in the order in which they are tried: never the model that they would judge.
 *
 * @param credential - kind of the credential for Anthropic's models; `null` when none is needed or there.
 */
export function listJudges(
  { crossFamily, sameFamilyFallback }: Pick<JudgeSettings, 'crossFamily' | 'sameFamilyFallback'>,
  run: JudgedAgent,
  credential: CredentialKind | null,
): readonly ChosenJudge[] {
  const ownModels = [run.model, run.modelAsked].filter((model) => model !== null)
  const isOwn = ({ model }: ChosenJudge): boolean => ownModels.some((one) => isSameModel(one, model))
  return [...crossFamily, ...sameFamilyFallback]
    .map((name) => chooseJudge(name, run, credential))
    .filter((judge, index, all) => !isOwn(judge) && all.findIndex(({ model }) => model === judge.model) === index)
}
