import { z } from 'zod'
import { NONCE_PLACEHOLDER } from '../../gateway/sources/nonce.ts'
import { selectEvidence } from '../evidence/select-evidence.ts'
import { describeIssue, EVIDENCE_FIELDS, evidenceFields, objectOf } from '../json-answer.ts'
import { RUBRIC_QUESTION, writeRubric } from './rubric-prompt.ts'
import {
  decideScores,
  describeUnknownCodes,
  isNotApplicable,
  type RubricAnswer,
  type RubricOfTest,
} from './rubric-score.ts'
import type { ReadAnswer } from '../ask.ts'
import type { EvidenceText } from '../evidence/evidence-text.ts'
import type { JudgeMethod } from '../method.ts'
import type { ScenarioScores } from '../../gateway/sources/scenario-file.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { GoldenTest, JudgeSettings, Rubric } from '../../suites/golden.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** What a judge by rubric is asked. */
export interface RubricQuestion {
  readonly rubric: Rubric
  readonly judge: Pick<JudgeSettings, 'strictMode' | 'template'>
  readonly golden: Pick<GoldenTest, 'expectedBehavior' | 'expectedFacts' | 'input' | 'passCriteria' | 'required'>
  readonly run: AgentRun
  /** The files of the agent's folder as it ran, relative to it. */
  readonly vault: readonly string[]
  /** Texts that the run created or modified. */
  readonly files: readonly EvidenceText[]
}

/** A score for each dimension of a rubric. What holds for verdicts holds for scores: a score is shown by quotes. */
export function byRubric(question: RubricQuestion): JudgeMethod<RubricAnswer> {
  const { rubric, judge, golden, run, files, vault } = question
  const names = rubric.dimensions.map(({ name }) => name)
  const { expectedBehavior, expectedFacts, passCriteria, input } = golden
  const facts = expectedFacts.map(({ claim, source, expectedValue }) => [claim, source, expectedValue])
  return {
    run,
    statements: names,
    kinds: { task: rubric.text, statements: names.map((name) => `The dimension "${name}" of this rubric.`) },
    evidence: 'of models',
    hasFiles: run.files.created.length + run.files.modified.length > 0,
    votes: 1,
    needsEveryVote: false,
    hash: {
      criteria: [rubric.text, input, expectedBehavior, passCriteria, facts],
      prompt: [RUBRIC_QUESTION, names, rubric.hardFails.map(({ code }) => code), judge.template, judge.strictMode],
    },
    show: (_, share) =>
      selectEvidence({ run, files, vault, statements: [input, expectedBehavior, passCriteria] }, share),
    form(asked, shown) {
      const dimensions = asked.numbers.map((number) => names[number - 1] ?? '')
      return {
        write: (nonce, complaint) => writeRubric(question, asked, shown, nonce, complaint),
        schema: rubricSchema(question, dimensions),
        read: (value) => readDecided(value, question, asked.numbers),
        unwrap: withoutFence,
        maxTokens: 2048 + (dimensions.length * 2 + expectedFacts.length) * 256,
        temperature: 0.2,
      }
    },
    decide: (judged, [answer]) => decideScores(judged, answer, question),
    toJson: ({ raw, verdicts }) => ({ ...raw, ...dimensionsToJson(verdicts, names) }),
    scenario: {
      misfit: 'verdicts',
      write: ({ scores }) => (scores === null ? null : writeScores(scores, question)),
      describeMissing(file) {
        const scores = names.map((name) => `${name}: 5`).join(', ')
        return `${file} has no answer left for the judge. Add one to \`judge\`, with a score for each dimension:\njudge:\n  - scores: { ${scores} }\n    justification: ...`
      },
    },
  }
}

// As the runner of the format does.
function withoutFence(text: string): string {
  const fenced = text.trim()
  const [opening = ''] = /^```(?:json)?\s*\n/.exec(fenced) ?? []
  const inner = fenced.slice(opening.length, -3).trimEnd()
  const isClosed =
    opening !== '' && fenced.endsWith('```') && fenced.slice(inner.length + opening.length, -3).includes('\n')
  return isClosed ? inner : text
}

/** What the judge is forced to answer about these dimensions. */
function rubricSchema({ rubric }: Pick<RubricQuestion, 'rubric'>, dimensions: readonly string[]): JsonObject {
  const codes = rubric.hardFails.map(({ code }) => code)
  const text = { type: 'string' }
  const maybe = { anyOf: [{ type: 'boolean' }, { type: 'null' }] }
  const score = objectOf({ justification: text, ...EVIDENCE_FIELDS, score: SCORE })
  return objectOf({
    nonce: text,
    ...Object.fromEntries(dimensions.map((name) => [name, score])),
    hard_fails: { type: 'array', items: codes.length === 0 ? text : { type: 'string', enum: codes } },
    factual_checks: {
      type: 'array',
      items: objectOf({ claim: text, stated_in_response: { type: 'boolean' }, value_correct: maybe, cited: maybe }),
    },
    overall: objectOf({ justification: text }),
    orders: text,
  })
}

const SCORE: JsonObject = { anyOf: [{ type: 'integer', enum: [1, 2, 3, 4, 5] }, { type: 'null' }] }

