import { z } from 'zod'
import { canonicalTarget } from '../formats/target.ts'
import { judgeSchema } from './value-schemas.ts'
import type { Defaulted, Optional, OptionsOf, PerSuite } from './option.ts'

/** One of several machines that share the cases of a run. */
export interface Shard {
  /** From 1. */
  readonly index: number
  readonly count: number
}

/** How the runs of trigger queries are decided. */
export type TriggersChoice = 'auto' | 'full'

/** Which cases run, how often, and when they pass. */
export interface CaseOptionTypes {
  /** Only cases of this target, such as `skill:pdf-tools`. Default: all. */
  readonly target: Optional<string>
  /**
   * Only artifact evals, or only trigger queries. Vitest's `--mode artifact` and `--mode trigger` have the same effect.
   * @default 'both'
   */
  readonly kind: Defaulted<'artifact' | 'both' | 'trigger'>
  /** Only golden tests of this category, such as `happy`. Default: all. */
  readonly category: Optional<string>
  /** Folder of agents with golden tests, relative to the Vitest root. Default: the Vitest root. */
  readonly agentsRoot: Optional<string>
  /** Folder with `evals.json` or `triggers.json`, or such a file, relative to the Vitest root. Only its cases run. Default: every documented place. */
  readonly evals: Optional<string>
  /** Only this part of the cases, such as `2/4` for the second of four machines. Default: all. */
  readonly shard: Optional<string, Shard>
  /**
   * Number of runs of a case, unless its file sets it. `'auto'`: the number that counts without it, but a case stops as soon
   * as no outcome of its remaining runs can change its verdict, and shows no rate.
   * @default 1, trigger queries 3
   */
  readonly runs: PerSuite<number | 'auto'>
  /**
   * Share of the completed runs of a case that must pass, above 0 and at most 1, unless its file sets it.
   * @default 1
   */
  readonly passThreshold: PerSuite<number>
  /**
   * Share of the completed runs of a query that must use the skill, above 0 and at most 1.
   * @default 0.5
   */
  readonly triggerThreshold: PerSuite<number>
  /**
   * What decides the runs of a query. `auto`: the first model turn if it can, else a full session. `full`: full sessions.
   * @default 'auto'
   */
  readonly triggers: Defaulted<TriggersChoice>
  /**
   * Run the hooks of the package in trigger queries too, as in a session of its user. `false` leaves them out, and each query
   * says so.
   * @default true
   */
  readonly hooks: Defaulted<boolean>
  /**
   * Also run each case of a skill without the skill, as tests that never fail the run.
   * @default false
   */
  readonly baseline: Defaulted<boolean>
  /**
   * `[provider:]model` of the judge, such as `claude-sonnet` or `claude-code:opus`.
   * Default: the agent's own model, which the report marks `self_judged`.
   */
  readonly judge: PerSuite<string>
  /**
   * Maximum number of votes of the judge, from 1 to 9. It stops once a majority is certain.
   * @default 1
   */
  readonly votes: Defaulted<number>
  /**
   * Also ask the judge about cases with a failed check.
   * @default false
   */
  readonly judgeFailedCases: Defaulted<boolean>
  /**
   * What a verdict is that only the agent's own words prove: as good as others, marked, or an error.
   * @default 'mark'
   */
  readonly claims: Defaulted<'accept' | 'error' | 'mark'>
}

// At 0 every case passes, whatever its runs show.
const threshold = z.number().gt(0).max(1)

export const caseOptions: OptionsOf<CaseOptionTypes> = {
  target: {
    group: 'run',
    schema: z
      .string()
      .regex(/^(skill|hook|agent):.+$/, 'expected skill:<name>, hook:<event> or agent:<name>')
      .transform(canonicalTarget),
    placeholder: 'KIND:NAME',
    help: 'only cases of this target, such as skill:pdf-tools',
    usual: 'all',
  },
  kind: {
    group: 'run',
    schema: z.enum(['artifact', 'both', 'trigger']),
    default: 'both',
    // The AAM text and BMAD call it by another name.
    flag: 'mode',
    placeholder: 'KIND',
    help: 'only artifact evals, only trigger queries, or both',
  },
  category: {
    group: 'run',
    schema: z.string().min(1),
    usage: '--category NAME, --test ID',
    help: "only these of an agent's golden tests; --all for every one",
    usual: 'all',
  },
  agentsRoot: {
    group: 'run',
    schema: z.string().min(1),
    isPath: true,
    placeholder: 'DIR',
    help: 'folder of agents with golden tests',
    usual: 'the Vitest root',
  },
  evals: {
    group: 'run',
    schema: z.string().min(1),
    isPath: true,
    placeholder: 'PATH',
    help: 'folder or file with the evals of skills',
    usual: 'every documented place',
  },
  shard: {
    group: 'run',
    schema: z
      .string()
      .transform(readShard)
      .refine((shard) => shard !== null, 'expected i/n with 1 <= i <= n, such as 2/4'),
    placeholder: 'I/N',
    help: 'only this part of the cases, such as 2/4; see npx vitest-agent-evals merge',
    usual: 'all cases',
  },
  runs: {
    group: 'run',
    schema: z.union([z.number().int().min(1).max(100), z.literal('auto')]),
    isLayered: true,
    placeholder: 'N',
    help: 'number of runs of each case, or auto: as its file says, but no more than can change its verdict',
    usual: 'the value in the file, else 1 (queries: 3)',
  },
  passThreshold: {
    group: 'run',
    schema: threshold,
    isLayered: true,
    placeholder: 'SHARE',
    help: 'share of the completed runs of a case that must pass',
    usual: '`pass_threshold` in the file, else 1',
  },
  triggerThreshold: {
    group: 'run',
    schema: threshold,
    isLayered: true,
    placeholder: 'SHARE',
    help: 'share of the runs of a query that must use the skill',
    usual: 'the value in the file, else 0.5',
  },
  triggers: {
    group: 'run',
    schema: z.enum(['auto', 'full']),
    default: 'auto',
    placeholder: 'MODE',
    help: 'how to decide the runs of a query: auto (the first model turn if it can), or full (a session)',
  },
  hooks: {
    group: 'run',
    schema: z.boolean(),
    default: true,
    usage: '--no-hooks',
    help: 'run the hooks of the package in trigger queries too',
    flagHelp: 'leave the hooks of the package out of trigger queries',
  },
  baseline: {
    group: 'run',
    schema: z.boolean(),
    default: false,
    help: 'also run each case of a skill without the skill, and report the lift',
  },
  judge: {
    group: 'judging',
    schema: judgeSchema,
    isLayered: true,
    placeholder: '[PROVIDER:]MODEL',
    help: 'model of the judge',
    usual: "the one in eval-config.json, else the agent's model",
  },
  votes: {
    group: 'judging',
    schema: z.number().int().min(1).max(9),
    default: 1,
    placeholder: 'N',
    help: 'maximum number of votes; the judge stops once a majority is certain',
  },
  judgeFailedCases: {
    group: 'judging',
    schema: z.boolean(),
    default: false,
    help: 'also ask the judge about cases with a failed check',
  },
  claims: {
    group: 'judging',
    schema: z.enum(['accept', 'error', 'mark']),
    default: 'mark',
    placeholder: 'CHOICE',
    help: "verdicts that only the agent's own words prove: accept, mark or error",
  },
}

function readShard(text: string): Shard | null {
  const [, index = '', count = ''] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []
  const shard = { index: Number(index), count: Number(count) }
  return index === '' || shard.index > shard.count ? null : shard
}
