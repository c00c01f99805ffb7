import { nearestName } from '../documents/nearest-name.ts'
import { variableOf, variableOptions } from './option.ts'
import { OPTIONS } from './options.ts'

/** A sentence for each set variable that is no option of ours, but was probably meant as one: `AGENT_EVALS_ENGIN`. */
export function describeUnknownVariables(environment: Readonly<Record<string, unknown>>): readonly string[] {
  const known = [...variableOptions(OPTIONS).map(([name]) => variableOf(name)), ...OTHERS]
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith(PREFIX) || known.includes(name)) return []
    // The prefix is the same in all of them, so it must not make them look alike.
    const near = nearestName(
      name.slice(PREFIX.length),
      known.map((one) => one.slice(PREFIX.length)),
    )
    return near === null ? [] : [`${name} has no effect. Did you mean ${PREFIX}${near}?`]
  })
}

const PREFIX = 'AGENT_EVALS_'
// Read elsewhere, or set for the processes of a run.
const OTHERS = ['ENGINES', 'RUN', 'ASSERT', 'CASE', 'GATEWAY_KEY', 'SKILL_TRIAL'].map((name) => PREFIX + name)
