import { join } from 'node:path'
import { INSTRUCTIONS_FILE, PROJECT_FOLDER, SERVERS_FILE } from '../../packages/manifest-names.ts'
import type { Installation } from '../engine.ts'
import type { AgentPackage } from '../../packages/package.ts'

/** Copies the rest of a project's own configuration to where it is in the project, such as scripts of hooks. */
export function copyProject({ root, only = [] }: AgentPackage): Installation['copies'] {
  const paths = only.filter((path) => !INSTALLED.has(path))
  return paths.map((path) => ({
    from: join(root, path),
    to: path,
    exclude: path === PROJECT_FOLDER ? INSTALLED_BELOW : [],
    optional: true,
  }))
}

// These are installed part by part.
const INSTALLED: ReadonlySet<string> = new Set([
  SERVERS_FILE,
  INSTRUCTIONS_FILE,
  'agents',
  'commands',
  'mcp',
  'rules',
  'skills',
])
const INSTALLED_BELOW = ['agents', 'commands', 'evals', 'settings.json', 'skills']
