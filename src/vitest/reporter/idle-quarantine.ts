import type { TestModule } from 'vitest/node'
import { identifyCase } from '../../case/plan/plan-case.ts'
import { findIdle, type QuarantinedCase } from '../../case/plan/quarantine.ts'
import { discoverEvals } from '../../formats/discover.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'

/**
 * Names the entries of the option `quarantine` that name no case, one sentence each. Nothing is said while files of tests
 * in TypeScript were not collected in this run: what their tests are called is not known.
 */
export async function describeIdle(
  modules: readonly TestModule[],
  { store, settings, userProjects }: Pick<EvalsReporterOptions, 'settings' | 'store' | 'userProjects'>,
): Promise<readonly string[]> {
  const { quarantine, root } = settings
  if (quarantine.length === 0) return []
  const collected = new Set(modules.map(({ moduleId }) => moduleId))
  const files = await store.find()
  const written = [...(await discoverEvals(root)).ours, ...userProjects].filter((file) => !files.includes(file))
  if (written.some((file) => !collected.has(file))) return []
  const suites = await Promise.all(files.map((file) => store.load(file)))
  const cases = suites.flatMap((suite) => suite.cases.map((one): QuarantinedCase => identifyCase(suite, one, settings)))
  const tests = modules
    .filter(({ moduleId }) => written.includes(moduleId))
    .flatMap((module) => [...module.children.allTests()])
    .map(({ fullName }): QuarantinedCase => ({ name: fullName, id: fullName }))
  const known = [...cases, ...tests]
  return findIdle(quarantine, known).map(({ case: pattern }) => {
    const near = suggestName(
      pattern,
      known.map(({ name }) => name),
    )
    return `The quarantine of ${JSON.stringify(pattern)} names no case.${near} Correct the entry, or remove it.`
  })
}
