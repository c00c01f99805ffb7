import { resolve, sep } from 'node:path'
import type { TestProject, TestSpecification, Vitest } from 'vitest/node'
import { tryStat } from '../../lib/files.ts'
import { patternOf } from '../../lib/text.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { CaseResult } from '../../report/results/result.ts'
import type { SuiteStore } from '../modules/suite-store.ts'
import type { CasePlanner, DueCases } from '../plugin/case-planner.ts'
import '../provided.ts'
import { formatOutdated, formatSkipped, isOutdated } from '../reporter/format-skipped.ts'
import { createAffectedFinder } from './affected-cases.ts'
import { narrowRuns } from './narrow-runs.ts'
import { printBy } from '../../report/summary/terminal.ts'

/** What follows from changed files, for the reporter of the cases. */
export interface WatchedCases {
  /** Tells what is due, where changed files select. Called before each run. */
  narrow(specifications: readonly TestSpecification[]): Promise<DueCases>
  /** Sets what is called when case files are gone and nothing runs for that. */
  onGone(listener: () => void): void
  /** The settings of the present run. */
  settings(): RunSettings
  /** Takes all results so far, and says what is to be shown below the summary. */
  learn(results: readonly CaseResult[]): readonly string[]
}

/** What is watched. */
interface WatchOptions {
  readonly vitest: Vitest
  readonly project: TestProject
  readonly store: SuiteStore
  readonly planner: CasePlanner
  readonly settings: RunSettings
  /** Absolute path of the report, where it was asked for. */
  readonly report: string | null
  readonly hasOwnInclude: boolean
}

/** Makes edits run the cases that depend on them, and offers to run live what only a live run can decide. */
export async function watchCases(options: WatchOptions): Promise<WatchedCases> {
  const { vitest, project, store, settings } = options
  const due = createAffectedFinder(options)
  const key = listenForRecordShortcut({ vitest, project, settings })
  const isOwn = outputFilter(vitest, options.report)
  const isOutput = (file: string): boolean => isOwn(file) || (isRecording(file) && changedAt(file) <= key.endedAt())
  let noteGone: (() => void) | null = null
  const narrow = await narrowRuns({ ...options, due, isOutput, onGone: () => noteGone?.() })

  return {
    async narrow(specifications) {
      key.begin(specifications)
      const dueCases = await narrow(specifications)
      // The module of a suite is made of other files, too, such as graders, whose edits Vite does not know.
      for (const { moduleId } of specifications) if (store.owns(moduleId)) vitest.invalidateFile(moduleId)
      return dueCases
    },
    onGone(listener) {
      noteGone = listener
    },
    settings: () => project.getProvidedContext().agentEvals,
    learn(results) {
      if (!vitest.config.watch) {
        const errored = results.filter(({ outcome }) => outcome === 'errored')
        return [...formatOutdated(errored, settings, false), ...formatSkipped(results, settings)]
      }
      for (const { id, runs } of results) {
        due.noteSkills(
          id,
          runs.flatMap(({ skills_used: used }) => used),
        )
      }
      key.offer(results.filter(isOutdated))
      return formatOutdated(results, settings, key.isThere)
    },
  }
}

function isRecording(file: string): boolean {
  return file.includes('/evals/recordings/')
}

function changedAt(file: string): number {
  return tryStat(file)?.mtimeMs ?? Number.POSITIVE_INFINITY
}

/**
 * Separates what a run itself writes from what a person edits: a report in the package would otherwise make a
 * watching Vitest run without end.
 *
 * @param report - absolute path of the report, where it was asked for.
 */
export function outputFilter({ config }: Pick<Vitest, 'config'>, report: string | null): (file: string) => boolean {
  const outputFile: unknown = config.outputFile
  const files = typeof outputFile === 'object' && outputFile !== null ? Object.values(outputFile) : [outputFile]
  const ofReporters = config.reporters.flatMap((reporter) =>
    Array.isArray(reporter) ? [(reporter[1] as { outputFile?: unknown } | undefined)?.outputFile] : [],
  )
  const paths = [...files, ...ofReporters, report, 'html']
    .filter((path) => typeof path === 'string')
    .map((path) => resolve(config.root, path))
  return (file) => LITTER.test(file) || paths.some((path) => file === path || file.startsWith(`${path}${sep}`))
}

