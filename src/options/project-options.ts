import { z } from 'zod'
import type { Ablation } from '../formats/plugin-eval/model.ts'
import { fieldsSchema } from '../formats/skill-evals/fields.ts'
import type { FieldsOption } from '../formats/skill-evals/vocabulary.ts'
import { judgeSchema } from './value-schemas.ts'
import type { Defaulted, Optional, OptionsOf } from './option.ts'

/** What a run writes, and where suites are found. */
export interface ProjectOptionTypes {
  /** Path of the report, relative to the Vitest root, or `false` for none. Default: `<package>/evals/reports/<timestamp>.json`. */
  readonly report: Optional<string | false>
  /**
   * Write the report as a page at the end of a run: `true` for `report.html` in the run folder, or a path relative to
   * the Vitest root.
   * @default false
   */
  readonly html: Defaulted<boolean | string>
  /** Write what happened as a comment for a pull request, in Markdown, to this path relative to the Vitest root. Default: none. */
  readonly comment: Optional<string>
  /**
   * Run each case a second time with another version of its package: a ref of Git, such as `HEAD~1`, or a folder that
   * stands in for the Vitest root. Or the path of a report, which is compared with. Default: none.
   */
  readonly against: Optional<string>
  /**
   * With `against`: fail on a regression that is more than noise.
   * @default false
   */
  readonly gate: Defaulted<boolean>
  /** Limits that fail the run, such as `{ passRate: 0.8, costUsd: 2 }`. Default: none. */
  readonly budgets: Optional<Budgets | string, Budgets>
  /**
   * Cases that run and are reported, and that fail neither the run nor a gate: names, ids, or globs over both, such as
   * `['pdf-*']`. Default: none.
   */
  readonly quarantine: Defaulted<readonly string[]>
  /**
   * Write the log of an agent's golden tests, `evals/runs/<date>.jsonl`.
   * @default true
   */
  readonly runLog: Defaulted<boolean>
  /**
   * Print no line per golden test, only their summary.
   * @default false
   */
  readonly summaryOnly: Defaulted<boolean>
  /** Folder to search for suites. Default: the Vitest root. */
  readonly root: Optional<string>
  /** Suite files to read, as globs relative to the root. Default: every documented place. */
  readonly include: Optional<readonly string[]>
  /** Globs of suite files to exclude. Default: none. */
  readonly exclude: Defaulted<readonly string[]>
  /** Roles of fields in `evals.json` that have none, such as `{ failure_conditions: 'must-not' }`. Default: none. */
  readonly fields: Defaulted<FieldsOption>
  /**
   * Name of the project that needs an engine.
   * @default 'evals'
   */
  readonly name: Defaulted<string>
  /**
   * Name of the project of the free `tests/` of skills, hooks and commands.
   * @default 'assert'
   */
  readonly assertName: Defaulted<string>
  /**
   * `'named'`: the project exists when it or one of its files is named; `'always'`: in every run.
   * @default 'named'
   */
  readonly when: Defaulted<'always' | 'named'>
  /** Passed to the project's `test` config, where it overrides the plugin's values. Default: none. */
  readonly test: Defaulted<Readonly<Record<string, unknown>>>
}

/** Limits of a run, each of which fails it. */
export interface Budgets {
  /** Least share of the decided cases that pass, between 0 and 1: the lower bound of its 95% interval is compared. */
  readonly passRate?: number | undefined
  /** Most US dollars of the run, agents and judges together. */
  readonly costUsd?: number | undefined
}

const text = z.string().min(1)
const budgets = z.strictObject({
  passRate: z.number().gt(0).lt(1).optional(),
  costUsd: z.number().nonnegative().optional(),
})

// A command line gives them as `passRate=0.8,costUsd=2`.
function readBudgets(written: unknown): unknown {
  if (typeof written !== 'string') return written
  const pairs = written.split(',').map((pair) => pair.split('='))
  return Object.fromEntries(
    pairs.map(([name = '', value = '']) => [name.trim(), value.trim() === '' ? value : Number(value)]),
  )
}

