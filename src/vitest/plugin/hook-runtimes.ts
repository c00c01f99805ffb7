import { DEFAULT_ENGINE } from '../../engines/default-engine.ts'
import { engines } from '../../engines/registry.ts'
import { isJsonObject } from '../../json.ts'
import type { Runtime } from '../../assert/native-payload.ts'
import type { Layered } from '../../settings.ts'
import type { AgentPackage } from '../../packages/package.ts'

/**
 * The runtimes in whose spelling a package's hooks are tested too: the default engine, and others with hook events of
 * their own where the package's manifest or the option `engine` names them. The format itself knows no hooks on those,
 * so that other packages are not held to them.
 */
export function hookRuntimes({ manifest }: AgentPackage, engine: Layered<string>): readonly Runtime[] {
  const listed = manifest?.raw['engines']
  const named = Array.isArray(listed) ? listed : isJsonObject(listed) ? Object.keys(listed) : []
  const wanted = new Set([...named, engine.environment, engine.option, DEFAULT_ENGINE])
  return Object.keys(engines).filter((name) => engines[name]?.hookRuntime !== undefined && wanted.has(name))
}
