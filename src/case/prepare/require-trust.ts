import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { scriptFiles } from '../assess/run-check-script.ts'
import { PLUGIN_FILE } from '../../packages/manifest-names.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { findForeignFile } from '../../sandbox/own-repository.ts'
import type { RunSettings } from '../../settings.ts'
import { kindOf } from '../../suites/kinds.ts'
import type { CaseMatter, EvalCase } from '../../suites/suite.ts'

/**
 * Refuses to run evals of a plugin, or scripts of a suite, that are not the user's own, unless the user trusts it: they run its code.
 *
 * @throws {AgentEvalsError} `untrusted-plugin`.
 */
export function requireTrust(
  evalCase: CaseMatter & Pick<EvalCase, 'checks'>,
  { root, trustPlugin }: Pick<RunSettings, 'root' | 'trustPlugin'>,
): void {
  if (trustPlugin) return
  const scripts = scriptFiles(evalCase.checks).map(({ from }) => from)
  const files = [...kindOf(evalCase).foreignCode(evalCase).map(someFile), ...scripts.filter((file) => existsSync(file))]
  const foreign = findForeignFile(root, files)
  if (foreign === null) return
  const message = `${pathFrom(root, foreign)} is not in your repository, and its evals run its code. If you trust it, add --trust-plugin.`
  throw new AgentEvalsError('untrusted-plugin', message)
}

// The folder of a file says which repository it is in.
function someFile(folder: string): string {
  const files = [PLUGIN_FILE, 'plugin.json', 'SKILL.md', 'case.yaml', 'prompt.md'].map((name) => join(folder, name))
  return files.find((file) => existsSync(file)) ?? folder
}
