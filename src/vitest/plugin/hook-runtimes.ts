import { isJsonObject } from '../../json.ts'
import type { Runtime } from '../../assert/native-payload.ts'
import type { Layered } from '../../settings.ts'
import type { AgentPackage } from '../../packages/package.ts'

/**
 * The runtimes in whose spelling a package's hooks are tested too: Claude Code, and Codex where the package's manifest
 * or the option `engine` names it. The format itself knows no hooks on Codex, so that others are not held to it.
 */
export function hookRuntimes({ manifest }: AgentPackage, engine: Layered<string>): readonly Runtime[] {
  const engines = manifest?.raw['engines']
  const named = Array.isArray(engines) ? engines : isJsonObject(engines) ? Object.keys(engines) : []
  const isCodex = named.includes('codex') || [engine.environment, engine.option].includes('codex')
  return isCodex ? ['claude-code', 'codex'] : ['claude-code']
}
