/** Why a verdict is not relied on. */
export type RefusalCause = keyof typeof REFUSALS

/** What is wrong with each kind of refused verdict, as the judge and the reader are told. */
export const REFUSALS = {
  'no-quote': 'it quotes nothing, and something has to be shown',
  'not-found': 'the quote is not in the item it names, or omits too much',
  'too-short': 'the quote is too short: it needs 12 characters, or to be a complete line, cell or value',
  'cut-out': 'the quote is cut out of its sentence',
  imitation: 'the quote imitates a line of the test system',
  claim: "the quote is the agent's own word, which does not prove what it did or made",
  unseen: 'the statement names something that was not shown',
  'looked-for': 'a word that would betray it is in the evidence, outside the quotes',
  touched: 'the evidence names what the statement names, and none of these places is quoted',
  'nothing-looked-for': 'something is said to be absent, and "looked_for" is empty',
  incomplete: 'something is said to be absent, and the evidence was not shown completely',
  omitted: 'evidence was omitted that may decide it',
} as const

/** Causes that another kind of statement may undo. */
export const DUE_TO_KIND: ReadonlySet<RefusalCause> = new Set([
  'no-quote',
  'claim',
  'unseen',
  'looked-for',
  'touched',
  'nothing-looked-for',
  'incomplete',
])

/** How many verdicts were refused at first, by cause. */
export interface Refusals {
  /** Verdicts that were given. */
  readonly verdicts: number
  readonly causes: Readonly<Partial<Record<RefusalCause, number>>>
  /** How many of the refused ones counted after the judge was asked again. */
  readonly mended: number
}

/** Says that more verdicts than usual could not be relied on; nothing where few were. */
export function describeRefusals({ verdicts, causes, mended }: Refusals): readonly string[] {
  const all = Object.entries(causes)
  const refused = all.reduce((total, [, count]) => total + count, 0)
  if (verdicts === 0 || refused / verdicts <= MANY) return []
  const list = all.map(([cause, count]) => `${cause} ${count}`).join(', ')
  return [
    `The evidence of ${refused} of ${verdicts} verdicts of the judge was refused (${list}); ${mended} counted after a second question.`,
  ]
}

// An honest judge stays below it.
const MANY = 0.05

/** Adds up the refusals of several judges. */
export function addRefusals(all: readonly Refusals[]): Refusals {
  const causes: Partial<Record<RefusalCause, number>> = {}
  for (const one of all)
    for (const cause of Object.keys(one.causes) as RefusalCause[])
      causes[cause] = (causes[cause] ?? 0) + (one.causes[cause] ?? 0)
  return {
    verdicts: all.reduce((total, { verdicts }) => total + verdicts, 0),
    causes,
    mended: all.reduce((total, { mended }) => total + mended, 0),
  }
}
