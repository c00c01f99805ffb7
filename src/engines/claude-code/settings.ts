import { dirname } from 'node:path/posix'
import { formatJson } from '../../json.ts'
import type { SessionPaths } from '../engine.ts'

/** Settings of every session, below the config folder. */
export const SETTINGS_FILE = 'session-settings.json'

/** The package's MCP servers, below the config folder. */
export const MCP_FILE = 'mcp-servers.json'

/** What the project's own settings cannot say: permissions of an untrusted project do not count. */
export function sessionSettings(paths: SessionPaths, mcpServers: readonly string[]): string {
  const settings = {
    // The one skill of the CLI's own that no variable removes.
    enabledPlugins: { 'cc-plugin-plugin-authoring@builtin': false },
    // Instructions in folders above the workspace would load otherwise.
    claudeMdExcludes: ancestors(paths.workspace).flatMap((folder) => [
      `${folder}/CLAUDE.md`,
      `${folder}/CLAUDE.local.md`,
      `${folder}/AGENTS.md`,
      `${folder}/.claude/CLAUDE.md`,
      `${folder}/.claude/rules/**`,
    ]),
    permissions: { allow: mcpServers.map((server) => `mcp__${server.replaceAll(/[^\w-]/g, '_')}`) },
  }
  return formatJson(settings)
}

function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder)
  if (parent === folder) return []
  return [parent === '/' ? '' : parent, ...ancestors(parent)]
}
