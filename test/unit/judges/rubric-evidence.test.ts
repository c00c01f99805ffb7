import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { byRubric, writeScores } from '../../../src/judges/methods/rubric.ts'
import { REFUSALS } from '../../../src/judges/refusal.ts'
import { UNKNOWN_KIND, type StatementKind } from '../../../src/judges/statement-kinds.ts'
import { agentRun } from '../../support/agent-run.ts'
import { answered, dimension, FACT, judgeQuestion, QUESTION, scorer } from '../../support/golden-judge.ts'
import { call, result } from '../../support/judge-attack.ts'
import { startUpstream, type Upstream, type UpstreamAnswer } from '../../support/upstream.ts'
import type { CaseJudgement } from '../../../src/case/judge/judge-case.ts'

const { output, model, engine } = QUESTION.run
const RUN = agentRun({ output, model, engine }, [
  call('Read', { file: 'memory/balance.md' }),
  result('card: 24.99%, mortgage: 6.75%'),
  { kind: 'message', agent: null, text: output },
])
const said = { ...dimension, evidence: [{ item: 'm3', quote: 'No. 24.99% beats 6.75%.' }] }
const READ = { item: 'e1', quote: '{"file":"memory/balance.md"}' }

/** Has the run scored by a model that says of each dimension what it is about. */
async function score(
  persona: (isSecond: boolean) => object,
  about: StatementKind['about'] = 'words',
): Promise<{ readonly judged: CaseJudgement; readonly asked: Upstream['requests'] }> {
  await using api = await startUpstream(async (body) => {
    const reply = scorer((nonce) => ({
      ...answered(nonce),
      persona: persona(body.includes('Earlier verdicts on these')),
      factual_accuracy: said,
      format: said,
    }))(body)
    return JSON.parse(JSON.stringify(reply).replace('\\"either\\"', `\\"${about}\\"`)) as UpstreamAnswer
  })
  const environment = { OPENAI_API_KEY: 'sk-real', OPENAI_BASE_URL: api.url }
  const judged = await judgeQuestion({ question: { run: RUN } }, environment)
  return { judged, asked: api.requests }
}

test('a score rests on quotes of items, which the answer and the report keep', async () => {
  const { judged, asked } = await score(() => ({ ...said, evidence: [READ] }), 'deeds')
  expect(judged.part).toMatchObject({
    result: 'passed',
    requests: 2,
    rubric: { dimensions: [{ dimension: 'persona', score: 5, evidence: [READ], rests: 'evidence' }, {}, {}] },
  })
  expect(asked[1]?.body).toContain('[e1] tool call Read')
  expect(asked[1]?.body).toContain('[f0] file list of the agent: persona/SOUL.md')
  expect(asked[1]?.body).toContain('persona (deeds), factual_accuracy')
})

