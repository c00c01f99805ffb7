import type { EvalCase, Suite } from './suite.ts'

/** Makes each case one per engine, by name and tag, where several are asked for. */
export function expandEngines(suite: Suite, engines: readonly string[]): Suite {
  if (engines.length < 2) return suite
  return { ...suite, cases: suite.cases.flatMap((evalCase) => engines.map((engine) => caseFor(evalCase, engine))) }
}

function caseFor(evalCase: EvalCase, engine: string): EvalCase {
  const tags = evalCase.tags.includes(engine) ? evalCase.tags : [...evalCase.tags, engine]
  return { ...evalCase, name: nameOnEngine(evalCase.name, engine), tags, engine }
}

/** The name of a case that there is one of for each engine. */
export function nameOnEngine(name: string, engine: string): string {
  return `${name} (${engine})`
}

/** What tells the name of a test with the earlier version from that of its case. */
export const BEFORE = ' (before)'
