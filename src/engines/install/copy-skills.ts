import { INSTRUCTIONS_FILE } from '../../packages/manifest-names.ts'
import type { InstallRequest, Installation } from '../engine.ts'

/** Copies the asked skills below `folder` of the workspace, without what would give the answers away. */
export function copySkills(request: InstallRequest, folder: string): Pick<Installation, 'copies' | 'warnings'> {
  const known = new Map(request.package.skills.map((skill) => [skill.name, skill]))
  const missing = request.skills.filter((name) => !known.has(name))
  const found = request.skills.flatMap((name) => known.get(name) ?? [])
  return {
    copies: found.map(({ name, dir }) => ({ from: dir, to: `${folder}/${name}`, exclude: ['tests', 'evals'] })),
    warnings: missing.map((name) => `The skill "${name}" is not in ${request.package.root}, so it is not installed.`),
  }
}

/** Copies the package's AGENTS.md to where engines look for it. */
export function copyInstructions({ package: { instructionsFile } }: InstallRequest): Installation['copies'] {
  return instructionsFile === null ? [] : [{ from: instructionsFile, to: INSTRUCTIONS_FILE, exclude: [] }]
}
