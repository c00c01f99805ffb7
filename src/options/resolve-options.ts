import { resolve } from 'node:path'
import { z } from 'zod'
import { requireEngine } from '../engines/registry.ts'
import { useEndpoints } from '../gateway/wires/apis.ts'
import { describeProblem, describeWritten } from '../lib/documents/known-fields.ts'
import { similarName } from '../lib/documents/nearest-name.ts'
import { formatZodIssue } from '../lib/documents/validate.ts'
import { AgentEvalsError, withoutOwnStack, withoutStack } from '../lib/errors.ts'
import { flagOf, readVariable, variableOf, variableOptions, type Option, type Options } from './option.ts'
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
  declared: Options = OPTIONS,
): ResolvedOptions {
  // A judge may be one of these: they have to be known before it is checked.
  const servers = OPTIONS.judgeEndpoints.schema.safeParse((options as AgentEvalsOptions | null)?.judgeEndpoints)
  if (servers.success) useEndpoints(servers.data ?? {})
  const configured = parse(Object.entries(declared), options, (name) => `option \`${name}\` of agentEvals()`)
  refuseMisspelt(environment, declared)
  const set = parse(variableOptions(declared), readVariables(environment, declared), nameOfVariable, environment)
  const resolved = Object.fromEntries(
    Object.entries(declared).map(([name, option]) => [name, resolveOption(option, set[name], configured[name])]),
  ) as unknown as DeclaredOptions
  const { engine, engines, maxCostUsd, maxCostUsdPerCase, model, runs, ...rest } = resolved
  const stopsEarly = (runs.environment ?? runs.option) === 'auto'
  if (stopsEarly) refuseEarlyStop(resolved)
  const models = model ?? []
  return {
    ...rest,
    ...splitEngines(engines),
    engine: { environment: engine.environment?.[0] ?? null, option: engine.option?.[0] ?? null },
    engineMatrix: { environment: namesIn(engine.environment), option: namesIn(engine.option) },
    model: models.length === 1 ? (models[0] ?? null) : null,
    modelMatrix: models.length > 1 ? models : [],
    runs: { environment: numberOf(runs.environment), option: numberOf(runs.option) },
    stopsEarly,
    maxCostUsd,
    maxCostUsdPerCase: maxCostUsdPerCase ?? maxCostUsd,
    fromEnvironment: (['model', 'sandbox'] as const).filter((option) => set[option] !== undefined),
  }
}

// A part of a variable is named behind it, as in `AGENT_EVALS_BUDGETS passRate`.
function nameOfVariable(path: string): string {
  const [name = '', ...parts] = path.split('.')
  return [variableOf(name), ...(parts.length === 0 ? [] : [parts.join('.')])].join(' ')
}

/**
 * Refuses an engine that a flag, a variable or the configuration names and nobody has.
 *
 * @throws {AgentEvalsError} `unsupported-engine`, with the nearest name.
 */
export function requireEngines({ engineMatrix, engineModules }: ResolvedOptions): void {
  const named = [...(engineMatrix.environment ?? []), ...(engineMatrix.option ?? [])]
  try {
    for (const name of named) if (!Object.hasOwn(engineModules, name)) requireEngine(name)
  } catch (error) {
    throw withoutOwnStack(error)
  }
}

function numberOf(runs: number | 'auto' | null): number | null {
  return runs === 'auto' ? null : runs
}

// When a case stops depends on what its runs have shown, so their share is no rate of anything.
function refuseEarlyStop({ against, baseline, budgets, gate, source }: DeclaredOptions): void {
  const needsAll = [
    ...(gate ? ['--gate'] : []),
    ...(against === null ? [] : ['--against']),
    ...(budgets === null ? [] : ['--budget']),
    ...(baseline ? ['--baseline'] : []),
    ...(source === 'record' ? ['--record'] : []),
  ]
  if (needsAll.length === 0) return
  const message = `--runs auto leaves runs out, and ${needsAll.join(', ')} needs all of them. Name a number of runs instead, such as --runs 5.`
  throw withoutStack(new AgentEvalsError('invalid-options', message))
}

function readVariables(environment: Environment, declared: Options): Readonly<Record<string, unknown>> {
  const variables = variableOptions(declared).flatMap(([name, option]) => {
    const text = environment[variableOf(name)] ?? ''
    return text === '' ? [] : [[name, readVariable(option, text)] as const]
  })
  return Object.fromEntries(variables)
}

