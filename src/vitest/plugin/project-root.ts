import { resolve } from 'node:path'
import type { Vite } from 'vitest/node'
import type { ResolvedOptions } from '../../options/options.ts'

/** Absolute path of the folder below which our projects look for files. */
export function projectRoot(config: Vite.UserConfig, { root }: Pick<ResolvedOptions, 'root'>): string {
  // Vitest 5 keeps the flag `--root` among its own options, Vitest 4 among those of Vite.
  return resolve(config.test?.root ?? config.root ?? process.cwd(), root ?? '.')
}
