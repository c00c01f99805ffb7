import { z } from 'zod'
import { fieldsSchema } from '../suites/formats/skill-evals/settled-fields.ts'
import type { FieldsOption } from '../suites/formats/skill-evals/vocabulary.ts'
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
  /** Also write the result files of skill-creator or of `claude plugin eval` to the run folder. Default: none. */
  readonly export: Optional<'plugin-eval' | 'skill-creator'>
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

const text = z.string().min(1)

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
  export: {
    group: 'output',
    schema: z.enum(['plugin-eval', 'skill-creator']),
    placeholder: 'FORMAT',
    help: 'also write the result files of skill-creator or plugin-eval to the run folder',
    usual: 'off',
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
    help: "roles of fields in `evals.json` that have none, such as `{ failure_conditions: 'must-not' }`; `lint` proposes them",
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
