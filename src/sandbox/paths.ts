import { realpathSync } from 'node:fs'
import { dirname, posix, relative } from 'node:path'
import { AgentEvalsError } from '../errors.ts'
import { findBackend } from './backends.ts'
import type { SandboxPlace } from './backend.ts'
import { hostPaths } from './host-paths.ts'
import { INSIDE } from './inside.ts'
import type { SandboxDecision, SandboxPaths } from './sandbox.ts'

/** Paths as the session will see them; known before the session is built. */
export function sandboxPaths(
  { backend }: Pick<SandboxDecision, 'backend'>,
  place: SandboxPlace,
  platform: NodeJS.Platform = process.platform,
): SandboxPaths {
  return backend === 'none' ? hostPaths(place) : findBackend(backend).paths(place, platform)
}

/** Whether a session needs a port of the gateway, which other users of the machine reach, too. */
export function needsPort(
  { backend }: Pick<SandboxDecision, 'backend'>,
  place: Pick<SandboxPlace, 'bridge' | 'network'>,
): boolean {
  return backend === 'none' ? place.bridge : findBackend(backend).needsPort(place)
}

/** Where a runtime file of the engine goes, so that it is beside the executable as on the host. */
export function insideRuntimeFile(executable: string, file: string): string {
  const beside = relative(dirname(realpathSync(executable)), realpathSync(file))
  const inside = posix.join(INSIDE.engine, beside)
  if (inside.startsWith(posix.dirname(INSIDE.engine) + posix.sep)) return inside

  throw new AgentEvalsError(
    'unsafe-path',
    `${file} is too far from ${executable} for the sandbox. Use files at most one folder above the executable.`,
  )
}
