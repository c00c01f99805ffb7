import { PLAIN_CASE, type CaseBase, type CaseMatter, type EvalCase } from '../../src/formats/suite.ts'

type Given<Matter> = Matter extends { readonly kind: infer Kind }
  ? Omit<Matter, 'kind'> & { readonly kind?: Kind }
  : never

/** A case that expects nothing, apart from what is given. Its kind is that of what it asks. */
export function evalCase(parts: Given<CaseMatter> & Partial<CaseBase> & Pick<CaseBase, 'id'>): EvalCase {
  const at = { line: 1, column: 1 }
  return {
    kind:
      'trigger' in parts ? 'trigger' : 'pluginEval' in parts ? 'plugin-eval' : 'golden' in parts ? 'golden' : 'task',
    ...PLAIN_CASE,
    name: parts.id,
    prompt: 'p',
    at,
    promptAt: parts.at ?? at,
    ...parts,
  } as EvalCase
}
