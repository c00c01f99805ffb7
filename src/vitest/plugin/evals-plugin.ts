import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Vite } from 'vitest/node'
import { placeBefore, withBefore, type BeforeVersion } from '../../formats/before.ts'
import type { SkillSearch } from '../../formats/skill-evals/skill-suites.ts'
import { withBaseline } from '../../formats/variants.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isFile } from '../../lib/files.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { pathBelow } from '../../packages/package-root.ts'
import { leaveVm, suiteModules } from '../modules/suite-modules.ts'
import { createSuiteStore, loadChanged, type FoundBefore, type SuiteStore } from '../modules/suite-store.ts'
import { createTestModule } from '../modules/test-module.ts'
import { createPlanner, type CasePlanner } from './narrow-runs.ts'
import { openRun } from './open-run.ts'

/** The plugin of project `evals`: its suite files are its test modules. */
export function createEvalsPlugin(options: ResolvedOptions, before: ReadonlyMap<string, FoundBefore>): Vite.Plugin {
  let store: SuiteStore
  let planner: CasePlanner
  return {
    name: 'agent-evals:suites',
    ...suiteModules(
      () => store,
      async (suite, text) => createTestModule(suite, text, await planner.of(suite)),
    ),
    configResolved(config) {
      const whole = createSuiteStore(
        config.root,
        skillSearch(config.root, options),
        agentsRootOf(config.root, options),
        options,
        before,
      )
      store = withArms(whole, options)
      planner = createPlanner(store, options)
      leaveJsonSuites(config.plugins, store)
    },
    configureVitest(context) {
      // Vitest 4 has taken these out of `define` before our plugin can pass it on.
      Object.assign((context.project.config.defines ??= {}), context.vitest.config.defines)
      leaveVm(context)
      return openRun(context, options, store, planner)
    },
  }
}

// All that looks at a suite sees the same cases: selection, plan, tests, shards and filters.
function withArms(store: SuiteStore, options: ResolvedOptions): SuiteStore {
  return {
    ...store,
    load: loadChanged(
      (file) => store.load(file),
      (suite) => {
        const suites = withBaseline(suite, options)
        return isComparedWithVersion(options) ? withBefore(suites) : suites
      },
    ),
  }
}

/**
 * The suites of the version that a run is compared with, as far as they are below its root; `null` where it lacks the
 * folder in which the options look for them.
 */
export function storeOfVersion(version: BeforeVersion, options: ResolvedOptions): SuiteStore | null {
  const now = resolve(options.root ?? version.now)
  const root = placeBefore(version, now) ?? version.root
  const placed = (path: string | null): string | null =>
    path === null ? null : (placeBefore(version, resolve(now, path)) ?? path)
  const placedOptions = { ...options, evals: placed(options.evals), agentsRoot: placed(options.agentsRoot) }
  if ([placedOptions.evals, placedOptions.agentsRoot].some((path) => path !== null && !existsSync(path))) return null
  return createSuiteStore(root, skillSearch(root, placedOptions), agentsRootOf(root, placedOptions), placedOptions)
}

/** Whether a version is run as well; a report to compare with is a file. */
export function isComparedWithVersion({ against }: Pick<ResolvedOptions, 'against'>): boolean {
  return against !== null && !isFile(resolve(against))
}

// Vite 6 and 7 parse what any transform returns for a `.json` file as JSON again; Vite 8 goes by `moduleType`.
function leaveJsonSuites(plugins: readonly Vite.Plugin[], store: SuiteStore): void {
  const json = plugins.find((plugin) => plugin.name === 'vite:json')
  const transform = json?.transform
  if (json === undefined || transform === undefined) return
  const parse = typeof transform === 'function' ? transform : transform.handler
  const handler: typeof parse = function (code, id, ...rest) {
    return store.owns(id) ? null : parse.call(this, code, id, ...rest)
  }
  json.transform = typeof transform === 'function' ? handler : { ...transform, handler }
}

/** Where the evals of skills are looked for, as the options say. */
export function skillSearch(
  root: string,
  { evals, target, fields }: Pick<ResolvedOptions, 'evals' | 'fields' | 'target'>,
): SkillSearch {
  const skill = target !== null && target.startsWith('skill:') ? target.slice('skill:'.length) : null
  return { evals: evals === null ? null : resolve(root, evals), skill, fields }
}

/**
 * Where agents with golden tests are looked for.
 *
 * @throws {AgentEvalsError} `invalid-options` for a folder outside the Vitest root, whose tests no project could hold.
 */
export function agentsRootOf(root: string, { agentsRoot }: Pick<ResolvedOptions, 'agentsRoot'>): string {
  const path = resolve(root, agentsRoot ?? '.')
  if (path === root || pathBelow(root, path) !== null) return path
  throw new AgentEvalsError(
    'invalid-options',
    `\`agentsRoot\` names ${path}, which is outside the Vitest root ${root}. Use a --root that contains both.`,
  )
}
