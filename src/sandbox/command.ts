import { findBackend } from './backends.ts'
import type { Host } from './backend.ts'
import { readHostLayout } from './host-layout.ts'
import { unconfinedCommand } from './none.ts'
import { prepareSession } from './prepare-session.ts'
import type { SandboxDecision, SandboxedCommand, SandboxRequest } from './sandbox.ts'

/** What to spawn for a session under the decided backend. Makes the folders that the session needs. */
export function sandboxCommand(
  decision: SandboxDecision,
  request: SandboxRequest,
  host: Partial<Host> = {},
): SandboxedCommand {
  const { environment = process.env } = host
  const prepared = prepareSession(request)
  if (decision.backend === 'none') return unconfinedCommand(prepared, environment)
  const layout = host.layout ?? readHostLayout()
  return findBackend(decision.backend).command(decision.found, prepared, { ...host, environment, layout })
}
