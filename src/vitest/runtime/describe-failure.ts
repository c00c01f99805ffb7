import type { CaseResult } from '../../results/result.ts'
import { describeRepeats } from '../../results/repeats-part.ts'
import { gutter, toPrintableMessage } from '../../results/printable.ts'
import { rerunCommand } from '../../rerun-command.ts'
import type { RunSettings } from '../../settings.ts'

/** What a person needs beside the one sentence: the last message, what changed, and how to run just this case again. */
export function describeFailure(result: CaseResult, headline: string, settings: RunSettings): string {
  const run = result.runs.find(({ verdict }) => verdict?.outcome === result.outcome) ?? result.runs[0]
  const rate = result.repeats === undefined ? '' : describeRepeats(result.repeats)
  const sections = [
    toPrintableMessage(headline.startsWith(rate) ? headline : `${rate}\n${headline}`),
    section('last message', run?.lastMessage ?? ''),
    section('refused or failed calls', run?.failedCalls?.join('\n') ?? ''),
    section('files', run === undefined ? '' : changedFiles(run.files)),
    section('transcript', run?.folder == null ? '' : `${run.folder}/transcript.jsonl`),
    section(
      'run again',
      rerunCommand(result, settings, result.source === 'live' || result.source === 'record' ? result.source : null),
    ),
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

function section(title: string, text: string): string {
  return text.trim() === '' ? '' : `${title}:\n${gutter(text.trim())}`
}

function changedFiles({ created, modified, deleted, unreadable }: CaseResult['runs'][number]['files']): string {
  const lines = [
    ...created.map((file) => `created  ${file.path}`),
    ...modified.map((file) => `modified ${file.path}`),
    ...deleted.map((path) => `deleted  ${path}`),
    ...unreadable.map((file) => `${file.path} (${file.reason})`),
  ]
  const shown = lines.slice(0, MOST_FILES)
  return [...shown, ...(lines.length > shown.length ? [`and ${lines.length - shown.length} more`] : [])].join('\n')
}

const MOST_FILES = 20
