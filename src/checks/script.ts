import { isJsonObject, tryParseJson } from '../lib/json.ts'
import { oneLine } from '../lib/text.ts'
import type { CheckKind, Finding, ScriptEnd, ScriptFields } from './check.ts'
import { oneOrMany, pathSchema } from './schemas.ts'

/** Whether a script of the suite accepts the final workspace and the transcript. */
export const script: CheckKind<ScriptFields> = {
  schema: (zod) => {
    const one = zod
      .strictObject({
        run: zod.string().min(1).max(10_000).describe('The command. It starts in the folder of its files.'),
        files: zod
          .array(pathSchema(zod))
          .min(1)
          .describe('Files of the suite that it needs. None comes from the workspace.'),
        timeout: zod.number().positive().max(600).optional().describe('Seconds that it may take. Default: 60.'),
      })
      .transform(({ run, files, timeout = 60 }): ScriptFields => ({ value: run, files, timeout, folder: '' }))
    return oneOrMany(zod, one).describe('Commands that decide by exit code: 0 passed, 1 failed, anything else errored.')
  },
  place: (fields, folder) => ({ ...fields, folder }),
  run: ({ value }) => ({
    outcome: 'errored',
    message: `the script ${label(value)} did not run: there is no workspace any more`,
  }),
  async observe(fields, seen) {
    const end = await seen.runScript?.(fields)
    return end === undefined ? this.run(fields, seen) : readEnd(fields.value, end)
  },
  describe: ({ value }) => `The script ${label(value)} accepts the result.`,
  label: ({ value }) => label(value),
  needsOutput: true,
}

function readEnd(run: string, { exitCode, stdout, stderr, problem }: ScriptEnd): Finding {
  const name = `the script ${label(run)}`
  const said = stderr.trim().slice(-MOST_SHOWN)
  const more = said === '' ? '' : `: ${said}`
  if (problem !== null) return { outcome: 'errored', message: `${name} ${problem}${more}` }
  if (exitCode !== 0 && exitCode !== 1)
    return { outcome: 'errored', message: `${name} ended with exit code ${String(exitCode)}${more}` }
  const verdict = lastVerdict(stdout)
  if (exitCode === 1 && verdict?.pass === true)
    return { outcome: 'errored', message: `${name} says "pass": true and ended with exit code 1` }
  if (exitCode === 0 && verdict?.pass !== false) return { outcome: 'passed' }
  const score = verdict?.score === undefined ? '' : ` (score ${verdict.score})`
  const reason = verdict?.reason ?? (said || stdout.trim().slice(-MOST_SHOWN))
  return { outcome: 'failed', message: `${name} refused the result${score}${reason === '' ? '' : `: ${reason}`}` }
}

interface Verdict {
  readonly pass: boolean
  readonly score?: number
  readonly reason?: string
}

// Anything else that is printed is for people.
function lastVerdict(stdout: string): Verdict | null {
  const lines = stdout.split('\n').map((line) => line.trim())
  for (const line of lines.toReversed()) {
    const value = line.startsWith('{') ? tryParseJson(line) : undefined
    if (!isJsonObject(value) || typeof value['pass'] !== 'boolean') continue
    const { pass, score, reason } = value
    return {
      pass,
      ...(typeof score === 'number' ? { score } : {}),
      ...(typeof reason === 'string' ? { reason: oneLine(reason, MOST_SHOWN) } : {}),
    }
  }
  return null
}

function label(run: string): string {
  return JSON.stringify(oneLine(run, 80))
}

const MOST_SHOWN = 500
