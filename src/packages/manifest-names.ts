import { join } from 'node:path'

/** Names of the manifest; the first one that exists counts. */
export const MANIFEST_NAMES: readonly string[] = ['package.agent.json', 'package.agent.yaml']

/** The manifest of a Claude Code plugin, relative to its folder. */
export const PLUGIN_FILE: string = join('.claude-plugin', 'plugin.json')

/** The folder of Claude Code's that makes a project a package. */
export const PROJECT_FOLDER = '.claude'
