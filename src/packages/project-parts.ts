import { dirname, join, relative } from 'node:path'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { checkRelativePath, normalizeRelativePath } from '../lib/documents/relative-path.ts'
import { stringsIn } from '../lib/json.ts'
import {
  INSTRUCTIONS_FILE,
  PROJECT_FOLDER,
  PROJECT_INSTRUCTIONS,
  ROOT_VARIABLE,
  SERVERS_FILE,
  pathFrom,
} from './package-root.ts'
import type { AgentPackage } from './package.ts'

/**
 * Lists the paths of a project that configure its agent. A project is more than that: what no hook and no server names
 * stays out of the copy.
 */
export function listProjectParts({ root, imports = [], ...pkg }: AgentPackage, fs: TrackedFs): readonly string[] {
  const scripts = namedFiles({ root, ...pkg }, fs).map((file) => {
    const folder = pathFrom(root, dirname(file))
    return folder === '' ? relative(root, file) : folder
  })
  return [...new Set([...PARTS, ...scripts, ...imports])]
}

/** Files and folders of a project that configure an agent, besides the scripts that are named there. */
const PARTS = [
  PROJECT_FOLDER,
  SERVERS_FILE,
  INSTRUCTIONS_FILE,
  PROJECT_INSTRUCTIONS,
  'agents',
  'commands',
  'hooks',
  'mcp',
  'rules',
  'skills',
]

/** Absolute paths of the package's files that its hooks and MCP servers name in their commands. */
function namedFiles({ root, hookGroups, mcpServers }: AgentPackage, fs: TrackedFs): readonly string[] {
  const hooks = hookGroups.flatMap((group) => group.hooks)
  const commands = hooks.flatMap((hook) => (hook.type === 'command' ? [hook.command] : []))
  const words = [...commands, ...mcpServers.flatMap(({ config }) => stringsIn(config))].flatMap(splitCommand)
  const files = words.flatMap((word) => {
    const path = word.replace(ROOT_VARIABLE, '')
    if (!path.includes('.') && !path.includes('/')) return []
    if (checkRelativePath(path) !== null) return []
    const file = join(root, normalizeRelativePath(path))
    return path.split('/').includes('node_modules') || fs.look(file)?.isFile() !== true ? [] : [file]
  })
  return [...new Set(files)]
}

function splitCommand(command: string): readonly string[] {
  // Quotes may end before the path does: "$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh
  return command.replaceAll(/["']/g, '').split(/[\s;&|()<>]+/)
}
