import { normalise, type FoundQuote, type QuoteFinder } from './quotes/find-quote.ts'
import { SHORTEST } from './quotes/quote-sense.ts'
import { subjectOf } from './statements/statement-subject.ts'
import { termsOf } from './statements/statement-terms.ts'
import { looksLikeOurs } from './evidence/imitation.ts'
import type { EvidenceItem, ShownEvidence, ShownSection } from './evidence/evidence-item.ts'
import type { AnsweredVerdict } from './schema.ts'
import type { Verdict } from './judgement.ts'

/** A verdict whose evidence was looked up. */
export interface ScoredVerdict {
  readonly verdict: Verdict
  readonly reason: string
  readonly quote: string
  readonly quoteFoundIn: string | null
  /** Why the statement itself proves little; absent when the judge finds it fine. */
  readonly weak?: string
}

/** What verdicts are held against. */
export interface Evidence {
  readonly statements: readonly string[]
  readonly shown: ShownEvidence
  readonly find: QuoteFinder
}

/** Looks up the quote of each verdict. A verdict without evidence, or with evidence that shows nothing, is worth nothing. */
export function scoreVerdicts(verdicts: readonly AnsweredVerdict[], evidence: Evidence): readonly ScoredVerdict[] {
  return verdicts.map((answered, index) => {
    const { verdict, reason, quote, weak = '' } = answered
    const places = evidence.find(quote)
    const statement = evidence.statements[index] ?? ''
    const fitting = fittingPlaces(places, verdict, statement)
    const quoteFoundIn = fitting[0]?.place ?? null
    const remark = weak.trim() === '' ? {} : { weak: shorten(weak.trim()) }
    const scored = { reason, quote, quoteFoundIn, ...remark }
    if (verdict === 'unscored') return { ...scored, verdict }
    const flaw = flawOf(answered, { places, fitting, statement, shown: evidence.shown })
    if (flaw === null) return { ...scored, verdict }
    return { ...scored, verdict: 'unscored', reason: `${flaw} Its reason was: ${reason}` }
  })
}

// An agent that says that it failed needs no further proof; one that says that it did something does.
function fittingPlaces(places: readonly FoundQuote[], verdict: Verdict, statement: string): readonly FoundQuote[] {
  const genuine = places.filter(({ foreign }) => !looksLikeOurs(foreign))
  const subject = verdict === 'pass' ? subjectOf(statement) : 'open'
  if (subject === 'open') return genuine
  return genuine.filter(({ author }) => author !== 'agent' && (subject === 'work' || author !== 'file'))
}

function isRecorded(author: FoundQuote['author']): boolean {
  return author === 'system' || author === 'hook'
}

interface LookedUp {
  readonly places: readonly FoundQuote[]
  readonly fitting: readonly FoundQuote[]
  readonly statement: string
  readonly shown: ShownEvidence
}

function flawOf({ verdict, quote }: AnsweredVerdict, { places, fitting, statement, shown }: LookedUp): string | null {
  const written = JSON.stringify(shorten(quote))
  if (quote.trim() === '') return `The judge gave no evidence for "${verdict}".`
  if (places.length === 0) return `The judge's evidence for "${verdict}" ${whyNowhere(quote, shown)}`
  if (fitting.length === 0)
    return places.every(({ foreign }) => looksLikeOurs(foreign))
      ? `The judge's evidence for "${verdict}" imitates a line of the transcript: ${written}.`
      : `The judge's evidence for "${verdict}" is a claim of the agent, which proves nothing: ${written}.`
  const unseen = findUnseen(statement, shown)
  return unseen === null || fitting.some(({ author }) => isRecorded(author))
    ? null
    : `The statement names ${unseen}, which was not in the evidence of the judge, so "${verdict}" does not count.`
}

function whyNowhere(quote: string, shown: ShownEvidence): string {
  const written = JSON.stringify(shorten(quote))
  if (placeOf(quote, shown) === null) return `is not in the evidence, or omits too much: ${written}.`
  if (normalise(quote).length < SHORTEST)
    return `is too short: ${written}. It must have ${SHORTEST} characters, or be a complete line or value.`
  return `is cut out of its sentence: ${written}. It must be a complete line.`
}

/** What a statement names that is only in evidence that was left out; `null` where everything was shown. */
function findUnseen(statement: string, { transcript, output, files, unread }: ShownEvidence): string | null {
  const { names } = termsOf([statement])
  const sections = [transcript, output, files]
  const hidden = [...files.leftOut.map(({ place }) => place), ...unread].map((path) => path.toLowerCase())
  const file = names.find((name) => hidden.some((path) => path === name || path.endsWith(`/${name}`)))
  if (file !== undefined) return `the contents of ${file}`
  if (sections.every(isComplete)) return null
  const visible = sections.flatMap(visibleText).join('\n').toLowerCase()
  const missing = names.filter((name) => !visible.includes(name))
  const all = missing.length === 0 ? '' : sections.flatMap(wholeText).join('\n').toLowerCase()
  return missing.find((name) => all.includes(name)) ?? null
}

function isComplete({ shown, leftOut }: ShownSection): boolean {
  return leftOut.length === 0 && shown.every(({ pieces }) => pieces.every((piece) => typeof piece === 'string'))
}

function visibleText({ shown }: ShownSection): readonly string[] {
  return shown.flatMap(({ head, pieces }) => [head ?? '', ...pieces.filter((piece) => typeof piece === 'string')])
}

function wholeText({ shown, leftOut }: ShownSection): readonly string[] {
  return [...shown, ...leftOut].flatMap(({ head, body }: EvidenceItem) => [head ?? '', body ?? ''])
}

/** Whether a text, such as orders to the judge, is in what it was shown, and where. */
export function placeOf(text: string, { transcript, output, files }: ShownEvidence): string | null {
  const wanted = normalise(text)
  const items = [output, transcript, files].flatMap(({ shown }) => shown)
  const found = items.find(({ pieces }) =>
    pieces.some((piece) => typeof piece === 'string' && normalise(piece).includes(wanted)),
  )
  return wanted === '' ? null : (found?.place ?? null)
}

function shorten(quote: string): string {
  return quote.length > 200 ? `${quote.slice(0, 200)}…` : quote
}
