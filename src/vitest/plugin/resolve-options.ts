import { resolve } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { isJsonObject } from '../../json.ts'
import { formatZodIssue } from '../../documents/validate.ts'
import { canonicalTarget } from '../../suites/target.ts'
import { OPTION_NAMES, optionsSchema, variablesSchema } from './options-schema.ts'
import type { OptionValues } from './options-schema.ts'
import { readVariables, VARIABLES } from './variables.ts'
import type { z } from 'zod'
import type { AgentEvalsOptions, ResolvedOptions } from './options.ts'

/**
 * Applies the environment over the plugin's options.
 *
 * @throws {AgentEvalsError} `invalid-options`, naming the option or variable.
 */
export function resolveOptions(
  options: AgentEvalsOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ResolvedOptions {
  const given = parse(optionsSchema, options, (path) => `option \`${path}\` of agentEvals()`)
  const said = parse(variablesSchema, readVariables(environment), variableName, environment)
  const target = said.target ?? given.target ?? null
  const engineMatrix = { environment: namesOf(said.engine), option: namesOf(given.engine) }
  const maxCostUsd = said.maxCostUsd ?? given.maxCostUsd ?? 10
  return {
    name: given.name ?? 'evals',
    assertName: given.assertName ?? 'assert',
    when: given.when ?? 'named',
    root: given.root ?? null,
    include: given.include ?? null,
    exclude: given.exclude ?? [],
    test: given.test ?? {},
    ...splitEngines(given.engines ?? {}),
    engine: { environment: engineMatrix.environment?.[0] ?? null, option: engineMatrix.option?.[0] ?? null },
    engineMatrix,
    runs: { environment: said.runs ?? null, option: given.runs ?? null },
    passThreshold: { environment: said.passThreshold ?? null, option: given.passThreshold ?? null },
    baseline: said.baseline ?? given.baseline ?? false,
    measureNoise: said.aa ?? given.aa ?? false,
    triggerThreshold: { environment: said.triggerThreshold ?? null, option: given.triggerThreshold ?? null },
    kind: said.kind ?? given.kind ?? 'both',
    category: said.category ?? given.category ?? null,
    agentsRoot: typed(said.agentsRoot) ?? given.agentsRoot ?? null,
    runLog: said.runLog ?? given.runLog ?? true,
    summaryOnly: said.summaryOnly ?? given.summaryOnly ?? false,
    evals: typed(said.evals) ?? given.evals ?? null,
    scenarios: typed(said.scenarios) ?? given.scenarios ?? null,
    projectCopy: said.projectCopy ?? given.projectCopy ?? true,
    readOnlyFixtures: said.readOnlyFixtures ?? given.readOnlyFixtures ?? false,
    timeout: { environment: said.timeout ?? null, option: given.timeout ?? null },
    model: said.model ?? given.model ?? null,
    judge: { environment: said.judge ?? null, option: given.judge ?? null },
    votes: said.votes ?? given.votes ?? 1,
    judgeFailedCases: said.judgeFailedCases ?? given.judgeFailedCases ?? false,
    source: said.source ?? given.source ?? 'auto',
    drift: said.drift ?? given.drift ?? null,
    target: target === null ? null : canonicalTarget(target),
    concurrency: said.concurrency ?? given.concurrency ?? null,
    allowUnknownCost: said.allowUnknownCost ?? given.allowUnknownCost ?? false,
    prices: given.prices ?? {},
    maxCostUsd,
    maxCostUsdPerCase: said.maxCostUsdPerCase ?? given.maxCostUsdPerCase ?? maxCostUsd,
    sandbox: said.sandbox ?? given.sandbox ?? 'auto',
    fromEnvironment: (['model', 'sandbox'] as const).filter((option) => said[option] !== undefined),
    resume: said.resume ?? given.resume ?? false,
    keepWorkspace: said.keepWorkspace ?? given.keepWorkspace ?? false,
    dryRun: said.dryRun ?? given.dryRun ?? false,
    export: said.export ?? given.export ?? null,
    // Said on a command line it is relative to where that was typed; said in a configuration, to the Vitest root.
    report: (typeof said.report === 'string' ? resolve(said.report) : said.report) ?? given.report ?? null,
    html: (typeof said.html === 'string' ? resolve(said.html) : said.html) ?? given.html ?? false,
    shard: said.shard ?? given.shard ?? null,
  }
}

// On a command line several are separated by commas.
function namesOf(engine: string | readonly string[] | undefined): readonly string[] | null {
  const names = [engine ?? []]
    .flat()
    .flatMap((name) => name.split(','))
    .map((name) => name.trim())
  const named = [...new Set(names.filter((name) => name !== ''))]
  return named.length === 0 ? null : named
}

function splitEngines(engines: OptionValues['engines']): Pick<ResolvedOptions, 'engineModules' | 'engines'> {
  const given = Object.entries(engines ?? {})
  const executables = given.flatMap(([name, one]) => {
    const executable = typeof one === 'string' ? one : one.executable
    return executable === undefined ? [] : [[name, executable] as const]
  })
  const modules = given.flatMap(([name, one]) => (typeof one === 'string' ? [] : [[name, one.module] as const]))
  return { engines: Object.fromEntries(executables), engineModules: Object.fromEntries(modules) }
}

// Said on a command line, a path is relative to where that was typed.
function typed(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path)
}

function variableName(path: string): string {
  return VARIABLES[path as keyof typeof VARIABLES] ?? path
}

function parse<T>(
  schema: z.ZodType<T>,
  value: unknown,
  nameOf: (path: string) => string,
  environment: Readonly<Record<string, string | undefined>> = {},
): T {
  const result = schema.safeParse(value, { error: formatZodIssue })
  if (result.success) return result.data
  const [issue] = result.error.issues
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const path = unknown ?? issue?.path.join('.') ?? ''
  // What is no number is told as it was written.
  const written = environment[nameOf(path)] ?? (isJsonObject(value) ? value[path] : value)
  const message =
    unknown === undefined
      ? `${nameOf(path)} is ${JSON.stringify(written)}: ${issue?.message.replace(/, got [^]*$/, '') ?? 'invalid'}.`
      : `${nameOf(path)} is not known. Known: ${OPTION_NAMES.toSorted().join(', ')}.`
  const error = new AgentEvalsError('invalid-options', message)
  // Vitest shows the stack of what a configuration throws: it would be ten lines about its own loader.
  error.stack = `${error.name}: ${message}`
  throw error
}