/** Reads an answer that came as JSON. What a provider could not force may be missing where that says nothing wrong. */
export function readScores(
  value: JsonValue,
  { rubric, golden }: RubricOfTest,
  numbers?: readonly number[],
): ReadAnswer<RubricAnswer> {
  const all = rubric.dimensions.map(({ name }, index) => ({ name, number: index + 1 }))
  const dimensions = all.filter(({ number }) => numbers?.includes(number) !== false)
  const { success, data, error } = answer.safeParse(value)
  const scores = z.object(Object.fromEntries(dimensions.map(({ name }) => [name, dimension]))).safeParse(value)
  if (!success) return { malformed: describeIssue(error.issues[0]) }
  const unscored = dimensions.flatMap(({ name }) => (isJsonObject(value) && value[name] === undefined ? [name] : []))
  if (unscored.length > 0) return { malformed: `no score for ${unscored.join(', ')}` }
  if (!scores.success) return { malformed: describeIssue(scores.error.issues[0]) }
  const codes = rubric.hardFails.map(({ code }) => code)
  const written = data.hard_fails.map((one) => codes.find((code) => isCode(one, code)) ?? one)
  const isKnown = (code: string): boolean => codes.length === 0 || codes.includes(code)
  const facts = golden.expectedFacts.length
  if (facts > 0 && data.factual_checks.length !== facts)
    return { malformed: `"factual_checks" has ${data.factual_checks.length} entries, for ${facts} expected facts` }
  const { nonce: _, ...raw } = value as JsonObject
  return {
    answer: {
      verdicts: dimensions.map(({ name, number }) => verdictOf(number, scores.data[name] as Scored)),
      hardFails: [...new Set(written.filter(isKnown))],
      unknownHardFails: [...new Set(written.filter((code) => !isKnown(code)))],
      facts: data.factual_checks,
      overall: data.overall.justification,
      orders: data.orders,
      raw,
    },
  }
}

type Scored = z.infer<typeof dimension>

// A low score says that something is not there or is wrong, as a "fail" does.
function verdictOf(statement: number, { score, justification, ...shown }: Scored): RubricAnswer['verdicts'][number] {
  const isFree = isNotApplicable(score, justification)
  const verdict = score === null || score >= LEAST_GOOD ? 'pass' : 'fail'
  return { statement, reason: justification, ...shown, verdict, score, isFree }
}

const LEAST_GOOD = 3

function dimensionsToJson(verdicts: RubricAnswer['verdicts'], names: readonly string[]): JsonObject {
  const entries = verdicts.map(({ statement, reason, score, evidence, looked_for }) => {
    const quotes = evidence.map((quote) => ({ ...quote }))
    const shown = quotes.length + looked_for.length === 0 ? {} : { evidence: quotes, looked_for: [...looked_for] }
    return [names[statement - 1], { justification: reason, ...shown, score }] as const
  })
  return Object.fromEntries(entries)
}

// An unknown code in an answer that fails anyway changes nothing. In one that would pass, nothing says what it means.
function readDecided(value: JsonValue, question: RubricOfTest, numbers: readonly number[]): ReadAnswer<RubricAnswer> {
  const read = readScores(value, question, numbers)
  const isSecond = numbers.length < question.rubric.dimensions.length
  if ('malformed' in read || isSecond || read.answer.unknownHardFails.length === 0) return read
  const { result } = decideScores([], read.answer, question)
  return result === 'failed' ? read : { malformed: describeUnknownCodes(read.answer, question) }
}

// Some add the meaning of the code.
function isCode(written: string, code: string): boolean {
  return written.trim() === code || new RegExp(`^\\s*${code}\\b`).test(written)
}

const dimension = z.object({
  score: z.number().nullable(),
  justification: z.string(),
  ...evidenceFields,
  evidence: evidenceFields.evidence.default([]),
})

const answer = z.object({
  nonce: z.string(),
  hard_fails: z.array(z.string()),
  factual_checks: z
    .array(
      z.object({
        claim: z.string(),
        stated_in_response: z.boolean(),
        value_correct: z.boolean().nullable(),
        cited: z.boolean().nullable(),
      }),
    )
    .default([]),
  overall: z.object({ justification: z.string() }),
  orders: z.string().default(''),
})

/** Writes scores of a scenario as the judge has to answer them. */
export function writeScores(written: ScenarioScores, { golden }: Pick<RubricOfTest, 'golden'>): JsonObject {
  const scores = Object.entries(written.scores).map(([name, { score, justification }]) => {
    // As the schema has it: Claude Code refuses every other answer.
    return [name, { justification, evidence: [], looked_for: [], score }] as const
  })
  return {
    nonce: NONCE_PLACEHOLDER,
    ...Object.fromEntries(scores),
    hard_fails: written.hardFails,
    factual_checks: written.facts.map(({ stated, correct, cited }, index) => ({
      claim: golden.expectedFacts[index]?.claim ?? '',
      stated_in_response: stated,
      value_correct: correct,
      cited,
    })),
    overall: { justification: written.justification },
    orders: '',
  }
}
