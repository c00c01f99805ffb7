import { findBackend } from './backends.ts'
import type { Machine } from './backend.ts'

/** What to do so that the sandbox works, in one or two sentences. */
export function installHint(machine: Machine, backend: string, found: boolean, remedy?: string): string {
  return `${remedy ?? findBackend(backend).remedy(machine, found)} ${WITHOUT_SANDBOX}`
}

/** How to run without a sandbox, in every way that there is. */
const WITHOUT_SANDBOX =
  "To run without a sandbox, with your own rights: the plugin's option `sandbox: 'none'`, the flag `--sandbox none` of `npx vitest-agent-evals run`, or the environment variable `AGENT_EVALS_SANDBOX=none`."
