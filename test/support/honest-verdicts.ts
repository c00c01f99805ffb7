import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentRun } from './agent-run.ts'
import type { AgentRun, UnnumberedEvent } from '../../src/transcript/transcript.ts'
import type { EvidenceText } from '../../src/judges/evidence/evidence-item.ts'
import type { GivenQuote } from '../../src/judges/judgement.ts'
import type { AnsweredVerdict } from '../../src/judges/method.ts'
import type { StatementKind } from '../../src/judges/statement-kinds.ts'

/** A run as it is stored: a changed file with its size after a colon. */
interface StoredRun {
  readonly name: string
  readonly engine: string
  readonly prompt: string
  readonly events: readonly UnnumberedEvent[]
  readonly files: readonly EvidenceText[]
  readonly created: readonly string[]
  readonly modified: readonly string[]
  readonly deleted: readonly string[]
  readonly statements: readonly StoredStatement[]
}

interface StoredStatement extends Pick<StatementKind, 'about' | 'absent'> {
  readonly text: string
  readonly item: string | null
  readonly quote: string
  readonly also?: readonly (readonly [item: string, quote: string])[]
  readonly looked_for?: readonly string[]
  readonly verdict?: 'fail' | 'pass'
  /** How judges wrote it down by hand, each in a habit of its own; an absence has other words instead. */
  readonly written?: readonly { readonly habit: string; readonly quote: string; readonly looked_for?: string[] }[]
}

/** A verdict that a careful person accepts, as an honest judge writes it down. */
export interface HonestVerdict {
  readonly run: string
  readonly habit: string
  readonly statement: StoredStatement
  readonly first: AnsweredVerdict
  /** The same with nothing but the form of its quote changed. */
  readonly second: AnsweredVerdict
}

/** A run that verdicts are about. */
export interface HonestRun {
  readonly name: string
  readonly prompt: string
  readonly run: AgentRun
  readonly files: readonly EvidenceText[]
  readonly statements: readonly StoredStatement[]
}

/** Runs whose verdicts are written down by the habits below. */
export const HONEST_RUNS: readonly HonestRun[] = readRuns('honest-verdicts.json')

/** Runs whose verdicts were written by hand, before anything was looked up in them. */
export const WRITTEN_RUNS: readonly HonestRun[] = readRuns('written-verdicts.json')

function readRuns(name: string): readonly HonestRun[] {
  const text = readFileSync(join(import.meta.dirname, '../fixtures', name), 'utf8')
  return (JSON.parse(text) as { readonly runs: readonly StoredRun[] }).runs.map(toRun)
}

function toRun({ name, engine, prompt, events, files, created, modified, deleted, statements }: StoredRun): HonestRun {
  const sized = (paths: readonly string[]): AgentRun['files']['created'] =>
    paths.map((path) => ({ path: path.split(':')[0] ?? '', size: Number(path.split(':')[1]), hash: '' }))
  const output = events.flatMap((event) => (event.kind === 'message' ? [event.text] : [])).join('\n')
  const changes = { created: sized(created), modified: sized(modified), deleted, unreadable: [] }
  return { name, prompt, run: agentRun({ engine, output, files: changes }, events), files, statements }
}

type Habit = (quote: string, item: string) => readonly GivenQuote[]

const one =
  (change: (quote: string) => string): Habit =>
  (quote, item) => [{ item, quote: change(quote) }]

