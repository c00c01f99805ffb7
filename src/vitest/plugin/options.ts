import { resolve } from 'node:path'
import { z } from 'zod'
import { AgentEvalsError } from '../../errors.ts'
import { isJsonObject } from '../../json.ts'
import type { SaidBy, Shard } from '../../run-settings.ts'
import type { SandboxChoice } from '../../sandbox/sandbox.ts'

/** Where answers may come from. See the option `source`. */
export type SourceChoice = 'auto' | 'live' | 'record' | 'replay'

/** What `agentEvals()` takes. Nearest wins: environment, the case's own field, the suite's config file, this option, the format's default. */
export interface AgentEvalsOptions {
  /**
   * Agent runtime that is driven, over what eval-config.json says.
   * @default 'claude-code'
   */
  readonly engine?: string
  /** Executables by engine name, such as `{ 'claude-code': '/opt/claude' }`; looked for before anything else. */
  readonly engines?: Readonly<Record<string, string>>
  /** The agent's model. Default: the engine's own. */
  readonly model?: string
  /**
   * `[provider:]model` of the judge, such as `claude-sonnet` or `claude-code:opus`.
   * Default: the agent's own model, and the report says so.
   */
  readonly judge?: string
  /**
   * Votes of the judge at most, from 1 to 9; it stops asking once a majority is certain.
   * @default 1
   */
  readonly votes?: number
  /**
   * Ask the judge also about cases that a check has failed.
   * @default false
   */
  readonly judgeFailedCases?: boolean
  /**
   * Where answers come from.
   * @default 'auto'
   */
  readonly source?: SourceChoice
  /**
   * What a tool result is that differs from the recorded one. Default: `'error'`, and `'warn'` where the recording is
   * of another platform.
   */
  readonly drift?: 'error' | 'warn'
  /** Only cases of this target, such as `skill:pdf-tools`. Default: all. */
  readonly target?: string
  /**
   * How often a case is run, unless its file says so.
   * @default 1, trigger queries 3
   */
  readonly runs?: number
  /**
   * Share of its runs from which on a query counts as having made the agent use the skill.
   * @default 0.5
   */
  readonly triggerThreshold?: number
  /**
   * Only what asks for results, or only trigger queries. Vitest's `--mode artifact` and `--mode trigger` say the same.
   * @default 'both'
   */
  readonly kind?: 'artifact' | 'both' | 'trigger'
  /** Folder with `evals.json` or `triggers.json`, or such a file, relative to the Vitest root; nothing else is run then. */
  readonly evals?: string
  /** Folder of scenarios, relative to the Vitest root. Default: `<package>/evals/scenarios`. */
  readonly scenarios?: string
  /**
   * Give each artifact eval of a skill a copy of the project it belongs to.
   * @default true
   */
  readonly projectCopy?: boolean
  /**
   * Fail evals of skills that change one of their fixtures.
   * @default false
   */
  readonly readOnlyFixtures?: boolean
  /** Seconds a case may take, for cases and suites that say nothing. Default: the format's (AAM 120, evals of skills 600). */
  readonly timeout?: number
  /** Runs at the same time over all workers. Default: 8 live, the number of cores otherwise. */
  readonly concurrency?: number
  /**
   * US dollars after which no live run is started any more; the rest is skipped and the report partial.
   * @default 10
   */
  readonly maxCostUsd?: number
  /**
   * What confines the agent.
   * @default 'auto'
   */
  readonly sandbox?: SandboxChoice
  /**
   * Take over the finished cases of the last run that was lost or stopped, where nothing they depend on has changed.
   * @default false
   */
  readonly resume?: boolean
  /**
   * Keep the workspaces of finished runs.
   * @default false
   */
  readonly keepWorkspace?: boolean
  /**
   * Show what would run, start nothing.
   * @default false
   */
  readonly dryRun?: boolean
  /** Path of the report, relative to the Vitest root, or `false` for none. Default: `<package>/evals/reports/<timestamp>.json`. */
  readonly report?: string | false
  /** Only this part of the cases, such as `2/4`: one machine of four. */
  readonly shard?: string
  /** Folder that is searched for suites. Default: the Vitest root. */
  readonly root?: string
  /** Suite files to read, as globs relative to the root. Default: every documented place. */
  readonly include?: readonly string[]
  /** Globs that are left out. */
  readonly exclude?: readonly string[]
  /**
   * Name of the project that needs an engine.
   * @default 'evals'
   */
  readonly name?: string
  /**
   * Name of the project of the free `tests/` of skills, hooks and commands.
   * @default 'assert'
   */
  readonly assertName?: string
  /**
   * `'named'`: the project exists when it or one of its files is named; `'always'`: in every run.
   * @default 'named'
   */
  readonly when?: 'always' | 'named'
  /** Passed to the project's `test` config, over ours. */
  readonly test?: Readonly<Record<string, unknown>>
}

