import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { hostEnvironment } from './environment.ts'
import type { SandboxedCommand, SandboxRequest } from './sandbox.ts'
import type { Environment } from './surroundings.ts'

/** The engine itself on the host: nothing is enforced, but its environment is closed and its strays are found. */
export function unconfinedCommand(request: SandboxRequest, parent: Environment): SandboxedCommand {
  const { root } = request
  // The main process looks for the same mark when a worker dies, so the caller's own is kept.
  const run = request.env[RUN_VARIABLE] ?? createHash('sha256').update(root).digest('hex').slice(0, 16)
  const places = { home: join(root, 'home'), tmp: join(root, 'tmp'), node: process.execPath }
  return {
    file: request.executable,
    arguments: request.arguments,
    env: { ...hostEnvironment(places, parent), ...request.env, [RUN_VARIABLE]: run },
    cwd: join(root, 'workspace'),
    descriptors: [],
    status: false,
    tag: `${RUN_VARIABLE}=${run}`,
    processLimit: null,
    graceMs: 3000,
  }
}

const RUN_VARIABLE = 'AGENT_EVALS_RUN'
