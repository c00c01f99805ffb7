import { barePackage, type AgentPackage } from '../../src/packages/package.ts'
import { AAM_DEFAULTS } from '../../src/formats/aam/aam-defaults.ts'
import type { Suite } from '../../src/formats/suite.ts'

/** A package that holds nothing but what is given. */
export function agentPackage(root: string, parts: Partial<AgentPackage> = {}): AgentPackage {
  return barePackage({ skills: [], ...parts, root })
}

/** The parts of a suite that inputs are read from. */
export function suiteOf(root: string, configFile: string | null = null): Pick<Suite, 'file' | 'config'> {
  return { file: `${root}/evals/cases/a.yaml`, config: { ...AAM_DEFAULTS, file: configFile } }
}

/** A skill as it lies in the standard place. */
export function skillOf(root: string, name: string): AgentPackage['skills'][number] {
  const dir = `${root}/skills/${name}`
  return { name, dir, file: `${dir}/SKILL.md`, description: '', body: '' }
}

/** Where entries of a case are declared in these tests. */
export const AT = { line: 7, column: 5 }
