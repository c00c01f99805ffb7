import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

/**
 * Records the example package anew, from its scenarios: no model is asked, and each recording names the scenario as its
 * origin. Arguments: the engines. `AGENT_EVALS_ENGINES` names a folder whose `node_modules` has those that are not installed here.
 */
const engines = process.argv.slice(2)
const { status } = spawnSync('npx', ['vitest', 'run', '--root', 'example-package', '--project', 'evals'], {
  cwd: resolve(import.meta.dirname, '..'),
  stdio: 'inherit',
  env: {
    ...process.env,
    AGENT_EVALS_ENGINE: engines.length === 0 ? 'claude-code' : engines.join(),
    AGENT_EVALS_SOURCE: 'record',
    VITEST_AGENT_EVALS_RECORD_SCENARIOS: '1',
  },
})
process.exitCode = status ?? 1
