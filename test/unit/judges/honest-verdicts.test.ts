import { expect, test } from 'vitest'
import { createQuoteFinder } from '../../../src/judges/quotes/find-quote.ts'
import { selectEvidence } from '../../../src/judges/evidence/select-evidence.ts'
import { DUE_TO_KIND } from '../../../src/judges/refusal.ts'
import { agreeOn, type StatementKind } from '../../../src/judges/statement-kinds.ts'
import { scoreVerdicts, type ScoredVerdict } from '../../../src/judges/score.ts'
import {
  HABITS,
  HONEST_RUNS,
  honestVerdicts,
  WRITTEN_RUNS,
  writtenVerdicts,
  type HonestVerdict,
} from '../../support/honest-verdicts.ts'
import type { AnsweredVerdict } from '../../../src/judges/method.ts'

const evidenceOf = new Map(
  [...HONEST_RUNS, ...WRITTEN_RUNS].map(({ name, run, files, statements }) => {
    const shown = selectEvidence({ run, files, statements: statements.map(({ text }) => text) })
    return [name, { shown, find: createQuoteFinder(shown), run }] as const
  }),
)

const scores = new Map<string, ScoredVerdict>()

function score(verdict: HonestVerdict, answer: AnsweredVerdict, kind: StatementKind): ScoredVerdict {
  const key = JSON.stringify([verdict.run, verdict.statement.text, answer, kind])
  const scored = scores.get(key) ?? scoreAnew(verdict, answer, kind)
  scores.set(key, scored)
  return scored
}

function scoreAnew(
  { run: name, statement }: HonestVerdict,
  answer: AnsweredVerdict,
  kind: StatementKind,
): ScoredVerdict {
  const evidence = evidenceOf.get(name)
  if (evidence === undefined) throw new Error(name)
  const { shown, find, run } = evidence
  const hasFiles = run.files.created.length + run.files.modified.length > 0
  const held = { statements: [statement.text], kinds: [kind], shown, find, hasFiles, isStored: false }
  const [scored] = scoreVerdicts([answer], { ...held, claims: 'mark' })
  if (scored === undefined) throw new Error(statement.text)
  return scored
}

const labelled = ({ statement: { about, absent } }: HonestVerdict): StatementKind => ({ about, absent, by: 'judge' })

// Any of the other kinds, in turn.
const mistaken = (verdict: HonestVerdict, turn: number): StatementKind => {
  const others = KINDS.filter((about) => about !== verdict.statement.about)
  return { about: others[turn % others.length] ?? 'either', absent: verdict.statement.absent, by: 'judge' }
}

const KINDS = ['deeds', 'either', 'words', 'work', 'nothing'] as const

const VERDICTS = honestVerdicts()
const WRITTEN = writtenVerdicts()

function counted(
  kindOf: (verdict: HonestVerdict, index: number) => StatementKind,
  isSecond: boolean,
  verdicts = VERDICTS,
): readonly string[] {
  return verdicts.flatMap((verdict, index) => {
    const kind = kindOf(verdict, index)
    const first = score(verdict, verdict.first, kind)
    const last = isSecond && first.refused !== undefined ? score(verdict, verdict.second, kind) : first
    return last.refused === undefined ? [] : [`${last.refused}: ${verdict.habit}: ${verdict.statement.text}`]
  })
}

test('there are 300 of them, of each form, engine, language and habit', () => {
  expect(VERDICTS).toHaveLength(300)
  expect(new Set(VERDICTS.map(({ habit }) => habit))).toEqual(new Set(Object.keys(HABITS)))
  expect(Object.keys(HABITS).length).toBeGreaterThanOrEqual(20)
  expect(new Set(HONEST_RUNS.map(({ run }) => run.engine))).toEqual(new Set(['claude-code', 'codex', 'copilot']))
  // English, German and Chinese, in what the agent says and in what is quoted.
  const quotes = VERDICTS.flatMap(({ first }) => first.evidence.map(({ quote }) => quote)).join('\n')
  for (const language of [/\p{Script=Han}{4}/u, /\b(?:ist|und|der)\b/, /\b(?:the|is|and)\b/])
    expect(quotes).toMatch(language)
  const shares = VERDICTS.map(({ statement: { about, absent } }) => `${about}${absent ? ' absent' : ''}`)
  expect(Object.fromEntries([...new Set(shares)].map((one) => [one, shares.filter((s) => s === one).length]))).toEqual({
    words: 160,
    'words absent': 24,
    work: 42,
    'work absent': 12,
    deeds: 44,
    'deeds absent': 18,
  })
  expect(Math.max(...HONEST_RUNS.map(({ run }) => run.transcript.length))).toBeGreaterThanOrEqual(190)
})

