import { z } from 'zod'
import { readFrontMatter } from '../../documents/front-matter.ts'
import { validate } from '../../documents/validate.ts'
import { agentOfFile, checkAgentName } from './agent-name.ts'
import { errorIn, TOP } from './issue-in.ts'
import type { JudgeSettings } from '../golden.ts'
import type { Issue } from '../../documents/issue.ts'

/** The settings of a judge, or what is wrong with them. */
export interface ReadJudgeSettings {
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
  if (template === '') return { judge: null, issues: [errorIn(file, TOP, 'empty-file', 'there is no prompt in it')] }
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
