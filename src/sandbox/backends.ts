import { AgentEvalsError } from '../errors.ts'
import { bubblewrap } from './bubblewrap/backend.ts'
import { sandboxRuntime } from './sandbox-runtime/backend.ts'
import type { Backend, Backends } from './backend.ts'
import type { EnforcingBackend } from './sandbox.ts'

const all: Readonly<Record<EnforcingBackend, Backend>> = { bubblewrap, 'sandbox-runtime': sandboxRuntime }

/** Every backend that enforces, by name. */
export const backends: Backends = all

/** The backend of this name. */
export function findBackend(name: string): Backend {
  const backend = backends[name]
  if (backend !== undefined) return backend
  throw new AgentEvalsError('sandbox-unavailable', `There is no sandbox "${name}".`)
}
