import { basename } from 'node:path'
import type { AgentPackage } from '../packages/package.ts'

/** A plugin of a case of `claude plugin eval`, as it is on disk. */
export type CasePlugin = Pick<AgentPackage, 'manifest' | 'mcpServers' | 'root'>

/** The name that Claude Code knows a plugin by: a folder without a manifest has its own. */
export function pluginNameOf({ manifest, root }: Pick<CasePlugin, 'manifest' | 'root'>): string {
  return manifest?.name ?? basename(root)
}

/** Where a session finds the plugins of its case: the first is the package itself, the others lie below it. */
export function pluginFolders(plugins: readonly CasePlugin[], packageRoot: string): readonly string[] {
  return plugins.map((_, index) => (index === 0 ? packageRoot : `${packageRoot}/${furtherPlugin(index)}`))
}

/** The folder of a plugin that is not the first, below the package. */
export function furtherPlugin(index: number): string {
  return `.agent-evals/plugins/${index + 1}`
}
