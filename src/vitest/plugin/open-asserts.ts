import { killTagged, scriptTag } from '../../sandbox/process/process-tree.ts'
import { projectCommand } from '../../report/rerun-command.ts'
import { startOrphanCleanup, sweepLeftovers } from '../../session/sweep-leftovers.ts'
import { createWorkspace } from '../../session/workspace.ts'
import type { VitestPluginContext, Vitest } from 'vitest/node'
import { leaveTransformCache } from '../modules/suite-modules.ts'
import type { TestStore } from '../modules/suite-store.ts'
import '../provided.ts'
import { testFoldersOf } from '../../formats/places.ts'
import { runAgain, selectBySource } from './narrow-runs.ts'

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
  const patterns = (vitest.config.watchTriggerPatterns ??= [])
  patterns.push({
    pattern: /[^/\\]$/,
    testsToRun: (file) => {
      const path = file.replaceAll('\\', '/')
      if (store.owns(path)) {
        watched.add(path)
        // A list, even an empty one, would keep Vitest from looking at the file itself.
        return undefined
      }
      const concerned = concernedBy(path)
      if (concerned.length === 0) return undefined
      runImporters(vitest, file)
      return [...concerned]
    },
  })
  // Vitest's triggers know nothing of removed files.
  vitest.vite.watcher.on('unlink', (file) => {
    const path = file.replaceAll('\\', '/')
    if (store.owns(path)) return void watched.delete(path)
    const concerned = concernedBy(path)
    if (concerned.length > 0) runAgain(vitest, concerned, path)
  })
  await selectBySource(vitest, (files) => Promise.resolve(files.flatMap(concernedBy)))
}

function isBelowPart(file: string, suite: string): boolean {
  const folders = testFoldersOf(suite)
  return folders !== null && file.startsWith(`${folders.partDir}/`) && !file.includes('/node_modules/')
}

// A script may be imported by tests of the user's own, which Vitest no longer looks for once a trigger has answered.
function runImporters({ watcher }: Vitest, file: string): void {
  ;(watcher as unknown as { readonly handleFileChanged?: (file: string) => unknown }).handleFileChanged?.(file)
}
