import { relative } from 'node:path'
import { ownFile } from '../../own-folder.ts'
import { discoverTests, escapePath, neverSuiteGlobs } from '../../suites/discover.ts'
import { TEST_GLOBS } from '../../suites/tests/test-place.ts'
import { createAssertPlugin } from './assert-plugin.ts'
import { OWN_FILES } from '../modules/own-files.ts'
import { projectRoot } from './project-root.ts'
import type { Vite } from 'vitest/node'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import type { ResolvedOptions } from '../../options/options.ts'

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