/** Options with the environment and defaults applied. `null`: nobody said, the suite or format decides. */
export interface ResolvedOptions {
  readonly name: string
  readonly assertName: string
  readonly when: 'always' | 'named'
  readonly root: string | null
  readonly include: readonly string[] | null
  readonly exclude: readonly string[]
  readonly test: Readonly<Record<string, unknown>>
  readonly engine: SaidBy<string>
  readonly engines: Readonly<Record<string, string>>
  readonly model: string | null
  readonly judge: SaidBy<string>
  readonly votes: number
  readonly judgeFailedCases: boolean
  readonly source: SourceChoice
  readonly drift: 'error' | 'warn' | null
  readonly target: string | null
  readonly runs: SaidBy<number>
  readonly triggerThreshold: SaidBy<number>
  readonly kind: 'artifact' | 'both' | 'trigger'
  /** Absolute, or relative to the Vitest root; `null` searches. */
  readonly evals: string | null
  /** Absolute, or relative to the Vitest root; `null` for the package's own. */
  readonly scenarios: string | null
  readonly projectCopy: boolean
  readonly readOnlyFixtures: boolean
  readonly timeout: SaidBy<number>
  readonly concurrency: number | null
  readonly maxCostUsd: number
  readonly sandbox: SandboxChoice
  readonly resume: boolean
  readonly keepWorkspace: boolean
  readonly dryRun: boolean
  readonly report: string | false | null
  readonly shard: Shard | null
}

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
    triggerThreshold: { environment: said.triggerThreshold ?? null, option: given.triggerThreshold ?? null },
    kind: said.kind ?? given.kind ?? 'both',
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
    resume: said.resume ?? given.resume ?? false,
    keepWorkspace: said.keepWorkspace ?? given.keepWorkspace ?? false,
    dryRun: said.dryRun ?? given.dryRun ?? false,
    // Said on a command line it is relative to where that was typed; said in a configuration, to the Vitest root.
    report: (typeof said.report === 'string' ? resolve(said.report) : said.report) ?? given.report ?? null,
    shard: said.shard ?? given.shard ?? null,
  }
}

// Said on a command line, a path is relative to where that was typed.
function typed(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path)
}

const seconds = z.number().positive().max(86_400)

const shared = {
  engine: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  judge: z.string().min(1).optional(),
  votes: z.number().int().min(1).max(9).optional(),
  judgeFailedCases: z.boolean().optional(),
  source: z.enum(['auto', 'live', 'record', 'replay']).optional(),
  drift: z.enum(['error', 'warn']).optional(),
  target: z
    .string()
    .regex(/^(skill|hook|agent):.+$/, 'expected skill:<name>, hook:<event> or agent:<name>')
    .optional(),
  runs: z.number().int().min(1).max(100).optional(),
  triggerThreshold: z.number().min(0).max(1).optional(),
  kind: z.enum(['artifact', 'both', 'trigger']).optional(),
  evals: z.string().min(1).optional(),
  scenarios: z.string().min(1).optional(),
  projectCopy: z.boolean().optional(),
  readOnlyFixtures: z.boolean().optional(),
  timeout: seconds.optional(),
  concurrency: z.number().int().min(1).max(256).optional(),
  maxCostUsd: z.number().nonnegative().optional(),
  sandbox: z.enum(['auto', 'prefer', 'bubblewrap', 'sandbox-runtime', 'none']).optional(),
  resume: z.boolean().optional(),
  keepWorkspace: z.boolean().optional(),
  dryRun: z.boolean().optional(),
  report: z.union([z.string().min(1), z.literal(false)]).optional(),
  shard: z
    .string()
    .transform(readShard)
    .refine((shard) => shard !== null, 'expected i/n with 1 <= i <= n, such as 2/4')
    .optional(),
}

