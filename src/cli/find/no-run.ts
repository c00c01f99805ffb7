import { AgentEvalsError } from '../../errors.ts'
import { NOTHING } from '../../suites/search-notes.ts'
import { searchFolder } from './search.ts'

/** Why a command that shows the latest run has none to show: nothing has run yet, or there is nothing to run. */
export async function noRun(folder: string): Promise<AgentEvalsError> {
  const message = (await hasEvals(folder))
    ? 'No run found in .vitest/agent-evals. Run the evals first: npx vitest-agent-evals run'
    : NOTHING
  return new AgentEvalsError('no-match', message)
}

/** Whether a folder has any evals at all. */
export async function hasEvals(folder: string): Promise<boolean> {
  const { suites, evalFiles } = await searchFolder(folder, process.env)
  return suites.length + evalFiles.length > 0
}
