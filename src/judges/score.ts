import { escapePattern, shorten } from '../lib/text.ts'
import type { EvidenceItem, ShownEvidence, ShownItem, ShownSection } from './evidence/evidence-item.ts'
import { looksLikeOurs } from './evidence/write-evidence.ts'
import type { GivenQuote, JudgedStatement, Verdict } from './judgement.ts'
import { REFUSALS, type RefusalCause } from './refusal.ts'
import type { AnsweredVerdict } from './method.ts'
import { normalise, type FoundQuote, type QuoteFinder } from './quotes/find-quote.ts'
import { IN_WORD, isLongEnough } from './quotes/quote-sense.ts'
import { UNKNOWN_KIND, termsOf, type StatementKind } from './statement-kinds.ts'

/** A verdict whose evidence was looked up. */
export interface ScoredVerdict {
  readonly verdict: Verdict
  readonly reason: string
  /** The first quote; empty when nothing is quoted. */
  readonly quote: string
  readonly quoteFoundIn: string | null
  /** Every quote with the item that holds it; absent where none is looked up. */
  readonly evidence?: readonly GivenQuote[]
  /** claim: only the agent's word. absence: nothing was found in complete evidence. `null`: on nothing, so it does not count. */
  readonly rests: 'absence' | 'claim' | 'evidence' | null
  readonly kind: StatementKind
  /** Why the statement itself proves little; absent when the judge finds it fine. */
  readonly weak?: string
  /** Why the verdict is not relied on, or could not be given; absent where it counts. */
  readonly refused?: RefusalCause
}

/** What a verdict is that only the agent's own words prove. */
export type Claims = 'accept' | 'error' | 'mark'

/** What verdicts are held against. */
export interface Evidence {
  readonly statements: readonly string[]
  /** One for each statement. */
  readonly kinds: readonly StatementKind[]
  readonly shown: ShownEvidence
  /** `null` where verdicts count as they are given. */
  readonly find: QuoteFinder | null
  readonly claims: Claims
  /** Whether the run left a file that can hold its work. */
  readonly hasFiles: boolean
  /** Answers that were scored before: what they were shown then is not known. */
  readonly isStored: boolean
}

/** Looks up the quotes of each verdict. A verdict without evidence, or with evidence that shows nothing, is worth nothing. */
export function scoreVerdicts(verdicts: readonly AnsweredVerdict[], evidence: Evidence): readonly ScoredVerdict[] {
  const { find } = evidence
  return verdicts.map((answered) =>
    find === null || answered.needsNoEvidence === true
      ? scoreAsGiven(answered, evidence)
      : scoreVerdict(answered, { ...evidence, find }),
  )
}

/** A verdict that counts as it was given. */
export function scoreAsGiven(
  { verdict, reason, evidence: [first], statement }: AnsweredVerdict,
  { kinds, shown }: Pick<Evidence, 'kinds' | 'shown'>,
): ScoredVerdict {
  const { quote = '' } = first ?? {}
  const kind = kinds[statement - 1] ?? UNKNOWN_KIND
  return { verdict, reason, quote, quoteFoundIn: placeOf(quote, shown), kind, rests: null }
}

type LookedUpEvidence = Evidence & { readonly find: QuoteFinder }

/** What is relied on, or why nothing is. */
type Weighed = { readonly rests: NonNullable<ScoredVerdict['rests']> } | { readonly refused: RefusalCause }

function scoreVerdict(answered: AnsweredVerdict, evidence: LookedUpEvidence): ScoredVerdict {
  const { verdict, reason, weak = '', statement: number } = answered
  const statement = evidence.statements[number - 1] ?? ''
  const kind = evidence.kinds[number - 1] ?? UNKNOWN_KIND
  const quotes = answered.evidence.filter(({ quote }) => quote.trim() !== '').slice(0, MOST_QUOTES)
  const looked = quotes.map((one) => lookUp(one, evidence))
  const first = looked[0]?.genuine[0]
  const scored = {
    verdict,
    reason,
    quote: quotes[0]?.quote ?? '',
    quoteFoundIn: first?.place ?? null,
    evidence: looked.map(({ quote, genuine }) => ({ item: genuine[0]?.item ?? null, quote })),
    kind,
    rests: null,
    ...(weak.trim() === '' ? {} : { weak: shorten(weak.trim(), LONGEST_QUOTE) }),
  }
  const weighed =
    verdict === 'unscored'
      ? { refused: 'omitted' as const }
      : weigh({ answered, statement, kind, looked, evidence, verdict })
  if ('rests' in weighed) return { ...scored, rests: weighed.rests }
  // Nothing has to be shown for a heading; a "fail" of one without evidence is no more than an opinion.
  if (kind.about === 'nothing') return { ...scored, verdict: 'pass', weak: 'It demands nothing of the run.' }
  const { refused } = weighed
  if (verdict === 'unscored') return isAllShown(evidence) ? scored : { ...scored, refused }
  const quoted = scored.quote === '' ? '' : `: ${JSON.stringify(shorten(scored.quote, LONGEST_QUOTE))}`
  const why = `The judge's "${verdict}" does not count, because ${REFUSALS[refused]}${quoted}.`
  return { ...scored, verdict: 'unscored', reason: `${why} Its reason was: ${reason}`, refused }
}

