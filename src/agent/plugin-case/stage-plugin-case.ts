import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { listTree } from '../../inputs/list-tree.ts'
import { copyInto } from '../../workspace/write-copy.ts'
import { placeOfPlugin } from './case-plugins.ts'
import { placeInPackage } from './plugin-session.ts'
import { runScaffold } from './run-scaffold.ts'
import type { Workspace } from '../../workspace/create-workspace.ts'
import type { AgentRequest } from '../agent-request.ts'

// Below the config folder.
const HISTORY_FILE = 'history.jsonl'

/**
 * Prepares what a case of `claude plugin eval` has beyond others: its workspace by its own script, folders that its agent
 * may read, and the transcript that it resumes. Returns what the author may not expect, one sentence each.
 *
 * @throws {AgentEvalsError} `scaffold-failed`.
 */
export async function stagePluginCase(
  request: Pick<
    AgentRequest,
    'evalCase' | 'inputs' | 'label' | 'pluginCase' | 'pluginEval' | 'plugins' | 'sandbox' | 'signal'
  >,
  workspace: Workspace,
): Promise<readonly string[]> {
  const { evalCase, inputs, pluginCase = null, plugins = [], pluginEval: settings } = request
  if (pluginCase === null) return []
  const { addDirs, history, scaffold } = pluginCase.context
  for (const [index, plugin] of (evalCase.arm === undefined ? plugins : []).entries()) {
    const place = placeOfPlugin(plugin, index)
    if (place.length === 0) continue
    for (const file of inputs.packageFiles(plugin).files) copyInto(workspace.package, join(...place, file.path), file)
  }
  for (const { file } of addDirs) {
    const to = placeInPackage(pluginCase, file)
    for (const entry of listTree(file).files) copyInto(workspace.package, join(to, entry.path), entry)
  }
  if (history !== null) copyFileSync(history.file, join(workspace.config, HISTORY_FILE))
  if (scaffold === null) return []
  if (settings?.scaffold !== true)
    return [`Its scaffold script ${scaffold.path} does not run without --scaffold, so its workspace is empty.`]
  await runScaffold(request, pluginCase, workspace)
  return []
}

/** The transcript that a session resumes, as it sees it; `null` where it begins anew. */
export function historyOf({ pluginCase }: Pick<AgentRequest, 'pluginCase'>, config: string): string | null {
  const history = pluginCase?.context.history ?? null
  return history === null ? null : `${config}/${HISTORY_FILE}`
}
