import { createMemo } from '../lib/memo.ts'
import { barePackage, type AgentPackage } from '../packages/package.ts'

// Listings and hashes are kept for each package that was read: the same one has to be given for the same.
const madeOnce = createMemo<AgentPackage>()

/** The package without one of its skills: neither installed nor listed, and nowhere to be read. */
export function leaveOutSkill(pkg: AgentPackage, name: string): AgentPackage {
  const leftOut = pkg.skills.find((skill) => skill.name === name)
  if (leftOut === undefined) return pkg
  return madeOnce(pkg, `without ${name}`, () => ({
    ...pkg,
    leftOut,
    skills: pkg.skills.filter((skill) => skill !== leftOut),
    agents: pkg.agents.map((agent) => ({ ...agent, skills: agent.skills.filter((skill) => skill !== name) })),
  }))
}

/** The package without its hooks. */
export function leaveOutHooks(pkg: AgentPackage): AgentPackage {
  if (pkg.hookGroups.length === 0) return pkg
  return madeOnce(pkg, 'no hooks', () => ({ ...pkg, hookGroups: [], hooksFile: null }))
}

/** A package of which a session gets nothing: the arm without the plugin. */
export function leaveOutPlugin(pkg: AgentPackage): AgentPackage {
  return madeOnce(pkg, 'nothing', () => ({ ...barePackage({ root: pkg.root, skills: [] }), only: [] }))
}
