import type { Vite } from 'vitest/node'
import { withBefore } from '../../formats/before.ts'
import { withBaseline } from '../../formats/variants.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { leaveVm, suiteModules } from '../modules/suite-modules.ts'
import { createSuiteStore, loadChanged, type FoundBefore, type SuiteStore } from '../modules/suite-store.ts'
import { createTestModule } from '../modules/test-module.ts'
import { createPlanner, type CasePlanner } from './case-planner.ts'
import { openRun } from './open-run.ts'
import { agentsRootOf, isComparedWithVersion, skillSearch } from './suite-search.ts'

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
