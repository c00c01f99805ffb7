import { basename, dirname } from 'node:path'
import { warningAt, type ReadDocument } from '../../documents/document.ts'
import type { Issue } from '../../documents/issue.ts'

/** A remark where a file of an agent names another one than its folder does. */
export function checkAgentName(named: string | undefined, document: ReadDocument, folder: string): readonly Issue[] {
  if (named === undefined || named === folder) return []
  return [warningAt(document, ['agent'], 'agent-differs', `differs from the agent's folder ${JSON.stringify(folder)}`)]
}

/** Name of the agent whose `evals/` has a file. */
export function agentOfFile(file: string): string {
  return basename(dirname(dirname(file)))
}
