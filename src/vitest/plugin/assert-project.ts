import { relative } from 'node:path'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import type { Vite } from 'vitest/node'
import type { Runtime } from '../../case/free-tests/hook-payload.ts'
import { engines } from '../../engines/registry.ts'
import { discoverTests, escapePath, neverSuiteGlobs } from '../../formats/discover.ts'
import { DEFAULT_ENGINE } from '../../formats/suite.ts'
import { TEST_GLOBS } from '../../formats/places.ts'
import { isJsonObject } from '../../lib/json.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { Layered } from '../../options/option.ts'
import { ownFile } from '../../own-folder.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { leaveVm, OWN_FILES, suiteModules } from '../modules/suite-modules.ts'
import { createTestStore, type TestStore } from '../modules/suite-store.ts'
import { createAssertModule } from '../modules/test-module.ts'
import { projectRoot } from './user-projects.ts'

/** The project of the free tests; `null` where there are none, so that nothing changes for such a repository. */
export async function assertProject(
  config: Vite.UserConfig,
  options: Pick<ResolvedOptions, 'assertName' | 'engine' | 'exclude' | 'root'>,
): Promise<TestProjectInlineConfiguration | null> {
  const root = projectRoot(config, options)
  const { ours, others } = await discoverTests(root)
  if (ours.length === 0) return null
  return {
    // As for the evals: nothing of the user's own tests.
    ...({ extends: false } as object),
    ...(options.root === null ? {} : { root: options.root }),
    plugins: [createAssertPlugin(options)],
    test: {
      name: { label: options.assertName, color: 'cyan' },
      include: [...TEST_GLOBS],
      exclude: [
        ...neverSuiteGlobs(ours.map((file) => relative(root, file))),
        ...others.map(escapePath),
        ...options.exclude,
      ],
      setupFiles: [ownFile('vitest/runtime/setup.js')],
      includeTaskLocation: true,
      // Each test has the deadline of its test-config.json.
      testTimeout: 0,
      pool: 'threads',
      // Scripts are processes of their own, each in a copy of its package.
      isolate: false,
      sequence: { groupOrder: 2 },
      server: { deps: { external: [OWN_FILES] } },
    },
  }
}

/** The plugin of project `assert`: the files of free tests are its test modules. */
function createAssertPlugin(options: Pick<ResolvedOptions, 'assertName' | 'engine'>): Vite.Plugin {
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
      leaveVm(context)
      // Loaded by the repositories that have such tests.
      const { openAsserts } = await import('./open-asserts.ts')
      return openAsserts(context, options.assertName, store)
    },
  }
}

/**
 * The runtimes in whose spelling a package's hooks are tested too: the default engine, and others with hook events of
 * their own where the package's manifest or the option `engine` names them. The format itself knows no hooks on those,
 * so that other packages are not held to them.
 */
function hookRuntimes({ manifest }: AgentPackage, engine: Layered<string>): readonly Runtime[] {
  const listed = manifest?.raw['engines']
  const named = Array.isArray(listed) ? listed : isJsonObject(listed) ? Object.keys(listed) : []
  const names = new Set([...named, engine.environment, engine.option, DEFAULT_ENGINE])
  return Object.keys(engines).filter((name) => engines[name]?.hookRuntime !== undefined && names.has(name))
}
