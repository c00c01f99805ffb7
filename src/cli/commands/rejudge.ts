import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { openGateway } from '../../case/open-gateway.ts'
import { isJudged, rejudgeCase } from '../../case/rejudge-case.ts'
import { buildReport } from '../../report/build/build-report.ts'
import { openJournal } from '../../report/results/journal.ts'
import { knownProvenance } from '../../report/results/provenance.ts'
import { createRedactor } from '../../gateway/redact.ts'
import { createRunId, endRun, keepProvenance, readProvenance, type RunFolder } from '../../report/results/run-folder.ts'
import { createRunFolder } from '../../report/results/start-run.ts'
import { isCi } from '../../sandbox/environment.ts'
import { readStoredReport, type StoredReport } from '../../report/stored-report.ts'
import { formatSummary } from '../../report/summary/summary.ts'
import { findReportProblem, writeReports } from '../../report/write-report.ts'
import { NOTHING } from '../../formats/format.ts'
import { identifyCase } from '../../case/plan/plan-case.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { exitCodeOf } from './merge.ts'
import { hasEvals, searchFolder, type SearchedFolder } from '../find/search.ts'
import { nameFlag, optionHelp, pickOptions, readRunArguments } from '../run-arguments.ts'
import { print, printError, wantsColor } from '../../report/summary/terminal.ts'
import { plural } from '../../lib/text.ts'
import type { Report } from '../../report/report.ts'
import { sharedId, type CaseResult } from '../../report/results/result.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { StoredCase } from '../../case/rejudge-case.ts'

const REJUDGE_OPTIONS = pickOptions('judge', 'votes', 'source', 'maxCostUsd')

const FLAGS = {
  output: { type: 'string', short: 'o', value: 'FILE', help: 'write the report to FILE; else beside the old one' },
} as const

/** `agent-evals rejudge REPORT`: another judge, rubric or criteria for runs that are stored. */
export const rejudge: Command = {
  name: 'rejudge',
  usage: 'REPORT [options]',
  details: [
    'It uses the runs in .vitest/agent-evals with the current rubric, criteria and judge.',
    '',
    ...optionHelp(REJUDGE_OPTIONS),
    ...flagHelp(FLAGS),
    '',
    'Exit code: as for run.',
  ],
  async run(argv) {
    const { environment, rest } = readRunArguments(argv, process.cwd(), REJUDGE_OPTIONS)
    const { values, positionals } = readFlags(FLAGS, rest)
    const [path, ...more] = positionals
    if (path === undefined && !(await hasEvals(process.cwd()))) throw new AgentEvalsError('no-match', NOTHING)
    if (path === undefined || more.length > 0)
      throw new AgentEvalsError('invalid-options', `Expected one report, got ${positionals.length}.`)
    const stored = readStoredReport(resolve(path))
    const { results } = stored.folded
    if (!results.some(isJudged))
      throw new AgentEvalsError(
        'no-match',
        `Nothing in ${path} can be judged again: no judge decided anything, or only tests and cases of claude plugin eval.`,
      )
    const output = values.output === undefined ? undefined : resolve(values.output)
    const problem = output === undefined ? null : findReportProblem(output)
    if (problem !== null) throw problem

    const { root } = stored.folder.plan
    const search = await searchFolder(root, { ...process.env, ...environment }).catch((error: unknown) => {
      throw nameFlag(error, environment)
    })
    if (search.options.source === 'record')
      throw new AgentEvalsError(
        'invalid-options',
        'A stored run cannot be recorded. Use --source auto, replay or live.',
      )
    return judgeStored(resolve(path), stored, search, output)
  },
}