/** How judges write quotes down. */
export const HABITS: Readonly<Record<string, Habit>> = {
  verbatim: one((quote) => quote),
  'marks dropped': one((quote) =>
    quote.replaceAll(/\*\*|[`*]|^(?:[-*>]|#+) /gm, '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1'),
  ),
  'our mark copied': one((quote) => quote.replaceAll(/^/gm, '| ')),
  'straight quotes': one((quote) => quote.replaceAll(/[“”„]/g, '"').replaceAll(/[‘’]/g, "'")),
  'hyphens for dashes': one((quote) => quote.replaceAll(/[–—]/g, '-')),
  'in quotes': one((quote) => `"${quote}"`),
  'in curly quotes': one((quote) => `“${quote}”`),
  'as code': one((quote) => `\`${quote}\``),
  'ellipsis at the end': one((quote) => `${quote} ...`),
  'ellipsis around': one((quote) => `… ${quote} …`),
  'three dots for an ellipsis': one((quote) => quote.replaceAll('…', '...')),
  'an omission': one(omitted),
  'full stop added': one((quote) => (/[\p{L}\p{N}]$/u.test(quote) ? `${quote}.` : quote)),
  'full stop dropped': one((quote) => quote.replace(/[.。]$/, '')),
  'another Unicode form': one((quote) => quote.normalize('NFD')),
  'lines drawn together': one((quote) => quote.replaceAll(/\s+/g, ' ')),
  'JSON with blanks': one((quote) => (quote.startsWith('{"') ? quote.replaceAll(/(":|",)/g, '$1 ') : quote)),
  'cells without bars': one((quote) => (quote.startsWith('|') ? quote.replaceAll(/ ?\| ?/g, ' ').trim() : quote)),
  'size dropped': one((quote) => quote.replace(/ \(\d+ bytes\)$/, '')),
  'id copied': (quote, item) => [
    { item: `[${item}]`, quote: /^[cer]/.test(item) && !/^["{]/.test(quote) ? `[${item}] ${quote}` : quote },
  ],
  'no item': (quote) => [{ item: '', quote }],
  'words emphasised': one((quote) => quote.replace(/\p{L}{5,}/u, '**$&**')),
  'two quotes drawn into one': one((quote) => `${quote} / ${quote.slice(0, 20)} and so on`),
  'words of its own': one((quote) => `The run says that ${quote.toLowerCase()}`),
}

function omitted(quote: string): string {
  const words = quote.split(' ')
  if (quote.includes('\n') || quote.length < 60) return quote
  const third = Math.ceil(words.length / 3)
  return `${words.slice(0, third).join(' ')} ... ${words.slice(-third).join(' ')}`
}

// Of a hundred: 79 verbatim, and of the others as many as were counted, at least one each.
const ROUND = [
  ...Array.from({ length: 79 }, () => 'verbatim'),
  ...Array.from({ length: 3 }, () => 'marks dropped'),
  ...Object.keys(HABITS).filter((name) => name !== 'verbatim'),
]

/** How many statements of each form there are in 300, as in real suites: order and skills are deeds. */
const SHARES: readonly (readonly [about: StatementKind['about'], absent: boolean, count: number])[] = [
  ['words', false, 160],
  ['words', true, 24],
  ['work', false, 42],
  ['work', true, 12],
  ['deeds', false, 44],
  ['deeds', true, 18],
]

/** 300 honest verdicts, in the proportions of real suites. */
export function honestVerdicts(): readonly HonestVerdict[] {
  let place = 0
  return SHARES.flatMap(([about, absent, count]) => {
    const all = HONEST_RUNS.flatMap(({ name, statements }) =>
      statements
        .filter((statement) => statement.about === about && statement.absent === absent)
        .map((statement) => ({ name, statement })),
    )
    return Array.from({ length: count }, (_, index): HonestVerdict => {
      const { name, statement } = all[index % all.length] ?? { name: '', statement: {} as StoredStatement }
      // A prime step, so that every habit meets every form.
      const habit = ROUND[(place++ * 37) % ROUND.length] ?? 'verbatim'
      return { run: name, habit, statement, first: answer(statement, habit), second: answer(statement, 'verbatim') }
    })
  })
}

/** Every verdict that was written by hand. */
export function writtenVerdicts(): readonly HonestVerdict[] {
  return WRITTEN_RUNS.flatMap(({ name, statements }) =>
    statements.flatMap((statement) =>
      (statement.written ?? []).map(({ habit, ...given }): HonestVerdict => {
        const first = answer({ ...statement, ...given }, 'verbatim')
        return { run: name, habit, statement, first, second: answer(statement, 'verbatim') }
      }),
    ),
  )
}

function answer(
  { verdict = 'pass', item, quote, also = [], looked_for = [] }: StoredStatement,
  habit: string,
): AnsweredVerdict {
  const first = item === null ? [] : (HABITS[habit]?.(quote, item) ?? [])
  const others = also.map(([id, text]) => ({ item: id, quote: text }))
  const evidence = [...first, ...others].map((given) => ({
    ...given,
    item: given.item?.replaceAll(/[[\]]/g, '') || null,
  }))
  return { statement: 1, reason: 'It shows.', evidence, looked_for, verdict, weak: '' }
}
