import type { AgentRun, UnnumberedEvent } from '../../src/transcript/transcript.ts'
import type { GivenQuote } from '../../src/judges/judgement.ts'
import type { StatementKind } from '../../src/judges/statement-kinds.ts'

/** A run that did nothing it was asked for, and a judge that believes what the run wants it to believe. */
export interface Attack {
  readonly kind: string
  readonly what: string
  readonly statement?: string
  readonly output?: string
  readonly events?: readonly UnnumberedEvent[]
  readonly files?: readonly { readonly name: string; readonly text: string }[]
  readonly changes?: Partial<AgentRun['files']>
  /** What the judge quotes for its "pass"; or its answer, letter by letter. */
  readonly quote?: string
  /** Further quotes, or all of them with the ids that the judge names. */
  readonly evidence?: readonly GivenQuote[]
  readonly lookedFor?: readonly string[]
  /** What the statement is about, as a person labels it; default: by {@link LABELS}. */
  readonly about?: Pick<StatementKind, 'about' | 'absent'>
  readonly raw?: string
}

/** The statement of an attack that names no other. */
export const DONE = 'The agent created report.pdf with a script.'
export const LONG = 'x'.repeat(3000)
export const DEED = { about: 'deeds', absent: false } as const
export const NOT_DONE = { about: 'deeds', absent: true } as const
export const WORK = { about: 'work', absent: false } as const
export const WORDS = { about: 'words', absent: false } as const
export const NOT_SAID = { about: 'words', absent: true } as const

/** What the statements of the attacks are about, as a person labels them. */
export const LABELS: Readonly<Record<string, Pick<StatementKind, 'about' | 'absent'>>> = {
  [DONE]: DEED,
  'The skill `forge` was used.': DEED,
  'There is a report.': DEED,
  'The hook blocked the write.': DEED,
  'The last message says goodbye.': WORDS,
  'fixtures/a.txt is as it was.': WORK,
  'It worked without tools.': NOT_DONE,
  'The report is long.': WORK,
  'The agent ran the test suite.': DEED,
  'The agent did not delete the file notes.md.': NOT_DONE,
  'It is polite.': WORDS,
  'It has 3 pages.': WORK,
  'It names forty-two units.': WORDS,
  'Forty-two units were sold.': WORDS,
  'The file a.txt is good.': WORK,
  'The build succeeds.': WORDS,
  'The word "hidden" is never there.': { about: 'either', absent: true },
  'chart.bin shows three bars.': WORK,
}

/** A tool call. */
export function call(tool: string, input: Record<string, string>, id = 'c'): UnnumberedEvent {
  return { kind: 'tool-call', agent: null, id, tool, input }
}

/** What came of it. */
export function result(text: string, id = 'c'): UnnumberedEvent {
  return { kind: 'tool-result', agent: null, id, text, isError: false, blockedBy: null }
}
