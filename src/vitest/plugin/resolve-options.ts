import { resolve } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { isJsonObject } from '../../json.ts'
import { OPTION_NAMES, optionsSchema, variablesSchema } from './options-schema.ts'
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
  const variables = readVariables(environment)
  const said = parse(variablesSchema, variables, variableName)
  return {
    name: given.name ?? 'evals',
    assertName: given.assertName ?? 'assert',
    when: given.when ?? 'named',
    root: given.root ?? null,
    include: given.include ?? null,
    exclude: given.exclude ?? [],
    test: given.test ?? {},
    engines: given.engines ?? {},
    engine: { environment: said.engine ?? null, option: given.engine ?? null },
    runs: { environment: said.runs ?? null, option: given.runs ?? null },
    passThreshold: { environment: said.passThreshold ?? null, option: given.passThreshold ?? null },
    baseline: said.baseline ?? given.baseline ?? false,
    aa: said.aa ?? given.aa ?? false,
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
    target: said.target ?? given.target ?? null,
    concurrency: said.concurrency ?? given.concurrency ?? null,
    maxCostUsd: said.maxCostUsd ?? given.maxCostUsd ?? 10,
    sandbox: said.sandbox ?? given.sandbox ?? 'auto',
    saidByEnvironment: (['model', 'sandbox'] as const).filter((option) => said[option] !== undefined),
    resume: said.resume ?? given.resume ?? false,
    keepWorkspace: said.keepWorkspace ?? given.keepWorkspace ?? false,
    dryRun: said.dryRun ?? given.dryRun ?? false,
    export: said.export ?? given.export ?? null,
    // Said on a command line it is relative to where that was typed; said in a configuration, to the Vitest root.
    report: (typeof said.report === 'string' ? resolve(said.report) : said.report) ?? given.report ?? null,
    shard: said.shard ?? given.shard ?? null,
  }
}

// Said on a command line, a path is relative to where that was typed.
function typed(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path)
}

function variableName(path: string): string {
  return VARIABLES[path as keyof typeof VARIABLES] ?? path
}

function parse<T>(schema: z.ZodType<T>, value: unknown, nameOf: (path: string) => string): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const path = unknown ?? issue?.path.join('.') ?? ''
  const given = isJsonObject(value) ? JSON.stringify(value[path]) : String(value)
  const message =
    unknown === undefined
      ? `${nameOf(path)} is ${given}: ${issue?.message ?? 'invalid'}.`
      : `${nameOf(path)} is not known. Known: ${OPTION_NAMES.toSorted().join(', ')}.`
  throw new AgentEvalsError('invalid-options', message)
}
