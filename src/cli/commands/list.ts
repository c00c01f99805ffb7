import { resolve } from 'node:path'
import { pathFrom } from '../../packages/package-root.ts'
import { dollars, formatPlace, plural, toPrintableLine } from '../../lib/text.ts'
import { uniqueIssues } from '../../lib/documents/document.ts'
import { readKinds } from '../../judges/known-kinds.ts'
import { readReference } from '../../recordings/reference.ts'
import { runsFolder } from '../../report/results/run-folder.ts'
import { identifyCase } from '../../case/plan/plan-case.ts'
import { isInQuarantine } from '../../options/quarantine.ts'
import { createFileDealer } from '../../case/plan/deal-shards.ts'
import { plannedCases } from '../../case/plan/plan.ts'
import { describeErrors, describeNoEffect } from '../../formats/describe-issues.ts'
import { createExpectations, type ExpectedCase } from '../../case/prepare/expect-case.ts'
import { describeCost } from '../../gateway/budget/spending.ts'
import {
  describeJudge,
  explain,
  meaningOf,
  toListNotes,
  withKinds,
  type ExplainedCase,
} from '../output/list-meaning.ts'
import { formatDollars, formatSeconds, formatTable } from '../../report/summary/table.ts'
import {
  describeNothing,
  findProject,
  narrow,
  searchFolder,
  type LoadedSuites,
  type ProjectPart,
} from '../find/search.ts'
import { requireEngines } from '../../options/resolve-options.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { nameFlag, optionHelp, pickOptions, readRunArguments } from '../run-arguments.ts'
import { planAsked } from '../find/name-cases.ts'
import { painter, print, printJson, type Paint } from '../../report/summary/terminal.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { nearest } from '../../options/option.ts'
import { sum, sumOf } from '../../lib/lists.ts'
import type { WrittenTest } from '../../vitest/command/read-tests.ts'

const LIST_OPTIONS = pickOptions(
  ...([
    'target',
    'kind',
    'category',
    'tag',
    'case',
    'shard',
    'evals',
    'agentsRoot',
    'engine',
    'model',
    'judge',
  ] as const),
  ...(['source', 'requireLive', 'runs', 'baseline', 'ablation'] as const),
)

const FLAGS = {
  root: {
    type: 'string',
    value: 'FOLDER',
    help: 'project to search; default: the one around the current folder, and of its cases those in this folder',
  },
  'test-name-pattern': {
    type: 'string',
    short: 't',
    value: 'PATTERN',
    help: 'only cases whose name matches, as in Vitest',
  },
  explain: { type: 'boolean', help: 'print each prompt, its expectations and who decides them' },
  verbose: { type: 'boolean', help: 'print every place where a field has no effect, and where evals were searched' },
  json: { type: 'boolean', help: 'print the list, with the meaning of each case, as JSON' },
} as const

