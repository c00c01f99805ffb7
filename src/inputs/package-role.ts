import { dirname } from 'node:path'
import { pathFrom } from '../packages/package-root.ts'
import { PROJECT_FOLDER, PROJECT_INSTRUCTIONS } from '../packages/manifest-names.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { Input } from './input.ts'

/** Says what each path of a package is to its sessions, by the parts that were read from it. */
export function packageRole(pkg: AgentPackage): (path: string) => Pick<Input, 'role' | 'part'> {
  // What an agent knows, its persona included, is one thing: its vault.
  if (pkg.vault === true) return () => ({ role: 'vault', part: null })
  const below = (file: string): string => pathFrom(pkg.root, file)
  const files = new Map<string, Pick<Input, 'role' | 'part'>>([['package.agent.lock', { role: 'lock', part: null }]])
  if (pkg.manifest !== null) files.set(below(pkg.manifest.file), { role: 'manifest', part: null })
  if (pkg.hooksFile !== null) files.set(below(pkg.hooksFile), { role: 'hook', part: null })
  if (pkg.mcpFile !== null) files.set(below(pkg.mcpFile), { role: 'mcp', part: null })
  if (pkg.instructionsFile !== null) files.set(below(pkg.instructionsFile), { role: 'instructions', part: null })
  for (const command of pkg.commands) files.set(below(command.file), { role: 'command', part: command.name })
  for (const rule of pkg.rules) files.set(below(rule.file), { role: 'rule', part: rule.name })
  for (const agent of pkg.agents) {
    files.set(below(agent.file), { role: 'agent', part: agent.name })
    files.set(below(agent.promptFile), { role: 'agent', part: agent.name })
  }
  const folders: readonly (readonly [string, Pick<Input, 'role' | 'part'>])[] = [
    ...pkg.skills.map(
      (skill) => [skill.dir === pkg.root ? '' : `${below(skill.dir)}/`, { role: 'skill', part: skill.name }] as const,
    ),
    ...pkg.rules.flatMap((rule) => ownFolder(below(rule.file), { role: 'rule', part: rule.name })),
    ...pkg.agents.flatMap((agent) => ownFolder(below(agent.file), { role: 'agent', part: agent.name })),
    ['skills/', { role: 'skill', part: null }],
    ['agents/', { role: 'agent', part: null }],
    ['commands/', { role: 'command', part: null }],
    ['rules/', { role: 'rule', part: null }],
    ['hooks/', { role: 'hook', part: null }],
    ['mcp/', { role: 'mcp', part: null }],
    [`${PROJECT_FOLDER}/hooks/`, { role: 'hook', part: null }],
    [`${PROJECT_FOLDER}/rules/`, { role: 'rule', part: null }],
  ]
  for (const name of [PROJECT_INSTRUCTIONS, `${PROJECT_FOLDER}/${PROJECT_INSTRUCTIONS}`]) {
    if (pkg.layout === 'project') files.set(name, { role: 'instructions', part: null })
  }
  return (path) =>
    files.get(path) ?? folders.find(([folder]) => path.startsWith(folder))?.[1] ?? { role: 'package-file', part: null }
}

function ownFolder(
  file: string,
  is: Pick<Input, 'role' | 'part'>,
): readonly (readonly [string, Pick<Input, 'role' | 'part'>])[] {
  const folder = dirname(file)
  return folder.split('/').length > 1 ? [[`${folder}/`, is]] : []
}
