import { basename } from 'node:path'
import { PLUGIN_FILE } from '../../packages/manifest-names.ts'
import type { AgentPackage } from '../../packages/package.ts'

/** A plugin of a case of `claude plugin eval`, as it is on disk. */
export type CasePlugin = Pick<AgentPackage, 'manifest' | 'mcpServers' | 'root'>

/** What names a plugin. */
export type NamedPlugin = Pick<CasePlugin, 'manifest' | 'root'>

/** The name that Claude Code knows a plugin by: a folder without a manifest has its own. */
export function pluginNameOf(plugin: NamedPlugin): string {
  return nameInManifest(plugin) ?? basename(plugin.root)
}

// Claude Code does not read the manifests of other layouts.
function nameInManifest({ manifest }: NamedPlugin): string | null {
  return manifest?.file.endsWith(PLUGIN_FILE) === true ? manifest.name : null
}

/** Where a session finds the plugins of its case. */
export function pluginFolders(plugins: readonly NamedPlugin[], packageRoot: string): readonly string[] {
  return plugins.map((plugin, index) => [packageRoot, ...placeOfPlugin(plugin, index)].join('/'))
}

/**
 * The folder of a plugin below the package: the first is the package itself, unless only its folder says what it is called.
 */
export function placeOfPlugin(plugin: NamedPlugin, index: number): readonly string[] {
  const hasName = nameInManifest(plugin) !== null
  if (index === 0 && hasName) return []
  return ['.agent-evals', 'plugins', String(index + 1), ...(hasName ? [] : [basename(plugin.root)])]
}
