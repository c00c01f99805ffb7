import { resolve } from 'node:path'
import { AgentEvalsError } from '../errors.ts'
import { describeProblem, describeWritten } from '../documents/option-problem.ts'
import { formatZodIssue } from '../documents/validate.ts'
import { withoutStack } from './without-stack.ts'
import { readVariable, variableOf, variableOptions, type Option, type Options } from './option.ts'
import { refuseMisspelt } from './unknown-variables.ts'
import { schemaOf } from './options-schema.ts'
import { useEndpoints } from '../gateway/wires/apis.ts'
import { OPTIONS, type AgentEvalsOptions, type DeclaredOptions, type ResolvedOptions } from './options.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Applies the environment over the plugin's options.
 *
 * @throws {AgentEvalsError} `invalid-options`, naming the option or variable, and the nearest one for what is not known.
 */
export function resolveOptions(
  options: AgentEvalsOptions,
  environment: Environment,
  known: Options = OPTIONS,
): ResolvedOptions {
  // A judge may be one of these: they have to be known before it is checked.
  const servers = OPTIONS.judgeEndpoints.schema.safeParse((options as AgentEvalsOptions | null)?.judgeEndpoints)
  if (servers.success) useEndpoints(servers.data ?? {})
  const given = parse(Object.entries(known), options, (name) => `option \`${name}\` of agentEvals()`)
  refuseMisspelt(environment, known)
  const set = parse(variableOptions(known), readVariables(environment, known), variableOf, environment)
  const resolved = Object.fromEntries(
    Object.entries(known).map(([name, option]) => [name, resolveOption(option, set[name], given[name])]),
  ) as unknown as DeclaredOptions
  const { aa: measureNoise, engine, engines, maxCostUsd, maxCostUsdPerCase, ...rest } = resolved
  return {
    ...rest,
    ...splitEngines(engines),
    engine: { environment: engine.environment?.[0] ?? null, option: engine.option?.[0] ?? null },
    engineMatrix: { environment: namesIn(engine.environment), option: namesIn(engine.option) },
    measureNoise,
    maxCostUsd,
    maxCostUsdPerCase: maxCostUsdPerCase ?? maxCostUsd,
    fromEnvironment: (['model', 'sandbox'] as const).filter((option) => set[option] !== undefined),
  }
}

function readVariables(environment: Environment, known: Options): Readonly<Record<string, unknown>> {
  const variables = variableOptions(known).flatMap(([name, option]) => {
    const text = environment[variableOf(name)] ?? ''
    return text === '' ? [] : [[name, readVariable(option, text)] as const]
  })
  return Object.fromEntries(variables)
}

function resolveOption({ isLayered, isPath, default: usual = null }: Option, set: unknown, given: unknown): unknown {
  // On a command line a path is relative to the working directory; in a configuration, to the Vitest root.
  const environment = isPath === true && typeof set === 'string' ? resolve(set) : set
  if (isLayered === true) return { environment: environment ?? null, option: given ?? null }
  return environment ?? given ?? usual
}

function namesIn(names: readonly string[] | null): readonly string[] | null {
  return names?.length === 0 ? null : names
}

function splitEngines(engines: DeclaredOptions['engines']): Pick<ResolvedOptions, 'engineModules' | 'engines'> {
  const given = Object.entries(engines)
  const executables = given.flatMap(([name, one]) => {
    const executable = typeof one === 'string' ? one : one.executable
    return executable === undefined ? [] : [[name, executable] as const]
  })
  const modules = given.flatMap(([name, one]) => (typeof one === 'string' ? [] : [[name, one.module] as const]))
  return { engines: Object.fromEntries(executables), engineModules: Object.fromEntries(modules) }
}

function parse(
  known: readonly (readonly [string, Option])[],
  value: unknown,
  nameOf: (path: string) => string,
  environment: Environment = {},
): Readonly<Record<string, unknown>> {
  // Compiling a check for all options takes longer than the one check.
  const schema = schemaOf(known)
  const result = schema.safeParse(value, { error: formatZodIssue, jitless: true })
  if (result.success) return result.data
  const problem = describeProblem(result.error, value, schema)
  const name = problem.path === '' ? 'The argument of agentEvals()' : nameOf(problem.path)
  // A variable that is not a number is shown as it was written.
  const message = `${name} ${describeWritten(problem, environment[name])}`
  throw withoutStack(new AgentEvalsError('invalid-options', message))
}
