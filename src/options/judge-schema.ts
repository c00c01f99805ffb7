import { z } from 'zod'
import { readJudgeName } from '../suites/judge-name.ts'

/** Checks the name of a judge, `[provider:]model`. */
export const judgeSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .check(({ value, issues }) => {
    const name = readJudgeName(value)
    if ('problem' in name) issues.push({ code: 'custom', input: value, message: `it ${name.problem}` })
  })
