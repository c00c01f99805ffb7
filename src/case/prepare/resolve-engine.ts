import { loadCustomEngine } from '../../engines/custom-engine.ts'
import type { Engine } from '../../engines/engine.ts'
import { findEngine, type FoundEngine } from '../../engines/find.ts'
import { requireEngine } from '../../engines/registry.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { CaseMatter, EvalCase } from '../../formats/suite.ts'
import { hasPrice, unknownPrice, type AskedModel } from '../../gateway/budget/price.ts'
import { apiOfWire, wireOfModel } from '../../gateway/wires/apis.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { SourceRequest } from './choose-source.ts'

/**
 * Finds an engine that is installed, the user's own engines included.
 *
 * @throws {AgentEvalsError} `unsupported-engine`, `engine-not-found`.
 */
export async function findEngineOf(name: string, settings: RunSettings): Promise<FoundEngine> {
  return findEngine(name, {
    option: settings.engines[name],
    environment: process.env,
    root: settings.root,
    custom: await ownEngines(name, settings),
  })
}

/** As {@link findEngineOf}, without asking whether its program is installed. */
export async function engineNamed(name: string, settings: RunSettings): Promise<Engine> {
  return requireEngine(name, await ownEngines(name, settings))
}

/** What the choice of a source needs to know of an engine: the model that it is asked for, and its wire. */
export function askedOf(
  engine: Engine,
  asking: AskedCase,
  settings: RunSettings,
): Pick<SourceRequest, 'scenarioModel' | 'settings' | 'wire'> {
  const resolved = withModel(engine, asking, settings)
  const { wire, scenarioModel } = forModel(engine, resolved.model)
  return { settings: resolved, wire, scenarioModel }
}

async function ownEngines(name: string, { engineModules }: RunSettings): Promise<readonly Engine[]> {
  const custom = await loadCustomEngine(name, engineModules)
  return custom === undefined ? [] : [custom]
}

/** What may name the model of a case. */
interface AskedCase {
  readonly evalCase: CaseMatter & Pick<EvalCase, 'model'>
}

/** The settings with the model that a case asks for: that of its variant or of the user, else its own, else that of the agent's model.md. */
export function withModel<Settings extends Pick<RunSettings, 'model'>>(
  engine: Engine,
  { evalCase }: AskedCase,
  settings: Settings,
): Settings {
  const ownModel = kindOf(evalCase).model(evalCase)
  const askedModel = evalCase.model ?? settings.model
  return { ...settings, model: askedModel ?? (ownModel !== null && speaks(engine, ownModel) ? ownModel : null) }
}

/** Whether an engine can be asked for a model: one of one vendor has no model of another. */
export function speaks(engine: Engine, model: string): boolean {
  if (engine.forModel !== undefined) return true
  return apiOfWire(wireOfModel(model)) === apiOfWire(engine.wire)
}

/** The wire that an engine talks over when it is asked for a model. */
function forModel(engine: Engine, model: string | null): Engine {
  return engine.forModel !== undefined && model !== null ? engine.forModel(model) : engine
}

/**
 * Decides which API a found engine talks to.
 *
 * @throws {AgentEvalsError} `no-model` for an engine that has none of its own.
 */
export function withWire(found: FoundEngine, model: string | null, evalCase: CaseMatter): FoundEngine {
  if (found.engine.forModel === undefined) return found
  if (model !== null) return { ...found, engine: found.engine.forModel(model) } as FoundEngine
  const golden = kindOf(evalCase).golden(evalCase)
  throw new AgentEvalsError(
    'no-model',
    `No model configured${golden === null ? '' : `: the agent ${golden.agent.name} has no model.md, or none with a default model`}. The engine ${found.engine.name} has no default. Set one with --model.`,
  )
}

/**
 * Refuses to ask a model of unknown price, unless the user allows it.
 *
 * @throws {AgentEvalsError} `unknown-price`.
 */
export function requirePrice(
  { model, wire }: AskedModel,
  { allowUnknownCost, prices }: Pick<RunSettings, 'allowUnknownCost' | 'prices'>,
): void {
  if (!allowUnknownCost && !hasPrice(model, wire, prices)) throw unknownPrice([model])
}