export const projectOptions: OptionsOf<ProjectOptionTypes> = {
  report: {
    group: 'output',
    schema: z.union([text, z.literal(false)]),
    isPath: true,
    usage: '-o FILE, --report=FILE',
    help: 'write the report to FILE; --no-report writes none, --no-write no log either',
    usual: '`evals/reports/<timestamp>.json` of the package',
  },
  html: {
    group: 'output',
    schema: z.union([z.boolean(), text]),
    default: false,
    isPath: true,
    usage: '--html, --html=FILE',
    help: 'also write the report as a page: to report.html in the run folder, or to FILE',
  },
  comment: {
    group: 'output',
    schema: text,
    isPath: true,
    placeholder: 'FILE',
    help: 'also write a comment for the pull request, in Markdown',
    usual: 'none',
  },
  against: {
    group: 'run',
    schema: text,
    placeholder: 'REF',
    help: 'also run each case with the package at a ref of Git or in a folder, or take a report, and compare',
    usual: 'none',
  },
  gate: {
    group: 'run',
    schema: z.boolean(),
    default: false,
    help: 'with --against: fail on a regression beyond noise',
  },
  budgets: {
    group: 'run',
    schema: z.preprocess(readBudgets, budgets),
    flag: 'budget',
    placeholder: 'NAME=LIMIT',
    help: `fail beyond a limit: ${Object.keys(budgets.shape).join(', ')}`,
    usual: 'none',
  },
  quarantine: {
    schema: z.array(text),
    default: [],
    isConfigOnly: true,
    help: 'names, ids or globs of cases that never make a run or a gate red; see [Gates](gates.md#quarantine)',
    usual: 'none',
  },
  runLog: {
    group: 'output',
    schema: z.boolean(),
    default: true,
    usage: '--no-run-log',
    help: 'write the log of golden tests',
    flagHelp: 'write no log of golden tests',
  },
  summaryOnly: { group: 'output', schema: z.boolean(), default: false, help: 'print no line per golden test' },
  root: { schema: text, isConfigOnly: true, help: 'folder to search for suites', usual: 'the Vitest root' },
  include: {
    schema: z.array(text),
    isConfigOnly: true,
    help: 'suite files to read, as globs relative to the root',
    usual: 'every documented place',
  },
  exclude: { schema: z.array(text), default: [], isConfigOnly: true, help: 'globs to exclude', usual: 'none' },
  fields: {
    schema: fieldsSchema,
    default: {},
    isConfigOnly: true,
    help: "roles of fields in `evals.json` that have none, such as `{ failure_conditions: 'must-not' }`",
    usual: 'none',
  },
  name: { schema: text, default: 'evals', isConfigOnly: true, help: 'name of the project that needs an engine' },
  assertName: {
    schema: text,
    default: 'assert',
    isConfigOnly: true,
    help: 'name of the project of the free tests of skills, hooks and commands',
  },
  when: {
    schema: z.enum(['always', 'named']),
    default: 'named',
    isConfigOnly: true,
    help: '`named`: the project exists when it or one of its files is named; `always`: in every run',
  },
  test: {
    schema: z.record(z.string(), z.unknown()),
    default: {},
    isConfigOnly: true,
    help: "passed to the project's `test` config",
    usual: 'none',
  },
}

/** Options of `claude plugin eval`, for its cases alone. */
export interface PluginEvalOptionTypes {
  /**
   * Run the scaffold scripts of the cases, which fill their workspaces.
   * @default false
   */
  readonly scaffold: Defaulted<boolean>
  /**
   * Run the evals of plugins that are not in your repository.
   * @default false
   */
  readonly trustPlugin: Defaulted<boolean>
  /**
   * What answers for the MCP servers of a plugin. `record`: the files of `mocks/`. `off`: the servers themselves.
   * @default 'record'
   */
  readonly mocks: Defaulted<'off' | 'record'>
  /**
   * Arms of cases of `claude plugin eval`: with the plugin and without it, or with it alone. `auto`: both, except for a case
   * with a `history_file`, whose history has the plugin in both arms.
   * @default 'auto'
   */
  readonly ablation: Defaulted<Ablation>
  /**
   * Minimum score, from 0 to 1, with which a case of `claude plugin eval` passes.
   * @default 1
   */
  readonly threshold: Defaulted<number>
  /** Only cases with one of these tags. Default: all. */
  readonly tag: Optional<string | readonly string[], readonly string[]>
  /** Only cases of `claude plugin eval` whose names match this glob. Default: all. */
  readonly case: Optional<string>
  /** `[provider:]model` that judges cases of `claude plugin eval`. Default: `judge`, else the agent's model. */
  readonly judgeModel: Optional<string>
}

export const pluginEvalOptions: OptionsOf<PluginEvalOptionTypes> = {
  scaffold: {
    group: 'plugin-evals',
    schema: z.boolean(),
    default: false,
    help: 'plugin evals: run the scaffold scripts of the cases',
  },
  trustPlugin: {
    group: 'plugin-evals',
    schema: z.boolean(),
    default: false,
    help: 'plugin evals: run plugins that are not in your repository',
  },
  mocks: {
    group: 'plugin-evals',
    schema: z.enum(['off', 'record']),
    default: 'record',
    placeholder: 'MODE',
    help: 'plugin evals: record (files play the MCP servers) or off (the servers are started)',
  },
  ablation: {
    group: 'plugin-evals',
    schema: z.enum(['auto', 'none', 'with-without']),
    default: 'auto',
    placeholder: 'MODE',
    help: 'arms of plugin evals: with-without the plugin, none to leave the second arm out, or auto (both unless a case has a history_file)',
  },
  threshold: {
    group: 'plugin-evals',
    schema: z.number().min(0).max(1),
    default: 1,
    placeholder: 'SCORE',
    help: 'score from which on a plugin eval passes',
  },
  tag: {
    group: 'run',
    schema: z.union([z.string(), z.array(z.string())]).transform((tags) =>
      [tags]
        .flat()
        .flatMap((tag) => tag.split(','))
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
    ),
    placeholder: 'TAG',
    help: 'only cases with one of these tags; several as TAG,TAG',
    usual: 'all',
  },
  case: {
    group: 'plugin-evals',
    schema: z.string().min(1),
    placeholder: 'GLOB',
    help: 'only plugin evals whose names match',
    usual: 'all',
  },
  judgeModel: {
    group: 'plugin-evals',
    schema: judgeSchema,
    placeholder: '[PROVIDER:]MODEL',
    help: 'model that judges plugin evals',
    usual: '`judge`',
  },
}
