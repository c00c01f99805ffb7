import { z } from 'zod'
import { TOP, errorIn, warningIn, type Issue, type Position } from '../../lib/documents/document.ts'
import { nearestName } from '../../lib/documents/nearest-name.ts'
import { readFrontMatter } from '../../lib/documents/read-document.ts'
import { validate, type Validated } from '../../lib/documents/validate.ts'
import type { JudgeSettings } from '../suite.ts'
import { agentOfFile, checkAgentName } from './sections.ts'

const modelNames = z.array(z.string().min(1)).default([])

const judgeSchema = z.strictObject({
  schema_version: z.literal(1).optional(),
  agent: z.string().optional(),
  recommended_judge: z.strictObject({ cross_family: modelNames, same_family_fallback: modelNames }).prefault({}),
  strict_mode: z.boolean().default(true),
  audit_sample_pct: z.number().min(0).max(100).default(0.1),
})

/** Reads the text of a judge.md. */
export function parseJudgeSettings(text: string, file: string): Validated<JudgeSettings> {
  const { document, body, issues: broken } = readFrontMatter(text, file)
  if (broken.length > 0) return { value: null, issues: broken }
  const template = body.trim()
  if (template === '') return { value: null, issues: [errorIn(file, 'empty-file', 'there is no prompt in it')] }
  // Without front matter it is a prompt alone.
  const { value, issues } =
    document === null ? { value: judgeSchema.parse({}), issues: [] } : validate(document, judgeSchema)
  if (value === null) return { value, issues }

  const { recommended_judge: models, strict_mode: strictMode, audit_sample_pct: share } = value
  return {
    value: {
      file,
      template,
      crossFamily: models.cross_family,
      sameFamilyFallback: models.same_family_fallback,
      strictMode,
      // The field's name says percent, and its only known value is 0.10.
      auditShare: share > 1 ? share / 100 : share,
    },
    issues: [
      ...issues,
      ...(document === null ? [] : checkAgentName(value.agent, document, agentOfFile(file))),
      ...checkPlaceholders({ file, template }, text),
    ],
  }
}

/** The placeholders of a judge's prompt; nothing else in braces is replaced. */
export const PLACEHOLDERS = [
  'rubric',
  'test_input',
  'expected_behavior',
  'pass_criteria',
  'agent_response',
  'trajectory',
] as const

/** What a judge's prompt may leave to be filled in. */
export type Placeholder = (typeof PLACEHOLDERS)[number]

/** What reads like a placeholder. In doubled braces, as Python's `str.format` has them, it is none. */
export const LIKE_PLACEHOLDER: RegExp = /(?<!\{)\{[a-z_]\w{0,40}\}(?!\})/gi

// `text` is that of the file.
function checkPlaceholders(
  { file, template }: Pick<JudgeSettings, 'file' | 'template'>,
  text: string,
): readonly Issue[] {
  const written = [...new Set(template.match(LIKE_PLACEHOLDER) ?? [])]
  const wrong = written.flatMap((part) => {
    const name = part.slice(1, -1)
    if (PLACEHOLDERS.some((one) => one === name)) return []
    const near = nearestName(name, PLACEHOLDERS)
    const advice =
      near === null ? `There are ${PLACEHOLDERS.map((one) => `{${one}}`).join(', ')}.` : `Did you mean {${near}}?`
    const message = `${part} is not replaced and is sent as it stands. ${advice}`
    return [warningIn(file, 'unknown-placeholder', message, positionOf(text, part))]
  })
  const forgotten = ['rubric', 'agent_response'].filter((name) => !template.includes(`{${name}}`))
  return [
    ...wrong,
    ...forgotten.map((name) =>
      warningIn(file, 'placeholder-missing', `there is no {${name}} in the prompt; it is added at the end`, TOP),
    ),
  ]
}

function positionOf(text: string, part: string): Position {
  const before = text.slice(0, text.indexOf(part)).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
