import { z } from 'zod'
import { JUDGE_NAMES, readJudgeName } from '../judges/providers/registry.ts'
import { WIRE_NAMES } from '../gateway/wires/apis.ts'

/** Checks the name of a judge, `[provider:]model`. */
export const judgeSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .check(({ value, issues }) => {
    const name = readJudgeName(value)
    if ('problem' in name) issues.push({ code: 'custom', input: value, message: `it ${name.problem}` })
  })

const endpoint = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'is not an http or https address' }),
  key: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'is not the name of an environment variable. The key itself does not belong here')
    .optional(),
})

/** Checks the servers of judges. A name must not be that of another judge. */
export const judgeEndpoints = z.record(
  z.string().check(({ value, issues }) => {
    if (!/^[a-z][\w.-]*$/i.test(value))
      issues.push({ code: 'custom', input: value, message: 'is no name: use letters, digits, dots and dashes' })
    else if ([...JUDGE_NAMES, ...WIRE_NAMES].includes(value))
      issues.push({ code: 'custom', input: value, message: 'is the name of a built-in judge; choose another' })
  }),
  endpoint,
)
