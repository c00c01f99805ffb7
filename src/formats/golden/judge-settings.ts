import { z } from 'zod'
import { TOP, errorIn, warningIn, type Issue, type Position } from '../../lib/documents/document.ts'
import { nearestName } from '../../lib/documents/nearest-name.ts'
import { readFrontMatter } from '../../lib/documents/read-document.ts'
import { validate } from '../../lib/documents/validate.ts'
import type { JudgeSettings, Rubric } from '../suite.ts'
import { CODE } from './pass-criteria.ts'
import { agentOfFile, checkAgentName } from './sections.ts'

/** The settings of a judge, or what is wrong with them. */
interface ReadJudgeSettings {
  readonly judge: JudgeSettings | null
  readonly issues: readonly Issue[]
}

const modelNames = z.array(z.string().min(1))

const judgeSchema = z.strictObject({
  schema_version: z.literal(1).optional(),
  agent: z.string().optional(),
  recommended_judge: z
    .strictObject({ cross_family: modelNames.optional(), same_family_fallback: modelNames.optional() })
    .optional(),
  strict_mode: z.boolean().optional(),
  audit_sample_pct: z.number().min(0).max(100).optional(),
})
type JudgeFields = z.infer<typeof judgeSchema>

const NO_FIELDS: JudgeFields = {}

/** Reads the text of a judge.md. */
export function parseJudgeSettings(text: string, file: string): ReadJudgeSettings {
  const { document, body, issues: broken } = readFrontMatter(text, file)
  if (broken.length > 0) return { judge: null, issues: broken }
  const template = body.trim()
  if (template === '') return { judge: null, issues: [errorIn(file, 'empty-file', 'there is no prompt in it')] }
  // Without front matter it is a prompt alone.
  const { value, issues } = document === null ? { value: NO_FIELDS, issues: [] } : validate(document, judgeSchema)
  if (value === null) return { judge: null, issues }

  const { recommended_judge: models, strict_mode: strictMode, audit_sample_pct: share } = value
  return {
    judge: {
      file,
      template,
      crossFamily: models?.cross_family ?? [],
      sameFamilyFallback: models?.same_family_fallback ?? [],
      strictMode: strictMode ?? true,
      auditShare: toShare(share ?? 0.1),
    },
    issues: [...issues, ...(document === null ? [] : checkAgentName(value.agent, document, agentOfFile(file)))],
  }
}

// The field's name says percent, and its only known value is 0.10.
function toShare(value: number): number {
  return value > 1 ? value / 100 : value
}

/** The placeholders of a judge's prompt; nothing else in braces is replaced. */
export const PLACEHOLDERS: readonly Placeholder[] = [
  'rubric',
  'test_input',
  'expected_behavior',
  'pass_criteria',
  'agent_response',
  'trajectory',
]

/** What a judge's prompt may leave to be filled in. */
export type Placeholder =
  | 'rubric'
  | 'test_input'
  | 'expected_behavior'
  | 'pass_criteria'
  | 'agent_response'
  | 'trajectory'

/** What reads like a placeholder. In doubled braces, as Python's `str.format` has them, it is none. */
export const LIKE_PLACEHOLDER: RegExp = /(?<!\{)\{[a-z_]\w{0,40}\}(?!\})/gi

/** Compares a judge's prompt with the rubric that it is to score by. Where they disagree scores mislead. */
export function crossCheck(rubric: Rubric, judge: JudgeSettings, judgeText: string): readonly Issue[] {
  const place = (part: string): Position => positionOf(judgeText, part)
  const warn = (at: Position, code: string, message: string): Issue => warningIn(judge.file, code, message, at)
  return [
    ...checkDimensions(rubric, judge.template).map(({ name, code, message }) => warn(place(name), code, message)),
    ...checkCodes(rubric, judge.template).map(({ part, message }) => warn(place(part), 'unknown-hard-fail', message)),
    ...checkPlaceholders(judge.template).map(({ part, code, message }) => warn(place(part), code, message)),
  ]
}

interface DimensionProblem {
  /** What stands at the place. */
  readonly name: string
  readonly code: string
  readonly message: string
}

// The sample of the answer is what names the dimensions: `"persona": {"score": …`.
function checkDimensions({ dimensions }: Rubric, template: string): readonly DimensionProblem[] {
  const shown = [...template.matchAll(/"([A-Za-z][\w-]*)"\s*:\s*\{\s*"score"/g)].map(([, name = '']) => name)
  if (shown.length === 0) return []
  const names = dimensions.map(({ name }) => name)
  const forgotten = names.filter((name) => !shown.includes(name))
  const unknown = [...new Set(shown)].filter((name) => !names.includes(name))
  return [
    ...forgotten.map((name) => ({
      name: `"${shown[0]}"`,
      code: 'dimension-not-asked',
      message: `the answer that it shows has no ${name}, which weighs ${weightOf(dimensions, name)}% in rubric.md; the judge is asked for it anyway`,
    })),
    ...unknown.map((name) => ({
      name: `"${name}"`,
      code: 'unknown-dimension',
      message: `rubric.md has no dimension ${name}; its score has no effect`,
    })),
  ]
}

function weightOf(dimensions: Rubric['dimensions'], name: string): number {
  return dimensions.find((dimension) => dimension.name === name)?.weight ?? 0
}

interface PartProblem {
  readonly part: string
  readonly message: string
}

function checkCodes({ hardFails }: Rubric, template: string): readonly PartProblem[] {
  const codes = hardFails.map(({ code }) => code)
  const named = [...new Set(template.match(CODE) ?? [])]
  const unknown = named
    .filter((code) => !codes.includes(code))
    .map((code) => ({ part: code, message: `rubric.md has no hard fail ${code}` }))
  const range = /\b(HF-?)(\d+)\s*(?:-|–|—|to|through)\s*HF-?(\d+)\b/.exec(template)
  if (range === null) return unknown
  const [written, prefix = '', first, last] = range
  const inRange = (code: string): boolean => {
    const number = Number(code.replace(/\D+/g, ''))
    return number >= Number(first) && number <= Number(last)
  }
  const beyond = codes.filter((code) => code.startsWith(prefix) && !inRange(code))
  if (beyond.length === 0) return unknown
  return [...unknown, { part: written, message: `it mentions ${written}, and rubric.md has ${beyond.join(', ')} too` }]
}

function checkPlaceholders(template: string): readonly (PartProblem & { readonly code: string })[] {
  const written = [...new Set(template.match(LIKE_PLACEHOLDER) ?? [])]
  const wrong = written.flatMap((part) => {
    const name = part.slice(1, -1)
    if (PLACEHOLDERS.some((one) => one === name)) return []
    const near = nearestName(name, PLACEHOLDERS)
    const advice =
      near === null ? `There are ${PLACEHOLDERS.map((one) => `{${one}}`).join(', ')}.` : `Did you mean {${near}}?`
    return [
      { part, code: 'unknown-placeholder', message: `${part} is not replaced and is sent as it stands. ${advice}` },
    ]
  })
  const forgotten = ['rubric', 'agent_response'].filter((name) => !template.includes(`{${name}}`))
  return [
    ...wrong,
    ...forgotten.map((name) => ({
      part: '',
      code: 'placeholder-missing',
      message: `there is no {${name}} in the prompt; it is added at the end`,
    })),
  ]
}

function positionOf(text: string, part: string): Position {
  const offset = part === '' ? -1 : text.indexOf(part)
  if (offset === -1) return TOP
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
