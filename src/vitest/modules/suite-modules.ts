import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Vite, VitestPluginContext } from 'vitest/node'
import { suiteError } from './suite-store.ts'
import { escapePattern } from '../../lib/text.ts'
import { ownFile } from '../../own-folder.ts'

/** The suites of a project, as its plugin sees them. */
interface SuiteFiles<S extends Parameters<typeof suiteError>[0]> {
  readonly root: string
  owns(id: string): boolean
  load(id: string): Promise<S>
}

/** Hooks of a Vite plugin that make suite files test modules. `store` is known once the configuration is resolved. */
export function suiteModules<S extends Parameters<typeof suiteError>[0]>(
  store: () => SuiteFiles<S>,
  createModule: (suite: S, text: string) => Promise<Vite.Rollup.TransformResult>,
): Pick<Vite.Plugin, 'enforce' | 'load' | 'resolveId' | 'transform'> {
  return {
    enforce: 'pre',
    resolveId: { order: 'pre', handler: (source) => keepLink(source, store()) },
    load: {
      order: 'pre',
      // The suite's own reader opens it: it does not hang on a pipe and accepts no bytes that are not UTF-8. What is
      // returned here only has to be valid JSON, for the JSON plugin of Vite.
      handler: (id) => (store().owns(id) ? 'null' : undefined),
    },
    transform: {
      order: 'pre',
      async handler(_code, id) {
        if (!store().owns(id)) return
        const suite = await store().load(id)
        const error = suiteError(suite, store().root)
        if (error !== null) throw error
        return createModule(suite, await readFile(id, 'utf8'))
      },
    },
  }
}

/**
 * Resolves a suite file to itself. Vite would follow a link, and an error would show what it points to.
 *
 * @returns the absolute path, or `undefined` for what is no suite file.
 */
function keepLink(
  source: string,
  { root, owns }: { readonly root: string; readonly owns: (file: string) => boolean },
): string | undefined {
  if (!isAbsolute(source)) return undefined
  // A test file is asked for by its path on the disk, or below the root.
  return [source, join(root, source)].find((file) => owns(file))
}

/** Our own files. Outside node_modules, as where the package is linked, Vite would transform each for each worker. */
export const OWN_FILES: RegExp = new RegExp(`^${escapePattern(ownFile('.'))}`)

/** Keeps a project in plain threads where `--pool` asks for VM contexts, which lack `Symbol.asyncDispose` before Node 24. */
export function leaveVm({ project: { config } }: VitestPluginContext): void {
  if (config.pool.startsWith('vm')) config.pool = 'threads'
}

/** Vitest 5 keeps transforms on disk by their source alone, but ours depend on other files too. */
export function leaveTransformCache(context: VitestPluginContext, owns: (file: string) => boolean): void {
  const withNames = context as VitestPluginContext & { defineCacheKeyGenerator?: CacheKeyDefiner }
  const define: CacheKeyDefiner | undefined =
    withNames.defineCacheKeyGenerator ?? context.experimental_defineCacheKeyGenerator
  define?.(({ id }) => (owns(id.split('?')[0] ?? id) ? false : undefined))
}

type CacheKeyDefiner = (generate: (request: { readonly id: string }) => false | undefined) => void