async function judgeStored(
  from: string,
  stored: StoredReport,
  search: SearchedFolder,
  output: string | undefined,
): Promise<number> {
  const startedAt = new Date()
  const { plan } = stored.folder
  const { options } = search
  const ids = new Set(stored.folded.results.map(({ id }) => id))
  const cases = plan.cases.filter(({ id }) => ids.has(id))
  const { options: asRun, versions } = plan
  const planned = { cases, files: [], reports: [stored.folded.planned], options: asRun, versions }
  const folder = createRunFolder(plan.root, createRunId(startedAt), planned, startedAt)
  const gateway = await openGateway(options)
  const stop = new AbortController()
  const interrupt = (): void => stop.abort()
  for (const signal of SIGNALS) process.once(signal, interrupt)
  try {
    const settings: RunSettings = {
      ...(plan.options as unknown as RunSettings),
      runFolder: folder.path,
      controlSocket: gateway.controlSocket,
      source: options.source,
      liveBlockedReason: isCi(process.env) ? 'CI is set' : null,
      onMissingAnswers: 'errored',
      judge: options.judge,
      votes: options.votes,
      maxCostUsd: options.maxCostUsd,
      allowUnknownCost: options.allowUnknownCost,
      prices: options.prices,
    }
    const results = await judgeAll(stored, search, settings, stop.signal)
    if (stop.signal.aborted) {
      endRun(folder.path, { status: 'interrupted', reports: [] })
      return INTERRUPTED
    }
    return publish({ from, stored, folder, results, startedAt, judge: options.judge.environment, output })
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
    await gateway.close()
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const INTERRUPTED = 130

async function judgeAll(
  { folded }: StoredReport,
  { suites }: SearchedFolder,
  settings: RunSettings,
  signal: AbortSignal,
): Promise<readonly CaseResult[]> {
  const redactor = createRedactor(process.env)
  await using journal = openJournal(settings.runFolder, { redactor })
  const judged: CaseResult[] = []
  const open = [...folded.results.entries()]
  const next = async (): Promise<void> => {
    for (let one = open.shift(); one !== undefined && !signal.aborted; one = open.shift()) {
      const [at, result] = one
      const found = findCase(result, suites, settings)
      judged[at] = await rejudgeCase({ found, result, settings, redactor, signal })
      if (!signal.aborted) await journal.end(judged[at])
    }
  }
  // As many transcripts are in memory at once.
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  return judged
}

const AT_ONCE = 8

function findCase(result: CaseResult, suites: SearchedFolder['suites'], settings: RunSettings): StoredCase['found'] {
  const id = sharedId(result)
  const suite = suites.find(({ file }) => file === resolve(settings.root, result.file))
  const evalCase = suite?.cases.find((one) => identifyCase(suite, one, settings).id === id)
  return suite === undefined || evalCase === undefined ? null : { suite, evalCase }
}

interface Judged {
  readonly from: string
  readonly stored: StoredReport
  readonly folder: RunFolder
  readonly results: readonly CaseResult[]
  readonly startedAt: Date
  readonly judge: string | null
  readonly output: string | undefined
}

function publish({ from, stored, folder, results, startedAt, judge, output }: Judged): number {
  const { plan } = folder
  const { planned } = stored.folded
  const { packageRoot, engineName } = planned
  const provenance = readProvenance(stored.folder.path, packageRoot) ?? knownProvenance(plan.versions.vitest)
  keepProvenance(folder.path, packageRoot, provenance)
  const folded = {
    ...stored.folded,
    planned: { ...planned, judge: judge ?? planned.judge },
    run: plan.run,
    startedAt: plan.startedAt,
    durationMs: Date.now() - startedAt.getTime(),
    results,
  }
  const report: Report = { ...buildReport(folded, provenance), rejudged_from: relative(plan.root, from) }
  const path = output ?? besides(from, report)
  const redactor = createRedactor(process.env)
  const written = writeReports([{ report, packageRoot, engineName }], { runFolder: folder.path, redactor, path })
  endRun(folder.path, { status: report.status, reports: written.map((one) => one.path) })
  const shown = [{ report, path: relative('.', written[0]?.path ?? path) }]
  const count = stored.folded.results.filter(isJudged).length
  print([...formatSummary(shown, { color: wantsColor() }), `${'Rejudged'.padStart(11)}  ${plural(count, 'case')}`])
  for (const { problem } of written) if (problem !== null) printError(`agent-evals rejudge: ${problem.message}`)
  return exitCodeOf([report])
}

// Reports of one folder are named by their time; another one of the same second is left alone.
function besides(from: string, { timestamp }: Report): string {
  const name = timestamp.replaceAll(':', '-')
  for (let n = 1; ; n++) {
    const path = join(dirname(from), `${name}${n === 1 ? '' : `-${n}`}.json`)
    if (!existsSync(path)) return path
  }
}
