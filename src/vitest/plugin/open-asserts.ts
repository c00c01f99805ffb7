import { killTagged, scriptTag } from '../../sandbox/process/process-tree.ts'
import { projectCommand } from '../../report/rerun-command.ts'
import { startOrphanCleanup, sweepLeftovers } from '../../session/sweep-leftovers.ts'
import { createWorkspace } from '../../session/workspace.ts'
import type { VitestPluginContext, Vitest } from 'vitest/node'
import { leaveTransformCache } from '../modules/suite-modules.ts'
import type { TestStore } from '../modules/suite-store.ts'
import '../provided.ts'
import { testFoldersOf } from '../../formats/places.ts'
import { runAgain, selectBySource, watchFiles } from '../watch/vitest-watcher.ts'

/** Prepares what the workers of project `assert` need, and what remains to be done when they are gone. */
export async function openAsserts(context: VitestPluginContext, name: string, store: TestStore): Promise<void> {
  const { vitest, project } = context
  leaveTransformCache(context, (id) => store.owns(id))
  await watchAssert(vitest, store, (await store.find()).ours)

  const callOff = startOrphanCleanup()
  const folder = createWorkspace()
  const runTag = scriptTag(folder.root)
  // Workers are threads: when this process has to end, nothing else is left to end their scripts.
  const killScripts = (): void => void killTagged(runTag)
  process.on('exit', killScripts)
  vitest.onClose(async () => {
    process.off('exit', killScripts)
    await killTagged(runTag)
    await folder.remove()
    await sweepLeftovers()
    callOff()
  })
  const start = { cwd: process.cwd(), root: vitest.config.root }
  const configFile = vitest.vite.config.configFile ?? null
  const command = projectCommand({ ...start, configFile, project: name, program: process.argv[1] })
  project.provide('agentAsserts', { ...start, command, copies: folder.workspace, runTag })
}

/**
 * Makes a watching Vitest run the tests of a skill, of the hooks or of the commands again when a file of theirs was
 * changed, added or removed: no import leads from a test to its scripts.
 */
async function watchAssert(vitest: Vitest, store: TestStore, suites: readonly string[]): Promise<void> {
  const watched = new Set(suites)
  const concernedBy = (path: string): readonly string[] => [...watched].filter((suite) => isBelowPart(path, suite))
  watchFiles(vitest, (file, event) => {
    const concerned = concernedBy(file)
    if (!store.owns(file)) return concerned.length > 0 && runAgain(vitest, concerned, file)
    if (event === 'unlink') watched.delete(file)
    else watched.add(file)
  })
  await selectBySource(vitest, (files) => Promise.resolve(files.flatMap(concernedBy)))
}

function isBelowPart(file: string, suite: string): boolean {
  const folders = testFoldersOf(suite)
  return folders !== null && file.startsWith(`${folders.partDir}/`) && !file.includes('/node_modules/')
}
