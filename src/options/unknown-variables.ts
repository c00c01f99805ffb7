import { similarName } from '../documents/nearest-name.ts'
import { AgentEvalsError } from '../errors.ts'
import { flagOf, variableOf, variableOptions, type Options } from './option.ts'
import { withoutStack } from './without-stack.ts'

type Environment = Readonly<Record<string, unknown>>

/**
 * Refuses a variable that was meant as one of our options: what it was to limit would run without that limit.
 *
 * @throws {AgentEvalsError} `invalid-options`, with the nearest name.
 */
export function refuseMisspelt(environment: Environment, options: Options): void {
  for (const name of unknownVariables(environment, options)) {
    const meant = meantBy(name, options)
    if (meant === null) continue
    const message = `${name} is not known. Did you mean ${meant}?`
    throw withoutStack(new AgentEvalsError('invalid-options', message))
  }
}

/** A sentence for each other variable with our prefix, which is like no option of ours. */
export function describeUnknownVariables(environment: Environment, options: Options): readonly string[] {
  return unknownVariables(environment, options)
    .filter((name) => meantBy(name, options) === null)
    .map((name) => `${name} has no effect: it is not a variable of vitest-agent-evals.`)
}

function unknownVariables(environment: Environment, options: Options): readonly string[] {
  const known = new Set([...variableOptions(options).map(([name]) => variableOf(name)), ...OTHERS])
  return Object.keys(environment).filter(
    (name) =>
      name.startsWith(PREFIX) && !name.startsWith(INPUTS) && !known.has(name) && (environment[name] ?? '') !== '',
  )
}

// Some flags have other names than their options, and some set an option to a value.
function meantBy(name: string, options: Options): string | null {
  // The prefix is the same in all of them, so it must not make them look alike.
  const written = name.slice(PREFIX.length)
  const flag = written.toLowerCase().replaceAll('_', '-')
  if (flag === 'live' || flag === 'record') return `${PREFIX}SOURCE=${flag}`
  const own = variableOptions(options)
  const ofFlag = own.find((option) => flagOf(...option) === flag)
  if (ofFlag !== undefined) return variableOf(ofFlag[0])
  const near = similarName(written, [...own.map(([one]) => variableOf(one).slice(PREFIX.length)), 'ENGINES'])
  return near === null ? null : PREFIX + near
}

const PREFIX = 'AGENT_EVALS_'
/** Inputs of MCP servers, whose names are the package's own. */
const INPUTS = `${PREFIX}INPUT_`
// Read elsewhere, or set for the processes of a run.
const OTHERS = ['ENGINES', 'RUN', 'ASSERT', 'CASE', 'GATEWAY_KEY', 'SKILL_TRIAL'].map((name) => PREFIX + name)
