import { join } from 'node:path'

/** Names of the manifest; the first one that exists counts. */
export const MANIFEST_NAMES: readonly string[] = ['package.agent.json', 'package.agent.yaml']

/** The manifest of a Claude Code plugin, relative to its folder. */
export const PLUGIN_FILE: string = join('.claude-plugin', 'plugin.json')

/** The file in which a repository lists its plugins. */
export const MARKETPLACE_FILE: string = join('.claude-plugin', 'marketplace.json')

/** Folders of manifests of plugins, for Claude Code and Codex. */
export const PLUGIN_FOLDERS: readonly string[] = ['.claude-plugin', '.codex-plugin']

/** The folder of Claude Code's that makes a project a package. */
export const PROJECT_FOLDER = '.claude'

/** Instructions of a project for Claude Code alone. */
export const PROJECT_INSTRUCTIONS = 'CLAUDE.md'

/** What of a project's folder is one person's: settings, and checkouts of other branches. */
export const PERSONAL_PATHS: ReadonlySet<string> = new Set(['.claude/settings.local.json', '.claude/worktrees'])

/** Servers of a plugin or project. */
export const SERVERS_FILE = '.mcp.json'

/** Instructions that every engine reads. */
export const INSTRUCTIONS_FILE = 'AGENTS.md'
