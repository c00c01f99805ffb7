import { z } from 'zod'
import {
  errorAt,
  errorIn,
  isError,
  warningAt,
  warningIn,
  type Issue,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { readFrontMatter } from '../../lib/documents/read-document.ts'
import { validate, type Validated } from '../../lib/documents/validate.ts'
import { sum } from '../../lib/lists.ts'
import type { HardFail, Rubric, RubricDimension } from '../suite.ts'
import { agentOfFile, checkAgentName, findSection, splitSections, textPosition, type Section } from './sections.ts'

const rubricSchema = z.strictObject({
  schema_version: z.literal(1).optional(),
  agent: z.string().optional(),
  weights: z.record(z.string(), z.number().min(0)),
  threshold_pass: z.number().min(1).max(5).default(4),
})
type RubricFields = z.infer<typeof rubricSchema>

/** Reads the text of a rubric.md. */
export function parseRubric(text: string, file: string): Validated<Rubric> {
  const { document, body, bodyLine, issues: broken } = readFrontMatter(text, file)
  if (document === null) {
    const issues = broken.length > 0 ? broken : [errorIn(file, 'front-matter', NO_FRONT_MATTER)]
    return { value: null, issues }
  }
  const { value, issues } = validate(document, rubricSchema)
  if (value === null) return { value, issues }

  const total = sum(Object.values(value.weights))
  const dimensions = Object.entries(value.weights).map(([name, weight]) => ({
    name,
    // Percent, as a mean by weight has them. What sums to 1 or 100 is not blurred by the division.
    weight: Math.round((weight / total) * 1e8) / 1e6,
  }))
  const wrong = checkWeights(value.weights, document)
  if (wrong.some(isError)) return { value: null, issues: [...issues, ...wrong] }
  const sections = splitSections(body, bodyLine)
  const section = findSection(sections, /^hard[ -]fails?\b/i)
  const hardFails = section === null ? [] : readHardFails(section.text)
  return {
    value: { file, text: body.trim(), dimensions, threshold: value.threshold_pass, hardFails },
    issues: [
      ...issues,
      ...wrong,
      ...checkAgentName(value.agent, document, agentOfFile(file)),
      ...findRepeatedCodes(hardFails, section, file),
      ...compareHeadings(dimensions, value.weights, sections, document),
    ],
  }
}

const NO_FRONT_MATTER = 'the rubric starts with no front matter; begin it with ---, weights and threshold_pass'

function checkWeights(weights: RubricFields['weights'], document: ReadDocument): readonly Issue[] {
  const names = Object.keys(weights)
  if (names.length === 0) return [errorAt(document, ['weights'], 'no-dimensions', 'name at least one dimension')]
  const unusable = names.filter((name) => !NAME.test(name) || RESERVED.has(name))
  if (unusable.length > 0)
    return unusable.map((name) =>
      errorAt(document, ['weights', name], 'dimension-name', `${JSON.stringify(name)} cannot name a dimension`),
    )
  const total = Math.round(sum(Object.values(weights)) * 100) / 100
  if (total === 0)
    return [errorAt(document, ['weights'], 'weights-sum', 'every weight is 0; give one dimension a weight')]
  if (total === 100 || total === 1) return []
  const message = `the weights add up to ${total}, not to 100; each counts as its share of ${total}`
  return [warningAt(document, ['weights'], 'weights-sum', message)]
}

const NAME = /^[A-Za-z][\w-]{0,59}$/

// Other fields of the judge's answer.
const RESERVED: ReadonlySet<string> = new Set(['factual_checks', 'hard_fails', 'nonce', 'orders', 'overall'])

// `- **HF1** — what must never happen`
function readHardFails(text: string): readonly HardFail[] {
  return [
    ...text.matchAll(/^[^\S\r\n\u2028\u2029]*[-*+]\s+\*{0,2}`?([A-Z][A-Z0-9_]*-?\d+)`?\*{0,2}\s*[—–:-]*\s*(.*)$/gm),
  ].map(([, code = '', meaning = '']) => ({ code, text: meaning.trim() }))
}

function findRepeatedCodes(hardFails: readonly HardFail[], section: Section | null, file: string): readonly Issue[] {
  const codes = hardFails.map(({ code }) => code)
  const repeated = [...new Set(codes.filter((code, index) => codes.indexOf(code) !== index))]
  const at = section === null ? undefined : textPosition(section)
  return repeated.map((code) => {
    const message = `there are two hard fails ${code}; the code is ambiguous, so renumber one`
    return warningIn(file, 'hard-fail-repeated', message, at)
  })
}

// `## Tone (40%)` speaks of the dimension `tone`, as it is written or as a share. A rubric whose text and weights disagree
// is scored by the weights.
function compareHeadings(
  dimensions: readonly RubricDimension[],
  written: RubricFields['weights'],
  sections: readonly Section[],
  document: ReadDocument,
): readonly Issue[] {
  const described = sections.flatMap(({ heading }) => {
    const [, name, percent] = /^(.*?\S)\s*\(\s*(\d+(?:\.\d+)?)\s*%\s*\)/.exec(heading) ?? []
    return name === undefined ? [] : [{ name, percent: Number(percent) }]
  })
  if (described.length === 0) return []
  return dimensions.flatMap(({ name, weight }) => {
    const found = described.find((one) => fold(one.name) === fold(name))
    const message =
      found === undefined
        ? 'no section of the rubric describes it, so the judge has no scale'
        : [weight, written[name] ?? weight].some((one) => Math.abs(found.percent - one) < 0.01)
          ? null
          : `weighs ${Number(weight.toFixed(2))} here and ${found.percent}% in its section; the weight here counts`
    return message === null ? [] : [warningAt(document, ['weights', name], 'weight-differs', message)]
  })
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
