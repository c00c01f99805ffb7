/** Why a verdict is not relied on. */
export type RefusalCause = keyof typeof REFUSALS

/** What is wrong with each kind of refused verdict, as the judge and the reader are told. */
export const REFUSALS = {
  'no-quote': 'it quotes nothing, and something has to be shown',
  'not-found': 'the quote is not in the item it names, or omits too much',
  'too-short': 'the quote is too short: it needs 12 characters, or to be a complete line, cell, list item or value',
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