const MOST_QUOTES = 3

interface LookedUp extends GivenQuote {
  readonly genuine: readonly FoundQuote[]
  readonly flaw: RefusalCause | null
}

function lookUp({ item, quote }: GivenQuote, { find, shown, isStored }: LookedUpEvidence): LookedUp {
  // What was stored was found in its item then; events of another version of the engine have other numbers.
  const inItem = find(quote, item)
  const places = inItem.length === 0 && isStored ? find(quote) : inItem
  const genuine = places.filter(({ foreign }) => !looksLikeOurs(foreign))
  const isChanged = isStored && genuine.length === 0 && item !== null && /^r\d+$/.test(item)
  if (isChanged)
    return {
      item,
      quote,
      genuine: [{ item, place: 'transcript', author: 'system', foreign: '', isOwn: false }],
      flaw: null,
    }
  if (genuine.length > 0) return { item, quote, genuine, flaw: null }
  if (places.length > 0) return { item, quote, genuine, flaw: 'imitation' }
  if (placeOf(quote, shown) === null) return { item, quote, genuine, flaw: 'not-found' }
  if (item !== null && find(quote).length > 0) return { item, quote, genuine, flaw: 'not-found' }
  return { item, quote, genuine, flaw: isLongEnough(quote) ? 'cut-out' : 'too-short' }
}

interface Weighing {
  readonly answered: AnsweredVerdict
  readonly verdict: 'fail' | 'pass'
  readonly statement: string
  readonly kind: StatementKind
  readonly looked: readonly LookedUp[]
  readonly evidence: Evidence
}

function weigh(weighing: Weighing): Weighed {
  const { verdict, statement, kind, looked, evidence } = weighing
  const flaw = looked.find((one) => one.flaw !== null)?.flaw ?? null
  if (flaw !== null) return { refused: flaw }
  const found = looked.flatMap(({ genuine }) => genuine)
  const proving = found.filter((one) => proves(one, kind.about))
  if (verdict === 'fail' && found.length > 0) return { rests: 'evidence' }
  const isOnlyClaimed = proving.every(({ author }) => author === 'agent')
  if (kind.absent === (verdict === 'pass') && kind.by !== 'nobody')
    return weighAbsence(weighing, proving.length > 0 && !(isOnlyClaimed && kind.about === 'either'))
  if (looked.length === 0) return { refused: 'no-quote' }
  const isClaimOfWork = proving.length === 0 && kind.about === 'work' && !evidence.hasFiles
  if (proving.length === 0 && !isClaimOfWork) return { refused: 'claim' }
  if (isOnlyClaimed && !evidence.isStored && isUnseen(statement, kind, evidence.shown)) return { refused: 'unseen' }
  const isClaim = isClaimOfWork || (isOnlyClaimed && (kind.about === 'either' || kind.about === 'nothing'))
  if (isClaim && evidence.claims === 'error') return { refused: 'claim' }
  return { rests: isClaim ? 'claim' : 'evidence' }
}

// What nobody wrote for a judge proves most; what the agent says of itself proves that it says it.
function proves({ author, isOwn }: FoundQuote, about: StatementKind['about']): boolean {
  if (about === 'deeds') return author !== 'agent' && author !== 'file' && !isOwn
  return about !== 'work' || author !== 'agent'
}

function weighAbsence({ answered, statement, kind, looked, evidence }: Weighing, isShown: boolean): Weighed {
  const { about } = kind
  const quoted = new Set(looked.flatMap(({ genuine }) => genuine.map(({ item }) => item)))
  const lookedFor = answered.looked_for
  const trace = findTraces({ statement, about, lookedFor, quoted }, evidence.shown)
  if (trace !== null) return { refused: trace }
  if (isShown) return { rests: 'evidence' }
  if (lookedFor.every((word) => word.trim() === ''))
    return { refused: looked.length > 0 ? 'claim' : 'nothing-looked-for' }
  return evidence.isStored || isComplete(about, evidence.shown) ? { rests: 'absence' } : { refused: 'incomplete' }
}

