import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { NOTHING } from '../../suites/search-notes.ts'
import { listRunFolders } from '../../results/own-runs.ts'
import { readRunEnd } from '../../results/run-folder.ts'
import { findPlace } from './find-place.ts'
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

/** The reports of the latest run below the current folder that has any. One whose reports were removed since has none. */
export async function latestReports(): Promise<readonly string[]> {
  const here = process.cwd()
  for (const { path } of listRunFolders(findPlace(here).root).toReversed()) {
    const reports = (readRunEnd(path)?.reports ?? []).map((report) => resolve(here, report))
    const there = reports.filter((report) => existsSync(report))
    if (there.length > 0) return there.map((report) => relative(here, report))
  }
  throw await noRun(here)
}
