import { join } from 'node:path'
import { killTagged } from '../process/kill-tree.ts'
import { HOME } from './create-workspace.ts'

/** `NAME=value` that a session carries which no sandbox confines. */
export function sessionTag(root: string): string {
  return `HOME=${join(root, HOME)}`
}

/** `NAME=value` that the scripts carry whose packages are copied into a workspace. */
export function scriptTag(root: string): string {
  return `AGENT_EVALS_ASSERT=${root}`
}

/** Ends what has outlived the process that made the workspace, and would write on. */
export async function killLeftoverProcesses(root: string): Promise<void> {
  for (const tag of [sessionTag(root), scriptTag(root)]) await killTagged(tag)
}
