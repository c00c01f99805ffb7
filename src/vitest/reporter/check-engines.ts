import { AgentEvalsError } from '../../errors.ts'
import { findEngineOf } from '../../case/prepare/resolve-engine.ts'
import { withoutOwnStack } from '../../options/without-stack.ts'
import type { PlannedRun } from '../../results/start-run.ts'
import type { RunSettings } from '../../settings.ts'

/**
 * Refuses a run whose engine is too old with one error, not with one for each case.
 *
 * @throws {AgentEvalsError} `engine-too-old`
 */
export async function checkEngines(
  { cases, files }: Pick<PlannedRun, 'cases' | 'files'>,
  settings: RunSettings,
): Promise<void> {
  const names = new Set([...cases, ...files].map(({ engineName }) => engineName))
  await Promise.all([...names].map((name) => checkEngine(name, settings)))
}

async function checkEngine(name: string, settings: RunSettings): Promise<void> {
  try {
    await findEngineOf(name, settings)
  } catch (error) {
    // A case that needs no engine can do without one; the others have the error themselves.
    if (error instanceof AgentEvalsError && error.code === 'engine-too-old') throw withoutOwnStack(error)
  }
}
