import { requireProgram, type Backend, type Machine } from '../backend.ts'
import { sandboxRuntimeCommand } from './command.ts'
import { SANDBOX_RUNTIME } from './find.ts'
import { probeSandboxRuntime } from './probe.ts'
import { runtimePaths } from './runtime-paths.ts'

/** The sandbox of macOS, from an optional package. */
export const sandboxRuntime: Backend = {
  isUsual: (platform) => platform === 'darwin',
  probeKey: ({ environment, root }) => [environment['PATH'], root, environment['AGENT_EVALS_ENGINES']].join('\0'),
  async probe(place) {
    const probe = await probeSandboxRuntime(place)
    if (!probe.works) return probe
    return { works: true, decided: { enforced: 'sandbox-runtime', sandboxRuntime: probe.sandboxRuntime } }
  },
  command: (decision, request, host) =>
    sandboxRuntimeCommand(requireProgram(decision.sandboxRuntime, decision.backend), request, host),
  paths: runtimePaths,
  remedy: runtimeRemedy,
}

function runtimeRemedy({ platform }: Machine, found: boolean): string {
  if (platform === 'win32') return 'On Windows, run this in WSL2 and install bubblewrap there.'
  const install = `\`npm install --save-dev ${SANDBOX_RUNTIME}\``
  const remedy = found ? `Fix that, or update it: ${install}.` : `Install it: ${install}.`
  return platform === 'linux' ? `${remedy} Or use \`--sandbox bubblewrap\`, which is stricter.` : remedy
}