/** `agent-evals list`: the cases, and what their next run takes. */
export const list: Command = {
  name: 'list',
  usage: '[filter...] [options]',
  details: [
    'Estimates come from recordings or earlier reports; otherwise "unknown".',
    '',
    ...optionHelp(LIST_OPTIONS),
    ...flagHelp(FLAGS),
  ],
  async run(argv) {
    const { environment, test, rest } = readRunArguments(argv, process.cwd(), LIST_OPTIONS)
    const { values, positionals } = readFlags(FLAGS, rest)
    const { root, within } = values.root === undefined ? findProject(process.cwd()) : at(resolve(values.root))
    const search = searchFolder(root, { ...process.env, ...environment }).catch((error: unknown) => {
      throw nameFlag(error, environment)
    })
    const searched = narrow(await search, within)
    const { options } = searched
    requireEngines(options)
    const pattern = values['test-name-pattern'] ?? null
    const settings = { ...options, root: searched.root }
    const dealer = createFileDealer(settings)
    const { suites, plan, tests, files } = planAsked({ filters: positionals, test, pattern }, searched, options, dealer)
    const { requireLive: ref } = options
    const believed = ref === null ? null : await readReference(searched.root, ref)
    const expect = createExpectations(settings, believed)
    const judges = new Map<ExplainedCase, string | null>()
    const cases = suites.flatMap((suite) =>
      plannedCases(plan, suite, settings).map((evalCase): ExplainedCase => {
        // Spreading two objects into one takes V8 ten times as long.
        const quarantined = isInQuarantine(identifyCase(suite, evalCase, settings), options.quarantine)
        const state = quarantined ? { quarantined } : {}
        const one = Object.assign(expect(suite, evalCase), meaningOf(suite, evalCase), state)
        judges.set(one, nearest<string | null>(options.judge, suite.config.judge, null))
        return one
      }),
    )
    const issues = uniqueIssues(searched.suites.flatMap((suite) => suite.issues))
    const paint = painter()
    const isEmpty = searched.suites.length === 0 && searched.evalFiles.length === 0
    const nothing = isEmpty ? [{ file: null, message: describeNothing(searched) }] : []
    const dealt = dealer.describe(plan)
    const remarks = [...(dealt === null ? [] : [dealt]), ...remarksOn(searched, values.verbose === true, paint)]
    if (values.json === true) {
      printJson({
        version: 2,
        plan: plan.hash,
        cases,
        files: files.map((file) => pathFrom(searched.root, file)),
        tests: tests.map(({ name, file, line, tags, isComputed }) => {
          return { name, file: pathFrom(searched.root, file), line, tags, computed: isComputed }
        }),
        totals: totalsOf(cases),
        notes: toListNotes(searched.root, [...searched.notes, ...nothing], issues),
      })
    } else if (values.explain === true) {
      const kindsOf = readKinds(runsFolder(searched.root))
      const explained = cases.flatMap((one) =>
        explain(withKinds(one, kindsOf), paint, describeJudge(judges.get(one) ?? null, options.prices)),
      )
      print([...nothing.map(({ message }) => message), ...explained, ...remarks])
    } else if (isEmpty) print([...nothing.map(({ message }) => message), ...remarks])
    else print([...format(cases, options, describeTests(files, tests), paint), ...remarks])
    return cases.length + files.length === 0 ? 2 : 0
  },
}

function at(folder: string): ProjectPart {
  return { root: folder, within: folder }
}

interface Totals {
  readonly cases: number
  readonly runs: number
  readonly calls: Total
  readonly seconds: Total
  readonly cost_usd: Total
}

/** A sum over what is known, and of how many cases it is not. */
interface Total {
  readonly known: number
  readonly unknown: number
}

function totalsOf(cases: readonly ExpectedCase[]): Totals {
  const total = (read: (one: ExpectedCase) => number | null): Total => {
    const known = cases.map(read).filter((value) => value !== null)
    return { known: Math.round(sum(known) * 1e6) / 1e6, unknown: cases.length - known.length }
  }
  return {
    cases: cases.length,
    runs: sumOf(cases, ({ runs }) => runs),
    calls: total(({ calls }) => calls),
    seconds: total(({ seconds }) => seconds),
    cost_usd: total(({ cost_usd: cost }) => cost),
  }
}

function format(
  cases: readonly ExplainedCase[],
  budget: ListBudget,
  tests: readonly string[],
  paint: Paint,
): readonly string[] {
  const engines = new Set(cases.map(({ engine }) => engine))
  const isUnsaid = ({ name, engine }: ExpectedCase): boolean => engines.size > 1 && !name.includes(` (${engine}`)
  const namesModels = cases.some(({ model }) => model !== undefined)
  // A column of which nothing is known says nothing.
  const figures = FIGURES.filter(([, read]) => cases.some((one) => read(one) !== null))
  const head = [
    'Case',
    'Target',
    'Answers',
    ...(namesModels ? ['Model'] : []),
    'Runs',
    ...figures.map(([name]) => name),
    'Place',
  ]
  const rows = cases.map((one) => [
    `${toPrintableLine(one.name)}${stateOf(one, paint)}`,
    toPrintableLine(one.target ?? '-'),
    `${one.answers === 'live' ? paint('yellow', 'live') : one.answers}${isUnsaid(one) ? paint('dim', ` (${toPrintableLine(one.engine)})`) : ''}`,
    ...(namesModels ? [one.model ?? (one.answers === 'live' ? paint('dim', 'unknown') : '-')] : []),
    String(one.runs),
    ...figures.map(([, read]) => read(one) ?? paint('dim', 'unknown')),
    paint('dim', toPrintableLine(formatPlace(one))),
  ])
  return [
    ...(rows.length === 0
      ? []
      : [...formatTable([head.map((word) => paint('bold', word)), ...rows], head.map(alignOf)), '']),
    describeTotals(totalsOf(cases), budget),
    ...tests,
  ]
}

