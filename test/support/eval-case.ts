import type { EvalCase } from '../../src/suites/suite.ts'

/** A case that expects nothing, apart from what is given. */
export function evalCase(parts: Partial<EvalCase> & Pick<EvalCase, 'id'>): EvalCase {
  const at = { line: 1, column: 1 }
  return {
    name: parts.id,
    description: null,
    target: null,
    prompt: 'p',
    files: [],
    workspaceFiles: [],
    checks: [],
    criteria: null,
    tags: [],
    category: null,
    timeout: null,
    at,
    promptAt: parts.at ?? at,
    ...parts,
  }
}
