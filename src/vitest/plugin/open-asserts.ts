import { killTagged, scriptTag } from '../../sandbox/process/process-tree.ts'
import { projectCommand } from '../../report/rerun-command.ts'
import { startOrphanCleanup } from '../../session/sweep-leftovers.ts'
import { sweepLeftovers } from '../../session/sweep-leftovers.ts'
import { createWorkspace } from '../../session/workspace.ts'
import type { VitestPluginContext } from 'vitest/node'
import { leaveTransformCache } from '../modules/own-files.ts'
import type { TestStore } from '../modules/suite-store.ts'
import { watchAssert } from '../watch/watch-assert.ts'
import '../provided.ts'

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