const variablesSchema = z.strictObject(shared)

const optionsSchema = z.strictObject({
  ...shared,
  engines: z.record(z.string(), z.string()).optional(),
  root: z.string().min(1).optional(),
  include: z.array(z.string().min(1)).optional(),
  exclude: z.array(z.string().min(1)).optional(),
  name: z.string().min(1).optional(),
  assertName: z.string().min(1).optional(),
  when: z.enum(['always', 'named']).optional(),
  test: z.record(z.string(), z.unknown()).optional(),
})

const VARIABLES: Readonly<Record<keyof typeof shared, string>> = {
  engine: 'AGENT_EVALS_ENGINE',
  model: 'AGENT_EVALS_MODEL',
  judge: 'AGENT_EVALS_JUDGE',
  votes: 'AGENT_EVALS_VOTES',
  judgeFailedCases: 'AGENT_EVALS_JUDGE_FAILED_CASES',
  source: 'AGENT_EVALS_SOURCE',
  drift: 'AGENT_EVALS_DRIFT',
  target: 'AGENT_EVALS_TARGET',
  runs: 'AGENT_EVALS_RUNS',
  triggerThreshold: 'AGENT_EVALS_TRIGGER_THRESHOLD',
  kind: 'AGENT_EVALS_KIND',
  evals: 'AGENT_EVALS_EVALS',
  scenarios: 'AGENT_EVALS_SCENARIOS',
  projectCopy: 'AGENT_EVALS_PROJECT_COPY',
  readOnlyFixtures: 'AGENT_EVALS_READ_ONLY_FIXTURES',
  timeout: 'AGENT_EVALS_TIMEOUT',
  concurrency: 'AGENT_EVALS_CONCURRENCY',
  maxCostUsd: 'AGENT_EVALS_MAX_COST_USD',
  sandbox: 'AGENT_EVALS_SANDBOX',
  resume: 'AGENT_EVALS_RESUME',
  keepWorkspace: 'AGENT_EVALS_KEEP_WORKSPACE',
  dryRun: 'AGENT_EVALS_DRY_RUN',
  report: 'AGENT_EVALS_REPORT',
  shard: 'AGENT_EVALS_SHARD',
}

const NUMBERS: ReadonlySet<string> = new Set(['concurrency', 'maxCostUsd', 'runs', 'timeout', 'triggerThreshold', 'votes'])

const SWITCHES: ReadonlySet<string> = new Set([
  'dryRun',
  'judgeFailedCases',
  'keepWorkspace',
  'projectCopy',
  'readOnlyFixtures',
  'resume',
])

/** An option that the environment can set. */
export interface OptionVariable {
  readonly option: string
  readonly variable: string
  /** Whether it is on or off. */
  readonly isSwitch: boolean
}

/** Every option that the environment can set; the command has a flag for each. */
export function optionVariables(): readonly OptionVariable[] {
  return Object.entries(VARIABLES).map(([option, variable]) => ({ option, variable, isSwitch: SWITCHES.has(option) }))
}

const WORDS: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false }

function readVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const variables: Record<string, unknown> = {}
  for (const [option, variable] of Object.entries(VARIABLES)) {
    const text = environment[variable]
    if (text !== undefined && text !== '') variables[option] = readValue(option, text)
  }
  return variables
}

function readValue(option: string, text: string): unknown {
  if (NUMBERS.has(option)) return Number(text)
  if (SWITCHES.has(option)) return WORDS[text] ?? text
  if (option === 'report') return WORDS[text] === false ? false : text
  return text
}

function readShard(text: string): Shard | null {
  const [, index = '', count = ''] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []
  const shard = { index: Number(index), count: Number(count) }
  return index === '' || shard.index > shard.count ? null : shard
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
      : `${nameOf(path)} is not known. Known: ${Object.keys(optionsSchema.shape).toSorted().join(', ')}.`
  throw new AgentEvalsError('invalid-options', message)
}
