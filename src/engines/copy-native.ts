import { basename, join } from 'node:path'
import { fileNameOf } from './file-name.ts'
import type { Installation } from './engine.ts'
import type { AgentPackage } from '../packages/package.ts'

type Copies = Installation['copies']

/** Copies the commands and agents that are written for Claude Code, unchanged. */
export function copyNativeParts({ commands, agents }: AgentPackage): Copies {
  return [
    ...commands
      .filter(({ native }) => native === true)
      .map(({ name, file }) => copyOf(file, `.claude/commands/${name.split(':').map(fileNameOf).join('/')}.md`)),
    ...agents
      .filter(({ native }) => native === true)
      .map(({ file }) => copyOf(file, `.claude/agents/${fileNameOf(basename(file, '.md'))}.md`)),
  ]
}

/** Copies the rest of a project's own configuration to where it is in the project, such as scripts of hooks. */
export function copyProject({ root, only = [] }: AgentPackage): Copies {
  const paths = only.filter((path) => !INSTALLED.has(path))
  return paths.map((path) => ({
    from: join(root, path),
    to: path,
    exclude: path === '.claude' ? INSTALLED_BELOW : [],
    optional: true,
  }))
}

function copyOf(from: string, to: string): Copies[number] {
  return { from, to, exclude: [] }
}

// These are installed part by part.
const INSTALLED = new Set(['.mcp.json', 'AGENTS.md', 'agents', 'commands', 'mcp', 'rules', 'skills'])
const INSTALLED_BELOW = ['agents', 'commands', 'evals', 'settings.json', 'skills']