test('98% count at the first question', () => {
  const refused = counted(labelled, false)
  expect(refused.length / VERDICTS.length).toBeLessThanOrEqual(0.02)
})

test('92% count when one kind in ten is wrong', () => {
  const refused = counted(
    (verdict, index) => (index % 10 === 3 ? mistaken(verdict, (index - 3) / 10) : labelled(verdict)),
    false,
  )
  expect(refused.length / VERDICTS.length).toBeLessThanOrEqual(0.08)
})

test('99% count after a second answer that changes nothing but the form of the quote', () => {
  const refused = counted(labelled, true)
  expect(refused.length / VERDICTS.length).toBeLessThanOrEqual(0.01)
})

test('97% of those written by hand count at the first question, and 99% after the second', () => {
  expect(WRITTEN.length).toBeGreaterThanOrEqual(400)
  expect(new Set(WRITTEN.map(({ habit }) => habit)).size).toBeGreaterThanOrEqual(50)
  const share = (refused: readonly string[]): number => refused.length / WRITTEN.length
  expect(share(counted(labelled, false, WRITTEN))).toBeLessThanOrEqual(0.03)
  expect(share(counted(labelled, true, WRITTEN))).toBeLessThanOrEqual(0.01)
})

// Of 3,264 public evals with 15,714 statements: many have few, few have many.
const EVALS = 3264
const MEAN = 15_714 / EVALS

// One wrong answer in three is about absence, the others about what could prove it.
const misread = (verdict: HonestVerdict, turn: number): StatementKind => {
  const { about, absent } = verdict.statement
  return turn % 3 === 2 ? { about, absent: !absent, by: 'judge' } : mistaken(verdict, turn)
}

/**
 * The share of evals, whose run does everything, that end errored: one refused statement is enough. A verdict that its
 * kind refused has its kind asked about once more, with as many wrong answers as before.
 *
 * @param repeated - share of answers that are given again as they were, right or wrong.
 */
function simulate(wrongKinds: number, repeated = 0): number {
  const random = seeded(777)
  let turn = 0
  const kindOf = (verdict: HonestVerdict): StatementKind =>
    random() < wrongKinds ? misread(verdict, (turn += 1)) : labelled(verdict)
  const isErrored = (verdict: HonestVerdict): boolean => {
    const kind = kindOf(verdict)
    const { refused } = score(verdict, verdict.first, kind)
    if (refused === undefined) return false
    const known = DUE_TO_KIND.has(refused) ? agreeOn(kind, random() < repeated ? kind : kindOf(verdict)) : kind
    if (score(verdict, verdict.first, known).refused === undefined) return false
    return score(verdict, verdict.second, known).refused !== undefined
  }
  let errored = 0
  for (let evals = 0; evals < EVALS; evals += 1) {
    let isLost = false
    do {
      isLost = isErrored(VERDICTS[Math.floor(random() * VERDICTS.length)] as HonestVerdict) || isLost
    } while (random() > 1 / MEAN)
    if (isLost) errored += 1
  }
  return errored / EVALS
}

function seeded(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

test('at most 2% of good public evals are errored, also where kinds are wrong', () => {
  expect(simulate(0)).toBeLessThanOrEqual(0.02)
  expect(simulate(0.01)).toBeLessThanOrEqual(0.02)
  expect(simulate(0.1)).toBeLessThanOrEqual(0.02)
  expect(simulate(0.01, 1)).toBeLessThanOrEqual(0.02)
})
