import { basename } from 'node:path'
import { fileNameOf } from '../install/file-name.ts'
import type { Installation } from '../engine.ts'
import type { AgentPackage } from '../../packages/package.ts'

/** Copies the commands and agents that are written for Claude Code, unchanged. */
export function copyNativeParts({ commands, agents }: AgentPackage): Installation['copies'] {
  return [
    ...commands
      .filter(({ native }) => native === true)
      .map(({ name, file }) => copyOf(file, `.claude/commands/${name.split(':').map(fileNameOf).join('/')}.md`)),
    ...agents
      .filter(({ native }) => native === true)
      .map(({ file }) => copyOf(file, `.claude/agents/${fileNameOf(basename(file, '.md'))}.md`)),
  ]
}

function copyOf(from: string, to: string): Installation['copies'][number] {
  return { from, to, exclude: [] }
}
