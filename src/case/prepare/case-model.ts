import { AgentEvalsError } from '../../errors.ts'
import type { FoundEngine } from '../../engines/find/find.ts'
import { apiOfWire, wireOfModel } from '../../gateway/wires/apis.ts'
import type { Engine } from '../../engines/engine.ts'
import type { RunSettings } from '../../settings.ts'
import { kindOf } from '../../suites/kinds.ts'
import type { CaseMatter, Suite } from '../../suites/suite.ts'

type AskedSuite = Partial<Pick<Suite, 'agent'>>

/** What may name the model of a case. */
export interface AskedCase {
  readonly suite: AskedSuite
  readonly evalCase: CaseMatter
}

/** The settings with the model that a case asks for: that of the user, else its own, else that of the agent's model.md. */
export function withModel<Settings extends Pick<RunSettings, 'model'>>(
  engine: Engine,
  { suite, evalCase }: AskedCase,
  settings: Settings,
): Settings {
  const own = kindOf(evalCase).model(evalCase) ?? suite.agent?.model.default ?? null
  return { ...settings, model: settings.model ?? (own !== null && speaks(engine, own) ? own : null) }
}

// An engine of one vendor cannot be asked for a model of another.
function speaks(engine: Engine, model: string): boolean {
  if (engine.forModel !== undefined) return true
  return apiOfWire(wireOfModel(model)) === apiOfWire(engine.wire)
}

/** The wire that an engine talks over when it is asked for a model. */
export function forModel(engine: Engine, model: string | null): Engine {
  return engine.forModel !== undefined && model !== null ? engine.forModel(model) : engine
}

/**
 * Decides which API a found engine talks to.
 *
 * @throws {AgentEvalsError} `no-model` for an engine that has none of its own.
 */
export function withWire(found: FoundEngine, model: string | null, { agent }: AskedSuite): FoundEngine {
  if (found.engine.forModel === undefined) return found
  if (model !== null) return { ...found, engine: found.engine.forModel(model) } as FoundEngine
  throw new AgentEvalsError(
    'no-model',
    `No model configured${agent === undefined ? '' : `: the agent ${agent.name} has no model.md, or none with a default model`}. The engine ${found.engine.name} has no default. Set one with --model.`,
  )
}
