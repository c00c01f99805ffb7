import { findEngine, type FoundEngine } from '../../engines/find/find.ts'
import { loadCustomEngine } from '../../engines/custom/custom-engine.ts'
import { requireEngine } from '../../engines/registry.ts'
import { forModel, withModel, type AskedCase } from './case-model.ts'
import type { Engine } from '../../engines/engine.ts'
import type { RunSettings } from '../../settings.ts'
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
    own: await ownEngines(name, settings),
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
  const asked = withModel(engine, asking, settings)
  const { wire, scenarioModel } = forModel(engine, asked.model)
  return { settings: asked, wire, scenarioModel }
}

async function ownEngines(name: string, { engineModules }: RunSettings): Promise<readonly Engine[]> {
  const own = await loadCustomEngine(name, engineModules)
  return own === undefined ? [] : [own]
}
