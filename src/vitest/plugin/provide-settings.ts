import type { TestProject } from 'vitest/node'
import type { RunSettings } from '../../settings.ts'
import '../provided.ts'

/** Gives the workers of a project their settings. Lists hold functions, which no worker can be sent: it gets their module. */
export function provideSettings(project: TestProject, { lists, ...settings }: RunSettings): void {
  const module = lists?.module
  project.provide('agentEvals', module === undefined ? settings : { ...settings, lists: { module } })
}
