import { barePackage, type AgentPackage } from '../../src/packages/package.ts'
import type { Suite } from '../../src/suites/suite.ts'

/** A package that holds nothing but what is given. */
export function agentPackage(root: string, parts: Partial<AgentPackage> = {}): AgentPackage {
  return barePackage({ skills: [], ...parts, root })
}

/** The parts of a suite that inputs are read from. */
export function suiteOf(root: string, configFile: string | null = null): Pick<Suite, 'file' | 'config'> {
  const config = {
    file: configFile,
    engine: null,
    timeout: null,
    judge: null,
    network: false,
    writablePaths: null,
    env: {},
  }
  return { file: `${root}/evals/cases/a.yaml`, config }
}

/** A skill as it lies in the standard place. */
export function skillOf(root: string, name: string): AgentPackage['skills'][number] {
  const dir = `${root}/skills/${name}`
  return { name, dir, file: `${dir}/SKILL.md`, description: '', body: '' }
}

/** Where entries of a case are declared in these tests. */
export const AT = { line: 7, column: 5 }