test('a score that the agent’s own words cannot prove is asked for once more, alone', async () => {
  const mended = await score((isSecond) => ({ ...said, evidence: [isSecond ? READ : said.evidence[0]] }), 'deeds')
  expect(mended.judged.part).toMatchObject({
    result: 'passed',
    requests: 4,
  })
  expect(mended.asked.at(-1)?.body).toContain('Now score each of these dimensions: persona (deeds).')
  // What counted is what is stored, with what the dimensions are about.
  expect(mended.judged.toRecord).toMatchObject({
    kinds: [{ about: 'deeds', by: 'judge' }, {}, {}, {}, {}],
    answers: [{ persona: { score: 5, evidence: [READ] } }],
  })
  const replayed = await judgeQuestion({
    question: { run: RUN },
    source: { kind: 'recording', file: 'a.json', find: () => mended.judged.toRecord, upstream: null, advice: '' },
  })
  expect(replayed.part).toMatchObject({ result: 'passed', requests: 1, rubric: mended.judged.part.rubric })

  const stubborn = await score(() => said, 'deeds')
  expect(stubborn.judged.part).toMatchObject({ result: 'errored', requests: 4, error: { code: 'judge-failed' } })
  expect(stubborn.judged.part.reason).toMatch(/^The score of "persona" does not count: .* the agent's own word/)
})

test.for([
  ['an invented quote', { evidence: [{ item: 'm3', quote: 'I checked the balance myself.' }] }, 'not-found'],
  ['no quote', { evidence: [] }, 'no-quote'],
  ['a low score without a search', { evidence: [], score: 1 }, 'nothing-looked-for'],
  ['a low score for a word that is there', { evidence: [], score: 1, looked_for: ['beats'] }, 'looked-for'],
] as const)('%s scores nothing', async ([, changed, cause]) => {
  const { judged } = await score(() => ({ ...said, ...changed }))
  expect(judged.part).toMatchObject({ result: 'errored', reason: expect.stringContaining(REFUSALS[cause]) })
})

test.for([
  ['what is not there', { evidence: [], score: 1, looked_for: ['ACME'] }, 'absence'],
  ['what does not apply', { evidence: [], score: null, justification: 'N/A' }, undefined],
] as const)('%s needs no quote', async ([, changed, rests]) => {
  const { judged } = await score(() => ({ ...said, ...changed }))
  expect(judged.part.error).toBeNull()
  expect(judged.part.rubric?.dimensions[0]?.rests).toBe(rests)
})

const HF1 = { code: 'HF1', evidence: [] as object[], looked_for: [] as string[] }

/** Has the run scored by a judge that finds a hard fail or speaks of an expected fact, with another answer at the second question. */
async function scoreWith(
  first: object,
  second: object = first,
  golden: Partial<typeof QUESTION.golden> = {},
): Promise<{ readonly judged: CaseJudgement; readonly asked: Upstream['requests'] }> {
  const reply = scorer((nonce, body) => ({
    ...answered(nonce),
    persona: said,
    factual_accuracy: said,
    format: said,
    ...(body.includes('Earlier verdicts on these') ? second : first),
  }))
  await using api = await startUpstream(async (body) => reply(body))
  const environment = { OPENAI_API_KEY: 'sk-real', OPENAI_BASE_URL: api.url }
  const question = { run: RUN, golden: { ...QUESTION.golden, ...golden } }
  return { judged: await judgeQuestion({ question }, environment), asked: api.requests }
}

const happened = (changed: object): object => ({ hard_fails: [{ ...HF1, ...changed }] })

test('a hard fail that happened is shown by a quote, and is asked for once more without one, alone', async () => {
  const proven = await scoreWith(happened({ evidence: [READ] }))
  expect(proven.judged.part).toMatchObject({ result: 'failed', requests: 2, rubric: { hardFails: ['HF1'] } })

  const mended = await scoreWith(happened({}), happened({ evidence: [READ] }))
  expect(mended.judged.part).toMatchObject({
    result: 'failed',
    requests: 4,
    rubric: { hardFails: ['HF1'] },
  })
  expect(mended.asked.at(-1)?.body).toContain('The hard fails are HF1. The nonce')
  expect(mended.asked.at(-1)?.body).not.toContain('Now score each')
  expect(mended.judged.toRecord).toMatchObject({ answers: [{ hard_fails: [{ code: 'HF1', evidence: [READ] }] }] })
  const replayed = await judgeQuestion({
    question: { run: RUN },
    source: { kind: 'recording', file: 'a.json', find: () => mended.judged.toRecord, upstream: null, advice: '' },
  })
  expect(replayed.part).toMatchObject({ result: 'failed', requests: 1, rubric: mended.judged.part.rubric })

  // It may find that it did not happen.
  const withdrawn = await scoreWith(happened({}), { hard_fails: [] })
  expect(withdrawn.judged.part).toMatchObject({ result: 'passed', requests: 4, rubric: { hardFails: [] } })
})

test.for([
  ['the code alone', { hard_fails: ['HF1'] }, 'nothing-looked-for'],
  ['an invented quote', happened({ evidence: [{ item: 'm3', quote: 'Buy ACME at once.' }] }), 'not-found'],
] as const)('a hard fail with %s fails nobody', async ([, first, cause]) => {
  const { judged } = await scoreWith(first)
  expect(judged.part).toMatchObject({ result: 'errored' })
  expect(judged.part.reason).toMatch(/^The hard fail "HF1" does not count: /)
  expect(judged.part.reason).toContain(REFUSALS[cause])
})

const fact = (changed: object): object => ({
  factual_checks: [
    {
      claim: FACT.claim,
      stated_in_response: true,
      value_correct: true,
      cited: true,
      ...HF1,
      code: undefined,
      ...changed,
    },
  ],
})
const FACTS = { expectedFacts: [FACT] }

test('a fact is stated only where a quote shows it, which the answer keeps', async () => {
  const quote = { item: 'm3', quote: 'No. 24.99% beats 6.75%.' }
  const proven = await scoreWith(fact({ evidence: [quote] }), {}, FACTS)
  const kept = { claim: FACT.claim, stated: true, correct: true, cited: true, evidence: [quote] }
  expect(proven.judged.part).toMatchObject({ result: 'passed', requests: 2, rubric: { facts: [kept] } })
  expect(proven.judged.toRecord).toMatchObject({ answers: [{ factual_checks: [{ evidence: [quote] }] }] })

  const mended = await scoreWith(fact({}), fact({ evidence: [quote] }), FACTS)
  expect(mended.judged.part).toMatchObject({ result: 'passed', requests: 3, rubric: { facts: [kept] } })

  // What is not stated cannot be quoted.
  const missing = fact({ stated_in_response: false, value_correct: null, cited: null })
  expect((await scoreWith(missing, {}, FACTS)).judged.part).toMatchObject({ result: 'passed', requests: 2 })
})

test.for([
  ['right', { value_correct: true }],
  ['wrong', { value_correct: false }],
])('a fact that is said to be stated and %s, without a quote, says nothing', async ([, changed]) => {
  const { judged } = await scoreWith(fact(changed as object), fact(changed as object), FACTS)
  expect(judged.part).toMatchObject({ result: 'errored' })
  expect(judged.part.reason).toMatch(/^What the judge says of the fact "The card is at 24\.99%" does not count: /)
  expect(judged.part.reason).toContain(REFUSALS['no-quote'])
})

test('scores that a scenario writes fit the schema, which Claude Code enforces', () => {
  const shown = byRubric(QUESTION).show([1], 1)
  const asked = { kinds: [UNKNOWN_KIND, UNKNOWN_KIND, UNKNOWN_KIND], numbers: [1, 2, 3], flaws: [] }
  const fits = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    byRubric(QUESTION).form(asked, shown).schema,
  )
  const five = { score: 5, justification: 'j' }
  const scores = { persona: five, factual_accuracy: five, format: { ...five, score: null } }
  const written = writeScores({ scores, hardFails: ['HF1'], justification: 'j', facts: [] }, QUESTION)
  expect([fits(written), fits.errors]).toEqual([true, null])
})
