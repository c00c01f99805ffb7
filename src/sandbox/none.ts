import { join } from 'node:path'
import { withResidentLimits } from '../process/resident-limit.ts'
import { hostEnvironment } from './environment.ts'
import { sessionTag } from '../workspace/leftover-processes.ts'
import { sha256 } from '../sha256.ts'
import type { SandboxedCommand, SandboxRequest } from './sandbox.ts'
import type { Environment } from './detect-environment.ts'

/** The engine itself on the host: nothing is enforced, but its environment is closed and its strays are found. */
export function unconfinedCommand(request: SandboxRequest, parent: Environment): SandboxedCommand {
  const { root } = request
  const run = runTag(request)
  const places = { home: join(root, 'home'), tmp: join(root, 'tmp'), node: process.execPath }
  const tag = `${run.name}=${run.value}`
  // After a kill of the run only its folder is known.
  const command = withResidentLimits({ soft: sessionTag(root), hard: tag }, request.executable, request.arguments)
  return {
    ...command,
    env: { ...hostEnvironment(places, parent), ...request.env, [run.name]: run.value },
    cwd: join(root, 'workspace'),
    descriptors: [],
    status: false,
    tag,
    controlGroup: null,
    root,
    sizedFolders: [],
    graceMs: 3000,
  }
}

/** The mark of a session, by which what it leaves behind is found. */
export function runTag({ env, root }: Pick<SandboxRequest, 'env' | 'root'>): { name: string; value: string } {
  // The main process looks for the same mark when a worker dies, so the caller's own is kept.
  const value = env[RUN_VARIABLE] ?? sha256(root, 16)
  return { name: RUN_VARIABLE, value }
}

const RUN_VARIABLE = 'AGENT_EVALS_RUN'
