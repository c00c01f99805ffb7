import type { Vite } from 'vitest/node'
import { createAssertModule } from '../modules/assert-module.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { hookRuntimes } from './hook-runtimes.ts'
import { suiteModules } from '../modules/suite-modules.ts'
import { createTestStore, type TestStore } from '../modules/suite-store.ts'

/** The plugin of project `assert`: the files of free tests are its test modules. */
export function createAssertPlugin(options: Pick<ResolvedOptions, 'assertName' | 'engine'>): Vite.Plugin {
  let store: TestStore
  return {
    name: 'agent-evals:asserts',
    ...suiteModules(
      () => store,
      async (suite, text) =>
        createAssertModule(suite, text, hookRuntimes(await store.packageOf(suite.packageRoot), options.engine)),
    ),
    configResolved(config) {
      store = createTestStore(config.root)
    },
    async configureVitest(context) {
      // Loaded by the repositories that have such tests.
      const { openAsserts } = await import('./open-asserts.ts')
      return openAsserts(context, options.assertName, store)
    },
  }
}
