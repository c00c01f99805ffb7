import { mkdirSync, realpathSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { removeWorkspace } from '../../src/session/workspace.ts'

/** A folder with no links in its path, as an agent finds it. */
export async function agentWorkspace(tree: Record<string, string> = {}): Promise<AgentWorkspace> {
  const fixture = await createFixture(prefixed(tree))
  const outside = realpathSync(fixture.path)
  mkdirSync(`${outside}/workspace`, { recursive: true })
  return {
    root: `${outside}/workspace`,
    outside,
    async [Symbol.asyncDispose]() {
      const warning = await removeWorkspace(outside)
      if (warning !== null) throw new Error(warning)
    },
  }
}

/** A workspace with a folder around it. */
export interface AgentWorkspace extends AsyncDisposable {
  readonly root: string
  readonly outside: string
}

function prefixed(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).map(([path, text]) => [`workspace/${path}`, text]))
}
