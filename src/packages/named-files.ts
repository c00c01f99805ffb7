import { ROOT_VARIABLE } from './root-variables.ts'
import { join } from 'node:path'
import { checkRelativePath, normalizeRelativePath } from '../documents/relative-path.ts'
import { stringsIn } from '../json-fields.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { AgentPackage } from './package.ts'

/** Absolute paths of the package's files that its hooks and MCP servers name in their commands. */
export function namedFiles({ root, hookGroups, mcpServers }: AgentPackage, fs: TrackedFs): readonly string[] {
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
