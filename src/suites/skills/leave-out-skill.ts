import type { AgentPackage } from '../../packages/package.ts'

/** The package without one of its skills: neither installed nor listed, and nowhere to be read. */
export function leaveOutSkill(pkg: AgentPackage, name: string): AgentPackage {
  const known = made.get(pkg) ?? new Map<string, AgentPackage>()
  made.set(pkg, known)
  const found = known.get(name) ?? without(pkg, name)
  known.set(name, found)
  return found
}

// Listings and hashes are kept for each package that was read: the same one has to be given for the same.
const made = new WeakMap<AgentPackage, Map<string, AgentPackage>>()

function without(pkg: AgentPackage, name: string): AgentPackage {
  const leftOut = pkg.skills.find((skill) => skill.name === name)
  if (leftOut === undefined) return pkg
  return {
    ...pkg,
    leftOut,
    skills: pkg.skills.filter((skill) => skill !== leftOut),
    agents: pkg.agents.map((agent) => ({ ...agent, skills: agent.skills.filter((skill) => skill !== name) })),
  }
}
