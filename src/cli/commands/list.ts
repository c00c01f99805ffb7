import { resolve } from 'node:path'
import { pathFrom } from '../../packages/package-root.ts'
import { dollars, formatPlace, plural, toPrintableLine } from '../../lib/text.ts'
import { uniqueIssues, type Issue } from '../../lib/documents/document.ts'
import { readReference } from '../../recordings/reference.ts'
import { identifyCase } from '../../case/plan/plan-case.ts'
import { isInQuarantine } from '../../options/quarantine.ts'
import { createFileDealer } from '../../case/plan/deal-shards.ts'
import { plannedCases } from '../../case/plan/plan.ts'
import { describeErrors, describeNoEffect } from '../../formats/describe-issues.ts'
import { createExpectations, type ExpectedCase } from '../../case/prepare/expect-case.ts'
import { describeCost } from '../../gateway/budget/spending.ts'
import { explainCases, meaningOf, toListNotes, type ExplainedCase } from '../output/list-meaning.ts'
import { formatDollars, formatSeconds, formatTable } from '../../report/summary/table.ts'
import { describeNothing, findProject, narrow, searchFolder, type LoadedSuites } from '../find/search.ts'
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
  ...(['target', 'kind', 'category', 'tag', 'case', 'shard', 'evals', 'agentsRoot'] as const),
  ...(['engine', 'model', 'judge', 'source', 'requireLive', 'runs', 'baseline', 'ablation'] as const),
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
    const named = values.root === undefined ? null : resolve(values.root)
    const { root, within } = named === null ? findProject(process.cwd()) : { root: named, within: named }
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
    const listed = suites.flatMap((suite) =>
      plannedCases(plan, suite, settings).map((evalCase) => {
        const quarantined = isInQuarantine(identifyCase(suite, evalCase, settings), options.quarantine)
        const state = quarantined ? { quarantined } : {}
        // Spreading two objects into one takes V8 ten times as long.
        const one: ExplainedCase = Object.assign(expect(suite, evalCase), meaningOf(suite, evalCase), state)
        return { one, judge: nearest<string | null>(options.judge, suite.config.judge, null) }
      }),
    )
    const cases = listed.map(({ one }) => one)
    const issues = uniqueIssues(searched.suites.flatMap((suite) => suite.issues))
    const isEmpty = searched.suites.length + searched.evalFiles.length === 0
    const nothing = isEmpty ? [{ file: null, message: describeNothing(searched) }] : []
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
    } else {
      const paint = painter()
      const table = [
        ...formatCases(cases, paint),
        describeTotals(totalsOf(cases), options),
        ...describeTests(files, tests),
      ]
      const dealt = dealer.describe(plan)
      print([
        ...nothing.map(({ message }) => message),
        ...(values.explain === true ? explainCases(listed, settings, paint) : isEmpty ? [] : table),
        ...(dealt === null ? [] : [dealt]),
        ...remarksOn(searched, issues, values.verbose === true, paint),
      ])
    }
    return cases.length + files.length === 0 ? 2 : 0
  },
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

function formatCases(cases: readonly ExplainedCase[], paint: Paint): readonly string[] {
  if (cases.length === 0) return []
  const unknown = paint('dim', 'unknown')
  const hasEngines = new Set(cases.map(({ engine }) => engine)).size > 1
  const engineOf = ({ name, engine }: ExpectedCase): string =>
    hasEngines && !name.includes(` (${engine}`) ? paint('dim', ` (${toPrintableLine(engine)})`) : ''
  const stateOf = ({ quarantined }: ExplainedCase): string =>
    quarantined === undefined ? '' : paint('yellow', ' (in quarantine)')
  const columns: readonly (readonly [head: string, show: (one: ExplainedCase) => string | null])[] = [
    ['Case', (one) => `${toPrintableLine(one.name)}${stateOf(one)}`],
    ['Target', ({ target }) => toPrintableLine(target ?? '-')],
    ['Answers', (one) => `${one.answers === 'live' ? paint('yellow', 'live') : one.answers}${engineOf(one)}`],
    ['Model', ({ answers, model }) => (model === null ? (answers === 'live' ? unknown : '-') : (model ?? null))],
    ['Runs', ({ runs }) => String(runs)],
    ['Calls', ({ calls }) => (calls === null ? null : String(calls))],
    ['Time', ({ seconds }) => (seconds === null ? null : formatSeconds(seconds))],
    ['Cost', ({ cost_usd: cost }) => (cost === null ? null : formatDollars(cost))],
    ['Place', (one) => paint('dim', toPrintableLine(formatPlace(one)))],
  ]
  // A column of which nothing is known says nothing.
  const shown = columns.filter(([, show]) => cases.some((one) => show(one) !== null))
  const heads = shown.map(([head]) => head)
  const rows = cases.map((one) => shown.map(([, show]) => show(one) ?? unknown))
  return [...formatTable([heads.map((head) => paint('bold', head)), ...rows], heads.map(alignOf)), '']
}

function alignOf(head: string): 'left' | 'right' {
  return ['Runs', 'Calls', 'Time', 'Cost'].includes(head) ? 'right' : 'left'
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

function remarksOn(
  { root, notes, places }: LoadedSuites,
  issues: readonly Issue[],
  isVerbose: boolean,
  paint: Paint,
): readonly string[] {
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
