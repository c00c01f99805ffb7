import { settleSandbox } from '../../sandbox/decide.ts'
import type { RunSettings } from '../../settings.ts'
import type { RunChoices } from './agent-options.ts'

/** The settings of a run with its own choices: nearer than the plugin's options, but not than the environment. */
export async function applyChoices(
  settings: RunSettings,
  { model, sandbox }: Pick<RunChoices, 'model' | 'sandbox'>,
): Promise<RunSettings> {
  const { fromEnvironment } = settings
  return {
    ...settings,
    model: model === null || fromEnvironment.includes('model') ? settings.model : model,
    sandbox:
      sandbox === null || fromEnvironment.includes('sandbox')
        ? settings.sandbox
        : await settleSandbox(sandbox, { environment: process.env, root: settings.root }),
  }
}