/** Whether a statement names what is only in evidence that was left out. */
function isUnseen(
  statement: string,
  { about }: StatementKind,
  { transcript, output, files, unread }: ShownEvidence,
): boolean {
  const { names } = termsOf([statement])
  const sections = about === 'words' ? [output] : [transcript, output, files]
  const hidden = about === 'words' ? [] : [...files.leftOut.map(({ place }) => place), ...unread]
  const paths = hidden.map((path) => path.toLowerCase())
  if (names.some((name) => paths.some((path) => path === name || path.endsWith(`/${name}`)))) return true
  if (sections.every(isWhole)) return false
  const visible = sections.flatMap(visibleText).join('\n')
  const missing = names.map(patternOfWord).filter((name) => !name.test(visible))
  const all = missing.length === 0 ? '' : sections.flatMap(wholeText).join('\n')
  return missing.some((name) => name.test(all))
}

function isAllShown({ shown: { transcript, output, files, unread } }: Evidence): boolean {
  return unread.length === 0 && [transcript, output, files].every(isWhole)
}

function visibleText({ shown }: ShownSection): readonly string[] {
  return shown.flatMap(({ head, pieces }) => [head ?? '', ...pieces.filter((piece) => typeof piece === 'string')])
}

function wholeText({ shown, leftOut }: ShownSection): readonly string[] {
  return [...shown, ...leftOut].flatMap(({ head, body }: EvidenceItem) => [head ?? '', body ?? ''])
}

/** Whether a text, such as orders to the judge, is in what it was shown, and where. */
export function placeOf(text: string, { transcript, output, files }: ShownEvidence): string | null {
  const normalised = normalise(text)
  const items = [output, transcript, files].flatMap(({ shown }) => shown)
  const found = items.find(({ pieces }) =>
    pieces.some((piece) => typeof piece === 'string' && normalise(piece).includes(normalised)),
  )
  return normalised === '' ? null : (found?.place ?? null)
}

const LONGEST_QUOTE = 200

/** One vote: a verdict for each statement. */
export type Ballot = readonly ScoredVerdict[]

/** Whether further votes cannot change the majority on any statement. */
export function isSettled(ballots: readonly Ballot[], statements: number, askedVotes: number): boolean {
  const indexes = Array.from({ length: statements }, (_, index) => index)
  return indexes.every((index) => majority(verdictsOn(ballots, index), askedVotes) !== null)
}

/** Folds votes: each statement gets the verdict of most of them, or is unscored where there is no majority. */
export function takeMajority(
  statements: readonly string[],
  ballots: readonly Ballot[],
  askedVotes: number,
): readonly JudgedStatement[] {
  return statements.map((text, index) => {
    const votes = verdictsOn(ballots, index)
    const verdict = majority(votes, askedVotes)
    const speaker = ballots.map((ballot) => ballot[index]).find((vote) => vote?.verdict === verdict)
    if (verdict === null || speaker === undefined) return split(text, votes)
    const { reason, quote, quoteFoundIn, evidence, rests, kind, weak } = speaker
    return {
      text,
      verdict,
      reason,
      quote,
      quoteFoundIn,
      ...(evidence === undefined ? {} : { evidence }),
      ...(rests === null ? {} : { rests }),
      ...(kind.by === 'nobody' ? {} : { kind }),
      agreement: { agree: countOf(votes, verdict), of: votes.length },
      ...(weak === undefined ? {} : { weak }),
    }
  })
}

function verdictsOn(ballots: readonly Ballot[], index: number): readonly ScoredVerdict['verdict'][] {
  return ballots.flatMap((ballot) => ballot[index]?.verdict ?? [])
}

/** The verdict of most votes; `null` where no verdict has more than half of those that were asked for. */
function majority(votes: readonly Verdict[], askedVotes: number): Verdict | null {
  const most = VERDICTS.find((verdict) => countOf(votes, verdict) * 2 > askedVotes)
  return most ?? null
}

/** How many votes are of one kind. */
function countOf(votes: readonly Verdict[], verdict: Verdict): number {
  return votes.filter((vote) => vote === verdict).length
}

const VERDICTS: readonly Verdict[] = ['pass', 'fail', 'unscored']

