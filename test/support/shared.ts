import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'vitest'
import { REPOSITORY } from './repository.ts'

/** The folder of specs and samples beside the repository; `null` where it is absent. */
export const SHARED: string | null = existsSync(sibling()) ? sibling() : null

/** A `describe` whose tests need the folder `../shared`: without it they are one skipped test that says why. */
export function describeShared(name: string, define: (shared: string) => void): void {
  describe(name, () => {
    if (SHARED !== null) return define(SHARED)
    test('needs ../shared', ({ skip }) => skip('the folder ../shared is not beside the repository'))
  })
}

function sibling(): string {
  return join(dirname(REPOSITORY), 'shared')
}