const FIGURES: readonly (readonly [name: string, read: (one: ExpectedCase) => string | null])[] = [
  ['Calls', ({ calls }) => (calls === null ? null : String(calls))],
  ['Time', ({ seconds }) => (seconds === null ? null : formatSeconds(seconds))],
  ['Cost', ({ cost_usd: cost }) => (cost === null ? null : formatDollars(cost))],
]

function stateOf({ quarantined }: ExplainedCase, paint: Paint): string {
  return quarantined === undefined ? '' : paint('yellow', ' (in quarantine)')
}

// What they take is known when they run, and computed names stand for any number of tests.
function describeTests(files: readonly string[], tests: readonly WrittenTest[]): readonly string[] {
  if (files.length === 0) return []
  const isMore =
    tests.some(({ isComputed }) => isComputed) || files.some((file) => tests.every((one) => one.file !== file))
  return [
    `${isMore ? 'at least ' : ''}${plural(tests.length, 'test')} in ${plural(files.length, 'file')} of evals in TypeScript; what they take is known when they run.`,
  ]
}

function remarksOn({ root, suites, notes, places }: LoadedSuites, isVerbose: boolean, paint: Paint): readonly string[] {
  const issues = uniqueIssues(suites.flatMap((suite) => suite.issues))
  const lines = [
    ...notes.map(({ message }) => toPrintableLine(message)),
    ...(isVerbose ? places : []).map(toPrintableLine),
    ...describeNoEffect(root, issues, isVerbose),
  ]
  return [
    ...lines.map((line) => paint('yellow', `note: ${line}`)),
    ...describeErrors(root, issues, isVerbose).map((line) => paint('red', `error: ${line}`)),
  ]
}

/** Limits what live runs cost; `allowUnknownCost` lets them ask models whose cost no budget can limit. */
type ListBudget = Pick<ResolvedOptions, 'allowUnknownCost' | 'maxCostUsd'>

function describeTotals({ cases, runs, calls, seconds, cost_usd: cost }: Totals, budget: ListBudget): string {
  const parts = [
    plural(cases, 'case'),
    plural(runs, 'run'),
    ...describe(calls, (n) => plural(n, 'call')),
    ...describe(seconds, (n) => `${formatSeconds(n)} one after the other`),
    ...describeCosts(cost, budget),
  ]
  return parts.join(', ')
}

// Nothing is said of what is not known at all: only what it costs has a limit.
function describe({ known, unknown }: Total, words: (known: number) => string): readonly string[] {
  if (unknown === 0) return [words(known)]
  return known === 0 ? [] : [`at least ${words(known)}`]
}

function describeCosts({ known, unknown }: Total, { maxCostUsd, allowUnknownCost }: ListBudget): readonly string[] {
  const cost = describeCost({ usd: known, unknownCases: unknown })
  if (unknown === 0 || allowUnknownCost) return [`cost ${cost}`]
  const limit = `at most ${dollars(maxCostUsd)}, by the budget (--max-cost-usd)`
  return [known === 0 ? `cost ${limit}` : `cost ${cost}, ${limit}`]
}

function alignOf(head: string): 'left' | 'right' {
  return ['Runs', 'Calls', 'Time', 'Cost'].includes(head) ? 'right' : 'left'
}
