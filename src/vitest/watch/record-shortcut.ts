import '../provided.ts'
import { resolve } from 'node:path'
import type { TestProject, Vitest } from 'vitest/node'
import type { CaseResult } from '../../results/result.ts'
import type { RunSettings } from '../../settings.ts'
import { patternOf } from '../../texts.ts'

/** The key of a watching Vitest that runs outdated cases live. Pressing it is what asks for spending. */
export interface RecordShortcut {
  /** Whether there is a keyboard to press it on. */
  readonly isThere: boolean
  /** Says which cases it runs from now on. */
  offer(cases: readonly OutdatedCase[]): void
  /** Milliseconds since the epoch at which its last run has ended; 0 before. */
  endedAt(): number
}

type OutdatedCase = Pick<CaseResult, 'at' | 'file' | 'name' | 'sharesLine'>

/** What the key works on. */
export interface RecordShortcutOptions {
  readonly vitest: Vitest
  readonly project: TestProject
  readonly settings: RunSettings
}

/** Listens for the key, where Vitest watches on a terminal. */
export function listenForRecordShortcut({ vitest, project, settings }: RecordShortcutOptions): RecordShortcut {
  const isThere = vitest.config.watch && process.stdin.isTTY && settings.source !== 'replay'
  let cases: readonly OutdatedCase[] = []
  let endedAt = 0

  const runLive = async (): Promise<void> => {
    const files = [...new Set(cases.map(({ file }) => file))]
    const specifications = files.map((file) => {
      const own = cases.filter((one) => one.file === file)
      const specification = project.createSpecification(
        resolve(settings.root, file),
        own.map(({ at }) => at.line),
      )
      // Other cases of a line are no matter of this key, which spends.
      if (own.some(({ sharesLine }) => sharesLine === true))
        Object.assign(specification, { testNamePattern: patternOf(own.map(({ name }) => name)) })
      return specification
    })
    project.provide('agentEvals', { ...settings, source: 'record', liveBlockedReason: null })
    try {
      await vitest.rerunTestSpecifications(specifications)
    } finally {
      endedAt = Date.now()
      project.provide('agentEvals', settings)
    }
  }
  const onKey = (_text: string | undefined, key: { readonly name?: string } | undefined): void => {
    if (!isListening(vitest)) return
    // Vitest's own help knows its own keys.
    if (key?.name === 'h') vitest.logger.log(HELP)
    if (key?.name !== 'l') return
    if (cases.length === 0) return vitest.logger.log(NOTHING_OUTDATED)
    runLive().catch((error: unknown) => vitest.logger.error(`agent-evals: ${String(error)}`))
  }

  if (isThere) {
    process.stdin.on('keypress', onKey)
    vitest.onClose(() => void process.stdin.off('keypress', onKey))
  }
  return {
    isThere,
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