const LITTER = /\/(?:\.git|\.vitest(?:-[a-z]+)?|node_modules|evals\/(?:reports|runs))\//

/** The key of a watching Vitest that runs outdated cases live. Pressing it is what asks for spending. */
interface RecordShortcut {
  /** Whether there is a keyboard to press it on. */
  readonly isThere: boolean
  /** Takes note that a pass over these test files begins: none but its own may spend. */
  begin(specifications: readonly TestSpecification[]): void
  /** Says which cases it runs from now on. */
  offer(cases: readonly OutdatedCase[]): void
  /** Milliseconds since the epoch at which its last run has ended; 0 before. */
  endedAt(): number
}

type OutdatedCase = Pick<CaseResult, 'at' | 'file' | 'name' | 'sharesLine'>

/** What the key works on. */
interface RecordShortcutOptions {
  readonly vitest: Vitest
  readonly project: TestProject
  readonly settings: RunSettings
}

/** Listens for the key, where Vitest watches on a terminal. */
export function listenForRecordShortcut({ vitest, project, settings }: RecordShortcutOptions): RecordShortcut {
  const isThere = vitest.config.watch && process.stdin.isTTY && settings.source !== 'replay'
  let cases: readonly OutdatedCase[] = []
  let started: TestSpecification[] = []
  let endedAt = 0

  const runLive = async (): Promise<void> => {
    const files = [...new Set(cases.map(({ file }) => file))]
    started = files.map((file) => {
      const ofFile = cases.filter((one) => one.file === file)
      const specification = project.createSpecification(
        resolve(settings.root, file),
        ofFile.map(({ at }) => at.line),
      )
      // Other cases of a line are no matter of this key, which spends.
      if (ofFile.some(({ sharesLine }) => sharesLine === true))
        Object.assign(specification, { testNamePattern: patternOf(ofFile.map(({ name }) => name)) })
      return specification
    })
    try {
      await vitest.rerunTestSpecifications(started)
    } finally {
      endedAt = Date.now()
      started = []
    }
  }
  const onKey = (_text: string | undefined, key: { readonly name?: string } | undefined): void => {
    if (!isListening(vitest)) return
    // Vitest's own help knows its own keys.
    if (key?.name === 'h') printBy(vitest.logger, 'log', HELP)
    if (key?.name !== 'l' || started.length > 0) return
    if (cases.length === 0) return printBy(vitest.logger, 'log', NOTHING_OUTDATED)
    runLive().catch((error: unknown) => printBy(vitest.logger, 'error', `agent-evals: ${String(error)}`))
  }

  if (isThere) {
    process.stdin.on('keypress', onKey)
    vitest.onClose(() => void process.stdin.off('keypress', onKey))
  }
  return {
    isThere,
    begin(specifications) {
      const isAsked = specifications.some((one) => started.includes(one))
      if (isThere)
        project.provide('agentEvals', isAsked ? { ...settings, source: 'record', liveBlockedReason: null } : settings)
    },
    offer: (outdated) => {
      cases = outdated
    },
    endedAt: () => endedAt,
  }
}

// While tests run Vitest's own keys do nothing, and while a filter is typed it takes its listener off: an `l` of a name
// must not spend.
function isListening(vitest: Vitest): boolean {
  const { runningPromise } = vitest as unknown as { readonly runningPromise?: Promise<unknown> }
  return (
    runningPromise === undefined && process.stdin.listeners('keypress').some(({ name }) => name === VITEST_LISTENER)
  )
}

const VITEST_LISTENER = 'keypressHandler'
const HELP = '  press l to run and record outdated evals live'
const NOTHING_OUTDATED = 'agent-evals: nothing to record: no case is stale or without a recording'
