import { lacksRecording } from '../../case/prepare/choose-source.ts'
import { hasExtra } from '../../formats/registry.ts'
import { firstOf } from '../../lib/lists.ts'
import { toPrintableLine } from '../../lib/text.ts'
import type { RunSettings } from '../../options/settings.ts'
import { rerunAllCommand, type RerunSettings } from '../../report/rerun-command.ts'
import type { CaseResult } from '../../report/results/result.ts'

/** Whether only a live run can say how the case does now: its recording is stale, cannot be played, or was never made. */
export function isOutdated(result: Pick<CaseResult, 'error' | 'outcome' | 'reason'>): boolean {
  return OUTDATED.has(result.error?.code ?? '') || lacksRecording(result)
}

function isMissing(result: Pick<CaseResult, 'error' | 'judge' | 'outcome' | 'reason'>): boolean {
  return lacksRecording(result) || (result.error?.code === 'missing-answers' && result.judge === null)
}

const OUTDATED: ReadonlySet<string> = new Set(['missing-answers', 'recording-incompatible', 'stale'])

/** Says which cases need a live run and how to get it; empty when none does. */
export function formatOutdated(
  results: readonly CaseResult[],
  settings: RerunSettings,
  hasKey: boolean,
): readonly string[] {
  const outdated = results.filter(isOutdated)
  if (outdated.length === 0) return []
  const stale = outdated.filter((result) => !isMissing(result)).length
  const counts = [
    ...(stale === 0 ? [] : [`${stale} stale`]),
    ...(stale === outdated.length ? [] : [`${outdated.length - stale} without a recording`]),
  ]
  const command = rerunAllCommand(outdated, settings, 'record')
  return [
    `${'Outdated'.padStart(11)}  ${counts.join(', ')}: ${listNames(outdated)}`,
    hasKey ? `${INDENT}press l to run and record them live, or run` : `${INDENT}run and record them live:`,
    `${INDENT}${command}`,
  ]
}
const INDENT = ' '.repeat(13)

/**
 * Says which cases were skipped and why, since Vitest's usual reporter only counts them: each reason once, and for those
 * that have nothing to play one command that runs them all. Empty when none was skipped.
 */
export function formatSkipped(
  results: readonly CaseResult[],
  settings: Pick<RunSettings, 'command' | 'cwd' | 'liveBlockedReason' | 'root'>,
): readonly string[] {
  const skipped = results.filter(({ outcome }) => outcome === 'skipped')
  const lacking = skipped.filter(lacksRecording)
  // The block of golden tests has a line for each.
  const others = skipped.filter((result) => !lacksRecording(result) && !hasExtra(result.format, 'run-log'))
  const reasons = [...new Set(others.map(reasonOf))]
  const rows = reasons.map((reason) => [
    `${listNames(others.filter((result) => reasonOf(result) === reason))}: ${toPrintableLine(reason)}`,
  ])
  const shown = rows.length > MOST_REASONS ? [...rows.slice(0, MOST_REASONS), [moreReasons(rows.length)]] : rows
  return [...(lacking.length === 0 ? [] : [offerRecording(lacking, settings)]), ...shown].flatMap((lines, index) =>
    lines.map((line, position) => `${index + position === 0 ? 'Skipped'.padStart(11) : ' '.repeat(11)}  ${line}`),
  )
}

function offerRecording(
  lacking: readonly CaseResult[],
  settings: Pick<RunSettings, 'command' | 'cwd' | 'liveBlockedReason' | 'root'>,
): readonly string[] {
  const why =
    settings.liveBlockedReason ??
    /no credential is set[^.]*/.exec(lacking[0]?.reason ?? '')?.[0] ??
    'no credential is set'
  return [
    `${lacking.length} without a recording or scenario (${why}): ${listNames(lacking)}`,
    `run and record ${lacking.length === 1 ? 'it' : 'them'} live:`,
    rerunAllCommand(lacking, settings, 'record'),
  ]
}

function reasonOf({ reason }: CaseResult): string {
  return reason ?? 'no reason is known'
}

function listNames(results: readonly CaseResult[]): string {
  const names = results.map(({ name }) => toPrintableLine(name))
  return firstOf(names, MOST_NAMES).join(', ')
}

function moreReasons(count: number): string {
  return `and for ${count - MOST_REASONS} more reasons, named in the report`
}

const MOST_NAMES = 8
const MOST_REASONS = 5