function resolveOption(
  { isLayered, isPath, default: usual = null }: Option,
  set: unknown,
  configured: unknown,
): unknown {
  // On a command line a path is relative to the working directory; in a configuration, to the Vitest root.
  const environment = isPath === true && typeof set === 'string' ? resolve(set) : set
  if (isLayered === true) return { environment: environment ?? null, option: configured ?? null }
  return environment ?? configured ?? usual
}

function namesIn(names: readonly string[] | null): readonly string[] | null {
  return names?.length === 0 ? null : names
}

function splitEngines(engines: DeclaredOptions['engines']): Pick<ResolvedOptions, 'engineModules' | 'engines'> {
  const entries = Object.entries(engines)
  const executables = entries.flatMap(([name, one]) => {
    const executable = typeof one === 'string' ? one : one.executable
    return executable === undefined ? [] : [[name, executable] as const]
  })
  const modules = entries.flatMap(([name, one]) => (typeof one === 'string' ? [] : [[name, one.module] as const]))
  return { engines: Object.fromEntries(executables), engineModules: Object.fromEntries(modules) }
}

function parse(
  declared: readonly (readonly [string, Option])[],
  value: unknown,
  nameOf: (path: string) => string,
  environment: Environment = {},
): Readonly<Record<string, unknown>> {
  // Compiling a check for all options takes longer than the one check.
  const schema = schemaOf(declared)
  const result = schema.safeParse(value, { error: formatZodIssue, jitless: true, reportInput: true })
  if (result.success) return result.data
  const problem = describeProblem(result.error, value, schema)
  const name = problem.path === '' ? 'The argument of agentEvals()' : nameOf(problem.path)
  // A variable that is not a number is shown as it was written.
  const message = `${name} ${describeWritten(problem, environment[name])}`
  throw withoutStack(new AgentEvalsError('invalid-options', message))
}

/** Checks an object of options, each of which may be absent. */
function schemaOf(options: readonly (readonly [string, Option])[]): z.ZodType<Record<string, unknown>> {
  return z.strictObject(
    Object.fromEntries(options.map(([name, { schema }]) => [name, (schema as z.ZodType).optional()])),
  )
}

type Variables = Readonly<Record<string, unknown>>

/**
 * Refuses a variable that was meant as one of our options: what it was to limit would run without that limit.
 *
 * @throws {AgentEvalsError} `invalid-options`, with the nearest name.
 */
function refuseMisspelt(environment: Variables, options: Options): void {
  for (const name of unknownVariables(environment, options)) {
    const meant = meantBy(name, options)
    if (meant === null) continue
    const message = `${name} is not known. Did you mean ${meant}?`
    throw withoutStack(new AgentEvalsError('invalid-options', message))
  }
}

/** A sentence for each other variable with our prefix, which is like no option of ours. */
export function describeUnknownVariables(environment: Variables, options: Options): readonly string[] {
  return unknownVariables(environment, options)
    .filter((name) => meantBy(name, options) === null)
    .map((name) => `${name} has no effect: it is not a variable of vitest-agent-evals.`)
}

function unknownVariables(environment: Variables, options: Options): readonly string[] {
  const names = new Set([...variableOptions(options).map(([name]) => variableOf(name)), ...OTHERS])
  return Object.keys(environment).filter(
    (name) =>
      name.startsWith(PREFIX) && !name.startsWith(INPUTS) && !names.has(name) && (environment[name] ?? '') !== '',
  )
}

// Some flags have other names than their options, and some set an option to a value.
function meantBy(name: string, options: Options): string | null {
  // The prefix is the same in all of them, so it must not make them look alike.
  const written = name.slice(PREFIX.length)
  const flag = written.toLowerCase().replaceAll('_', '-')
  if (flag === 'live' || flag === 'record') return `${PREFIX}SOURCE=${flag}`
  const variables = variableOptions(options)
  const ofFlag = variables.find((option) => flagOf(...option) === flag)
  if (ofFlag !== undefined) return variableOf(ofFlag[0])
  const near = similarName(written, [...variables.map(([one]) => variableOf(one).slice(PREFIX.length)), 'ENGINES'])
  return near === null ? null : PREFIX + near
}

const PREFIX = 'AGENT_EVALS_'
/** Inputs of MCP servers, whose names are the package's own. */
const INPUTS = `${PREFIX}INPUT_`
// Read elsewhere, or set for the processes of a run.
const OTHERS = ['ENGINES', 'RUN', 'ASSERT', 'CASE', 'GATEWAY_KEY', 'SKILL_TRIAL'].map((name) => PREFIX + name)
