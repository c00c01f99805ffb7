import type { VitestPluginContext } from 'vitest/node'
import { escapePattern } from '../../lib/text.ts'
import { ownFile } from '../../own-folder.ts'

/** Our own files. Outside node_modules, as where the package is linked, Vite would transform each for each worker. */
export const OWN_FILES: RegExp = new RegExp(`^${escapePattern(ownFile('.'))}`)

/** Vitest 5 keeps transforms on disk by their source alone, but ours depend on other files too. */
export function leaveTransformCache(context: VitestPluginContext, owns: (file: string) => boolean): void {
  const withNames = context as VitestPluginContext & { defineCacheKeyGenerator?: CacheKeyDefiner }
  const define: CacheKeyDefiner | undefined =
    withNames.defineCacheKeyGenerator ?? context.experimental_defineCacheKeyGenerator
  define?.(({ id }) => (owns(id.split('?')[0] ?? id) ? false : undefined))
}

type CacheKeyDefiner = (generate: (request: { readonly id: string }) => false | undefined) => void
