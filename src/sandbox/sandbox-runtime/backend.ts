import { sandboxRuntimeCommand } from './command.ts'
import { SANDBOX_RUNTIME, type SandboxRuntime } from './find.ts'
import { probeSandboxRuntime } from './probe.ts'
import { runtimePaths } from './runtime-paths.ts'
import type { Backend, Machine } from '../backend.ts'

/** The sandbox of macOS, from an optional package. */
export const sandboxRuntime: Backend<SandboxRuntime> = {
  isUsual: (platform) => platform === 'darwin',
  probeKey: ({ environment, root }) => [environment['PATH'], root, environment['AGENT_EVALS_ENGINES']].join('\0'),
  probe: (place) => probeSandboxRuntime(place),
  command: sandboxRuntimeCommand,
  // The gateway stands in the place of its proxies, which have ports.
  needsPort: () => true,
  paths: runtimePaths,
  remedy: runtimeRemedy,
}

function runtimeRemedy({ platform }: Machine, found: boolean): string {
  if (platform === 'win32') return 'On Windows, run this in WSL2 and install bubblewrap there.'
  const install = `\`npm install --save-dev ${SANDBOX_RUNTIME}\``
  const remedy = found ? `Fix that, or update it: ${install}.` : `Install it: ${install}.`
  return platform === 'linux' ? `${remedy} Or use \`--sandbox bubblewrap\`, which is stricter.` : remedy
}