function split(text: string, votes: readonly ScoredVerdict['verdict'][]): JudgedStatement {
  const counts = VERDICTS.map((verdict) => `${countOf(votes, verdict)} ${verdict}`)
  return {
    text,
    verdict: 'unscored',
    reason: `The votes have no majority: ${counts.join(', ')}.`,
    quote: '',
    quoteFoundIn: null,
    agreement: { agree: Math.max(0, ...VERDICTS.map((verdict) => countOf(votes, verdict))), of: votes.length },
  }
}

/** A verdict that something is not there, or was not done. */
interface AbsenceClaim {
  readonly statement: string
  readonly about: StatementKind['about']
  /** Words that would betray it, by the judge. */
  readonly lookedFor: readonly string[]
  /** Ids of the items that the judge quotes. */
  readonly quoted: ReadonlySet<string>
}

/** What speaks against an absence whatever is quoted; `null` when nothing does. Also what was left out is searched. */
function findTraces(
  { statement, about, lookedFor, quoted }: AbsenceClaim,
  evidence: ShownEvidence,
): RefusalCause | null {
  const items = searchedFor(about, evidence).flatMap(({ shown, leftOut }) => [...shown, ...leftOut])
  const words = lookedFor.map((word) => word.trim()).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.some((word) => holding(word, items).some(({ id }) => !quoted.has(id)))) return 'looked-for'
  // For deeds only calls, hooks and our own lines count as traces.
  const telling = about === 'deeds' ? items.filter(isDeed) : items
  const paths = evidence.files.shown.map(({ place }) => place.toLowerCase())
  // The file that a statement is about is no trace of what it must not hold.
  const isSubject = (name: string): boolean =>
    about === 'work' && paths.some((path) => path === name || path.endsWith(`/${name}`))
  const names = termsOf([statement]).names.filter((name) => !isSubject(name))
  const named = names.map((name) => holding(name, telling)).filter(({ length }) => length > 0)
  return named.some((touching) => !touching.some(({ id }) => quoted.has(id))) ? 'touched' : null
}

function holding(word: string, items: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const pattern = patternOfWord(word)
  return items.filter(({ head, body }) => pattern.test(`${head ?? ''}\n${body ?? ''}`))
}

function isDeed({ author, isFact }: EvidenceItem): boolean {
  return author === 'call' || author === 'hook' || (isFact && author === 'system')
}

// A word, not a part of one: "rm" is in "format" as well. What is no letter needs no edge, as in ".only(", nor has writing
// without blanks any.
function patternOfWord(word: string): RegExp {
  const escaped = escapePattern(word).replaceAll(/\s+/g, String.raw`\s+`)
  const [begin, end] = [`(?<!${IN_WORD.source})`, `(?!${IN_WORD.source})`]
  return new RegExp(`(?:${begin}|${end})${escaped}(?:${begin}|${end})`, 'iu')
}

/** Whether what an absence depends on was shown: every deed, every message, every file. Cut texts are searched by us. */
function isComplete(about: StatementKind['about'], evidence: ShownEvidence): boolean {
  const { transcript, unread } = evidence
  if (about === 'deeds') return transcript.leftOut.every((item) => !isDeed(item))
  const sections = sectionsOf(about, evidence)
  return sections.every(isWhole) && (about === 'words' || unread.length === 0)
}

/** Whether nothing of a section was left out. */
function isWhole({ shown, leftOut }: ShownSection): boolean {
  return (
    leftOut.length === 0 && shown.every((item: ShownItem) => item.pieces.every((piece) => typeof piece === 'string'))
  )
}

// What a call took out of a file is no trace of it: where every file is shown, they say what is there.
function searchedFor(about: StatementKind['about'], evidence: ShownEvidence): readonly ShownSection[] {
  const { files, output, unread } = evidence
  const isKnown = about === 'work' && files.shown.length > 0 && isWhole(files) && unread.length === 0
  return isKnown ? [files, output] : sectionsOf(about, evidence)
}

function sectionsOf(
  about: StatementKind['about'],
  { transcript, output, files }: ShownEvidence,
): readonly ShownSection[] {
  if (about === 'words') return [output]
  if (about === 'deeds') return [transcript]
  if (about === 'work') return [files, output, only(transcript, ({ author }) => author === 'call')]
  return [transcript, output, files]
}

function only({ shown, leftOut }: ShownSection, isKept: (item: EvidenceItem) => boolean): ShownSection {
  return { shown: shown.filter(isKept), leftOut: leftOut.filter(isKept) }
}
