import { barePackage, type AgentPackage } from '../packages/package.ts'

/** A package of which a session gets nothing: the arm without the plugin. */
export function leaveOutPlugin(pkg: AgentPackage): AgentPackage {
  const known = made.get(pkg) ?? { ...barePackage({ root: pkg.root, skills: [] }), only: [] }
  made.set(pkg, known)
  return known
}

// Listings and hashes are kept for each package that was read: the same one has to be given for the same.
const made = new WeakMap<AgentPackage, AgentPackage>()
