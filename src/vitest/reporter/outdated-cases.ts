import { toPrintableLine } from '../../results/printable.ts'
import { rerunAllCommand, type RerunSettings } from '../../rerun-command.ts'
import { lacksRecording } from '../../case/prepare/choose-source.ts'
import type { CaseResult } from '../../results/result.ts'

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
  const names = outdated.slice(0, MOST_NAMES).map(({ name }) => toPrintableLine(name))
  const more = outdated.length > names.length ? [`and ${outdated.length - names.length} more`] : []
  const command = rerunAllCommand(outdated, settings, 'record')
  return [
    `${'Outdated'.padStart(11)}  ${counts.join(', ')}: ${[...names, ...more].join(', ')}`,
    hasKey ? `${INDENT}press l to run and record them live, or run` : `${INDENT}run and record them live:`,
    `${INDENT}${command}`,
  ]
}

const MOST_NAMES = 8
const INDENT = ' '.repeat(13)
