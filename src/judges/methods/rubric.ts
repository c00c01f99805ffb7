import { z } from 'zod'
import { NONCE_PLACEHOLDER, type ScenarioScores } from '../../gateway/sources/scenario-file.ts'
import { selectEvidence } from '../evidence/select-evidence.ts'
import { EVIDENCE_FIELDS, describeIssue, evidenceFields, objectOf, type ReadAnswer } from '../ask.ts'
import {
  RUBRIC_QUESTION,
  decideScores,
  describeUnknownCodes,
  isNotApplicable,
  partsOf,
  writeRubric,
  type RubricAnswer,
  type RubricOfTest,
  type RubricPart,
  type RubricQuestion,
  type RubricVerdict,
} from './rubric-score.ts'
import type { StatementKind } from '../statement-kinds.ts'
import type { JudgeMethod } from '../method.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts'

/**
 * A score for each dimension of a rubric. What holds for verdicts holds for scores, for hard fails and for what is said of
 * expected facts: they are shown by quotes.
 */
export function byRubric(question: RubricQuestion): JudgeMethod<RubricAnswer> {
  const { rubric, judge, golden, run, files, vault } = question
  const names = rubric.dimensions.map(({ name }) => name)
  const parts = partsOf(question)
  const { expectedBehavior, expectedFacts, passCriteria, input } = golden
  const facts = expectedFacts.map(({ claim, source, expectedValue }) => [claim, source, expectedValue])
  return {
    run,
    statements: parts.map(({ name }) => name),
    kinds: { task: rubric.text, statements: parts.flatMap(describePart) },
    // The last ones, of which nobody has to be asked.
    ownKinds: expectedFacts.map(() => STATED),
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
    form(statements, shown) {
      const about = statements.numbers.flatMap((number) => parts[number - 1] ?? [])
      return {
        write: (nonce, complaint) => writeRubric(question, statements, shown, nonce, complaint),
        schema: rubricSchema(question, namesOf(about, 'dimension')),
        read: (value) => readDecided(value, question, statements.numbers),
        unwrap: withoutFence,
        maxTokens: 2048 + (about.length + namesOf(about, 'dimension').length) * 256,
        temperature: 0.2,
      }
    },
    decide: (judged, [answer]) => decideScores(judged, answer, question),
    toJson: ({ raw, verdicts, unknownHardFails }) => ({
      ...raw,
      ...verdictsToJson(verdicts, parts),
      hard_fails: [...hardFailsToJson(verdicts), ...unknownHardFails],
      factual_checks: factsToJson(verdicts),
    }),
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

function namesOf(parts: readonly RubricPart[], kind: RubricPart['kind']): readonly string[] {
  return parts.flatMap((part) => (part.kind === kind ? [part.name] : []))
}

function describePart({ kind, name }: RubricPart): readonly string[] {
  if (kind === 'dimension') return [`The dimension "${name}" of this rubric.`]
  if (kind === 'fact') return []
  return [name === '' ? 'No hard fail happened.' : `The hard fail "${name}" of this rubric did not happen.`]
}

// The fact is the author's: what is asked is whether the agent tells it.
const STATED: StatementKind = { about: 'words', absent: false, by: 'nobody' }

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
    hard_fails: {
      type: 'array',
      items: objectOf({ code: codes.length === 0 ? text : { type: 'string', enum: codes }, ...EVIDENCE_FIELDS }),
    },
    factual_checks: {
      type: 'array',
      items: objectOf({
        claim: text,
        stated_in_response: { type: 'boolean' },
        value_correct: maybe,
        cited: maybe,
        ...EVIDENCE_FIELDS,
      }),
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
  const all = partsOf({ rubric, golden }).map((part, index) => ({ ...part, number: index + 1 }))
  const askedParts = all.filter(({ number }) => numbers?.includes(number) !== false)
  const ofKind = (kind: RubricPart['kind']): typeof all => askedParts.filter((part) => part.kind === kind)
  const dimensions = ofKind('dimension')
  const { success, data, error } = answer.safeParse(value)
  const scores = z.object(Object.fromEntries(dimensions.map(({ name }) => [name, dimension]))).safeParse(value)
  if (!success) return { malformed: describeIssue(error.issues[0]) }
  const unscored = dimensions.flatMap(({ name }) => (isJsonObject(value) && value[name] === undefined ? [name] : []))
  if (unscored.length > 0) return { malformed: `no score for ${unscored.join(', ')}` }
  if (!scores.success) return { malformed: describeIssue(scores.error.issues[0]) }
  const codes = rubric.hardFails.map(({ code }) => code)
  const fails = data.hard_fails.map((one) => ({
    ...one,
    code: codes.find((code) => isCode(one.code, code)) ?? one.code,
  }))
  const isKnown = (code: string): boolean => codes.length === 0 || codes.includes(code)
  const facts = ofKind('fact')
  if (facts.length > 0 && data.factual_checks.length !== facts.length)
    return {
      malformed: `"factual_checks" has ${data.factual_checks.length} entries, for ${facts.length} expected facts`,
    }
  const { nonce: _, ...raw } = value as JsonObject
  return {
    answer: {
      verdicts: [
        ...dimensions.map(({ name, number }) => verdictOf(number, scores.data[name] as Scored)),
        ...ofKind('hard-fail').map(({ name, number }) =>
          failOf(
            number,
            fails.filter(({ code }) => name === '' || code === name),
          ),
        ),
        ...facts.flatMap(({ number }, index) =>
          data.factual_checks.slice(index, index + 1).map((fact) => factOf(number, fact)),
        ),
      ],
      unknownHardFails: [...new Set(fails.flatMap(({ code }) => (isKnown(code) ? [] : [code])))],
      overall: data.overall.justification,
      orders: data.orders,
      raw,
    },
  }
}

type Scored = z.infer<typeof dimension>

// A low score says that something is not there or is wrong, as a "fail" does.
function verdictOf(statement: number, { score, justification, ...shown }: Scored): RubricVerdict {
  const needsNoEvidence = isNotApplicable(score, justification)
  const verdict = score === null || score >= LEAST_GOOD ? 'pass' : 'fail'
  return { ...NO_PART, statement, reason: justification, ...shown, verdict, score, needsNoEvidence }
}

function failOf(statement: number, fails: readonly z.infer<typeof hardFail>[]): RubricVerdict {
  const hardFails = [...new Set(fails.map(({ code }) => code))]
  const shown = { evidence: fails.flatMap((one) => one.evidence), looked_for: fails.flatMap((one) => one.looked_for) }
  const happened = { verdict: 'fail', reason: 'It happened.', hardFails } as const
  return { ...NO_PART, statement, ...shown, ...(fails.length === 0 ? NOTHING_SAID : happened) }
}

function factOf(statement: number, fact: z.infer<typeof factualCheck>): RubricVerdict {
  const { claim, stated_in_response: stated, value_correct: correct, cited, evidence, looked_for } = fact
  const quotes = evidence.length === 0 ? {} : { evidence }
  const said = { verdict: correct === false ? 'fail' : 'pass', reason: 'It is stated.' } as const
  return {
    ...NO_PART,
    statement,
    evidence,
    looked_for,
    ...(stated ? said : NOTHING_SAID),
    fact: { claim, stated, correct, cited, ...quotes },
  }
}

const NO_PART = { score: null, hardFails: [], fact: null } as const
const NOTHING_SAID = { verdict: 'pass', reason: '', needsNoEvidence: true } as const

const LEAST_GOOD = 3

function verdictsToJson(verdicts: RubricAnswer['verdicts'], parts: readonly RubricPart[]): JsonObject {
  const entries = verdicts.flatMap((verdict) => {
    const part = parts[verdict.statement - 1]
    if (part?.kind !== 'dimension') return []
    return [[part.name, { justification: verdict.reason, ...shownToJson(verdict), score: verdict.score }] as const]
  })
  return Object.fromEntries(entries)
}

function hardFailsToJson(verdicts: RubricAnswer['verdicts']): readonly JsonValue[] {
  return verdicts.flatMap((verdict) => {
    const shown = shownToJson(verdict)
    return verdict.hardFails.map((code) => (Object.keys(shown).length === 0 ? code : { code, ...shown }))
  })
}

function factsToJson(verdicts: RubricAnswer['verdicts']): JsonValue {
  return verdicts.flatMap((verdict) => {
    if (verdict.fact === null) return []
    const { claim, stated, correct, cited } = verdict.fact
    return [{ claim, stated_in_response: stated, value_correct: correct, cited, ...shownToJson(verdict) }]
  })
}

function shownToJson({ evidence, looked_for }: Pick<RubricVerdict, 'evidence' | 'looked_for'>): JsonObject {
  const quotes = evidence.map((quote) => ({ ...quote }))
  return quotes.length + looked_for.length === 0 ? {} : { evidence: quotes, looked_for: [...looked_for] }
}

// An unknown code in an answer that fails anyway changes nothing. In one that would pass, nothing says what it means.
function readDecided(value: JsonValue, question: RubricOfTest, numbers: readonly number[]): ReadAnswer<RubricAnswer> {
  const read = readScores(value, question, numbers)
  const isSecond = numbers.length < partsOf(question).length
  if ('malformed' in read || isSecond || read.answer.unknownHardFails.length === 0) return read
  const { result } = decideScores([], read.answer, question)
  return result === 'failed' ? read : { malformed: describeUnknownCodes(read.answer, question) }
}

// Some add the meaning of the code.
function isCode(written: string, code: string): boolean {
  return written.trim() === code || new RegExp(`^\\s*${code}\\b`).test(written)
}

const shown = { ...evidenceFields, evidence: evidenceFields.evidence.default([]) }
const dimension = z.object({ score: z.number().nullable(), justification: z.string(), ...shown })
const hardFail = z.object({ code: z.string(), ...shown })
const factualCheck = z.object({
  claim: z.string(),
  stated_in_response: z.boolean(),
  value_correct: z.boolean().nullable(),
  cited: z.boolean().nullable(),
  ...shown,
})

const answer = z.object({
  nonce: z.string(),
  // A code alone is not shown by anything.
  hard_fails: z.array(z.union([z.string().transform((code) => ({ code, evidence: [], looked_for: [] })), hardFail])),
  factual_checks: z.array(factualCheck).default([]),
  overall: z.object({ justification: z.string() }),
  orders: z.string().default(''),
})

/** Writes scores of a scenario as the judge has to answer them. */
export function writeScores(written: ScenarioScores, { golden }: Pick<RubricOfTest, 'golden'>): JsonObject {
  const scores = Object.entries(written.scores).map(([name, { score, justification }]) => {
    // As the schema has it: Claude Code refuses every other answer.
    return [name, { justification, ...UNSHOWN, score }] as const
  })
  return {
    nonce: NONCE_PLACEHOLDER,
    ...Object.fromEntries(scores),
    hard_fails: written.hardFails.map((code) => ({ code, ...UNSHOWN })),
    factual_checks: written.facts.map(({ stated, correct, cited }, index) => ({
      claim: golden.expectedFacts[index]?.claim ?? '',
      stated_in_response: stated,
      value_correct: correct,
      cited,
      ...UNSHOWN,
    })),
    overall: { justification: written.justification },
    orders: '',
  }
}

const UNSHOWN = { evidence: [], looked_for: [] }
