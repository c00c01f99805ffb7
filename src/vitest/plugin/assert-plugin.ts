import { readFile } from 'node:fs/promises'
import type { Vite } from 'vitest/node'
import { createAssertModule } from './assert-module.ts'
import { keepLink } from './keep-link.ts'
import type { ResolvedOptions } from './options.ts'
import { runtimesOf } from './runtimes-of.ts'
import { createTestStore, suiteError, type TestStore } from './suite-store.ts'

/** The plugin of project `assert`: the files of free tests are its test modules. */
export function createAssertPlugin(options: Pick<ResolvedOptions, 'assertName' | 'engine'>): Vite.Plugin {
  let store: TestStore
  return {
    name: 'agent-evals:asserts',
    enforce: 'pre',
    configResolved(config) {
      store = createTestStore(config.root)
    },
    resolveId: { order: 'pre', handler: (source) => keepLink(source, store) },
    load: {
      order: 'pre',
      // The suite's own reader opens it: it does not hang on a pipe and accepts no bytes that are not UTF-8.
      handler: (id) => (store.owns(id) ? '' : undefined),
    },
    transform: {
      order: 'pre',
      async handler(_code, id) {
        if (!store.owns(id)) return
        const suite = await store.load(id)
        const error = suiteError(suite, store.root)
        if (error !== null) throw error
        const runtimes = runtimesOf(await store.packageOf(suite.packageRoot), options.engine)
        return createAssertModule(suite, await readFile(id, 'utf8'), runtimes)
      },
    },
    async configureVitest(context) {
      // Loaded by the repositories that have such tests.
      const { openAsserts } = await import('./open-asserts.ts')
      return openAsserts(context, options.assertName, store)
    },
  }
}
