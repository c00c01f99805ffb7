import { z } from 'zod'
import { readJudgeName } from '../../suites/judge-name.ts'
import type { Shard } from '../../settings.ts'
import type { AgentEvalsOptions, VariableName } from './options.ts'

/** What the environment may say, once read. */
export type VariableValues = Values<Pick<AgentEvalsOptions, Exclude<VariableName, 'shard'>> & ShardValue>

/** What `agentEvals()` may be given, once read. */
export type OptionValues = Values<Omit<AgentEvalsOptions, 'shard'> & ShardValue>

interface ShardValue {
  readonly shard: Shard | null
}

type Values<T> = { readonly [Key in keyof T]?: T[Key] | undefined }

const seconds = z.number().positive().max(86_400)

// At 0 every case passes, whatever its runs show.
const threshold = z.number().gt(0).max(1)
const amount = z.number().nonnegative()
const price = z.strictObject({
  input: amount,
  output: amount,
  cacheRead: amount.optional(),
  cacheWrite: amount.optional(),
})

const fields = {
  engine: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  model: z.string().min(1).optional(),
  judge: z
    .string()
    .min(1)
    .check(({ value, issues }) => {
      const name = readJudgeName(value)
      if ('problem' in name) issues.push({ code: 'custom', input: value, message: `it ${name.problem}` })
    })
    .optional(),
  votes: z.number().int().min(1).max(9).optional(),
  judgeFailedCases: z.boolean().optional(),
  source: z.enum(['auto', 'live', 'record', 'replay']).optional(),
  drift: z.enum(['error', 'warn']).optional(),
  target: z
    .string()
    .regex(/^(skill|hook|agent):.+$/, 'expected skill:<name>, hook:<event> or agent:<name>')
    .optional(),
  runs: z.number().int().min(1).max(100).optional(),
  passThreshold: threshold.optional(),
  baseline: z.boolean().optional(),
  aa: z.boolean().optional(),
  triggerThreshold: threshold.optional(),
  kind: z.enum(['artifact', 'both', 'trigger']).optional(),
  category: z.string().min(1).optional(),
  agentsRoot: z.string().min(1).optional(),
  runLog: z.boolean().optional(),
  summaryOnly: z.boolean().optional(),
  evals: z.string().min(1).optional(),
  scenarios: z.string().min(1).optional(),
  projectCopy: z.boolean().optional(),
  readOnlyFixtures: z.boolean().optional(),
  timeout: seconds.optional(),
  concurrency: z.number().int().min(1).max(256).optional(),
  maxCostUsd: z.number().nonnegative().optional(),
  allowUnknownCost: z.boolean().optional(),
  maxCostUsdPerCase: z.number().nonnegative().optional(),
  sandbox: z.enum(['auto', 'prefer', 'bubblewrap', 'sandbox-runtime', 'none']).optional(),
  resume: z.boolean().optional(),
  keepWorkspace: z.boolean().optional(),
  dryRun: z.boolean().optional(),
  export: z.enum(['skill-creator']).optional(),
  report: z.union([z.string().min(1), z.literal(false)]).optional(),
  html: z.union([z.boolean(), z.string().min(1)]).optional(),
  shard: z
    .string()
    .transform(readShard)
    .refine((shard) => shard !== null, 'expected i/n with 1 <= i <= n, such as 2/4')
    .optional(),
} satisfies Record<VariableName, z.ZodType>

/** Checks what the environment says. */
export const variablesSchema: z.ZodType<VariableValues> = z.strictObject(fields)

const whole = z.strictObject({
  ...fields,
  engines: z
    .record(
      z.string(),
      z.union([
        z.string().min(1),
        z.strictObject({ module: z.string().min(1), executable: z.string().min(1).optional() }),
      ]),
    )
    .optional(),
  prices: z.record(z.string().min(1), price).optional(),
  root: z.string().min(1).optional(),
  include: z.array(z.string().min(1)).optional(),
  exclude: z.array(z.string().min(1)).optional(),
  name: z.string().min(1).optional(),
  assertName: z.string().min(1).optional(),
  when: z.enum(['always', 'named']).optional(),
  test: z.record(z.string(), z.unknown()).optional(),
})

/** Checks what `agentEvals()` is given. */
export const optionsSchema: z.ZodType<OptionValues> = whole

/** Every option by name. */
export const OPTION_NAMES: readonly string[] = Object.keys(whole.shape)

function readShard(text: string): Shard | null {
  const [, index = '', count = ''] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []
  const shard = { index: Number(index), count: Number(count) }
  return index === '' || shard.index > shard.count ? null : shard
}
