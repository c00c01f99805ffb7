import { z } from 'zod'

// What a report says of runs and verdicts. `report.ts` has the rest.

export const text = z.string()
export const maybeText = text.nullable()
export const number = z.number()
export const flag = z.boolean()
export const count = z.int().min(0)
export const amount = number.min(0)
export const share = amount.max(1)
export const hash = text.regex(/^[0-9a-f]{64}$/)
export const line = z.int().min(1)

/** What every accepted report has. A reader takes anything else that is missing for unknown. */
export const must = z.nonoptional

export const interval = z.tuple([share, share]).nullable().describe("Wilson's, 95%.")
export const result = z.enum(['PASS', 'FAIL', 'ERROR'])
export const outcome = z.enum(['passed', 'failed', 'errored', 'skipped'])
const weak = maybeText.describe('Why it proves little, whatever its result; null when it is fine.')

export const usage = z
  .object({
    input_tokens: must(count),
    output_tokens: must(count),
    cache_read_tokens: must(count),
    cache_write_tokens: must(count),
  })
  .meta({ id: 'usage', description: 'Tokens as the API counted them.' })

export const tally = z
  .object({ passed: must(count), completed: must(count) })
  .meta({ id: 'tally', description: 'What passed, of the runs that say.' })

const file = z.object({ path: must(text), size: must(count), hash: hash.nullable() }).meta({ id: 'file' })

const ofTurn = count.exactOptional().describe('The turn that it is about, from 1; absent for the case as a whole.')

export const check = z
  .object({
    turn: ofTurn,
    kind: must(text),
    value: z.union([text, flag]),
    line,
    result: must(result),
    message: maybeText,
    weak,
  })
  .meta({ id: 'check' })

const evidence = z
  .array(z.object({ item: must(maybeText), quote: must(text) }))
  .describe(
    'Quoted by the judge, each with the id of its item: e an event, m a message, c a change on disk, f a file, r how the run ended.',
  )

const rests = z
  .enum(['absence', 'claim', 'evidence'])
  .nullable()
  .describe("claim: only the agent's word. absence: nothing was found in complete evidence. null: nothing counts.")

const dimension = z
  .object({
    name: must(text),
    score: number.nullable().describe('From 1 to 5; null where it does not apply.'),
    reason: text,
    evidence,
    rests,
  })
  .meta({ id: 'dimension', description: 'What the judge made of one dimension of a rubric.' })

export const dimensions = z.array(dimension).exactOptional().describe('Given where a rubric was used.')

export const expectation = z
  .object({
    text: must(text),
    turn: ofTurn,
    result: must(result),
    evidence,
    rests,
    evidence_found_in: maybeText.describe('output, transcript or the path of a file: where the first quote was found.'),
    reason: maybeText,
    agreement: z.object({ agree: count, of: count }).describe('How many of the votes say so.'),
    without_skill: tally
      .exactOptional()
      .describe('In how many runs without the skill it holds, of those that say; absent where none was run.'),
    weak,
  })
  .meta({ id: 'expectation' })

export const judgeVerdict = z
  .object({
    result: must(result),
    reason: text,
    model: maybeText,
    model_provider: maybeText,
    self_judged: flag.describe('The judge is the model of the agent.'),
    votes: count.describe('How often the judge was asked for verdicts.'),
    usage: usage.nullable(),
    cost_usd: amount.nullable().describe('0 for a replay, null when unknown.'),
  })
  .meta({ id: 'judge_verdict' })

export const grader = z
  .object({
    name: must(text),
    type: must(text),
    line,
    weight: number,
    scored: flag.describe('An indicator is not scored.'),
    result: must(result),
    explanation: text,
    votes: z.array(flag.nullable()).nullable().describe("The judge's votes; null where no judge is asked."),
    ours: z
      .object({ reason: text, quote: maybeText, quote_found: flag })
      .nullable()
      .describe('Reason and quote, which this project asks a judge for; null where no judge is asked.'),
  })
  .meta({ id: 'grader', description: 'How one grader came out in the run that is shown.' })

export const graded = z
  .object({ score: share.nullable(), threshold: number, graders: z.array(grader) })
  .meta({ id: 'graded', description: 'What the graders of a claude plugin eval case found; other cases have none.' })

const hook = z.object({
  event: must(text),
  tool: maybeText,
  decision: z.enum(['allowed', 'blocked-exit-2', 'denied-json', 'failed', 'invalid', 'timed-out', 'missing']),
  exit_code: number.nullable(),
  reason: text,
  told: z
    .array(
      z.object({
        what: z.enum(['context', 'input', 'message', 'output', 'reason']),
        text: must(text),
        reached_model: flag,
      }),
    )
    .describe('What the hook told somebody, up to 500 characters each, and whether the gateway saw the model get it.'),
})

export const runVerdict = z
  .object({
    outcome: must(outcome),
    error: maybeText.describe('Why it did not pass.'),
    checks: z.array(check),
    judge_verdict: judgeVerdict.nullable(),
    expectations: z.array(expectation).nullable(),
    dimensions,
    graded: graded.exactOptional(),
  })
  .meta({ id: 'run_verdict', description: 'How one of several runs of a case came out.' })

export const turn = z
  .object({
    turn: count,
    prompt: text.describe('Its first 2,000 characters.'),
    outcome: must(outcome),
    error: maybeText.describe('Why it did not pass.'),
    error_code: maybeText,
    duration_seconds: amount,
    requests: count,
    usage: usage.nullable(),
    cost_usd: amount.nullable(),
    files: z.object({ created: z.array(file), modified: z.array(file), deleted: z.array(text) }),
    tool_calls: z.record(text, count),
    skills_used: z.array(text),
    last_message: text.describe('Its first 2,000 characters.'),
  })
  .meta({ id: 'turn', description: 'One of several messages of the user, and what came of it.' })

export const run = z
  .object({
    index: count,
    status: z.enum(['completed', 'timed-out', 'cancelled', 'api-error', 'limit-reached', 'crashed']),
    problem: maybeText,
    exit_code: number.nullable(),
    duration_seconds: amount,
    requests: count,
    usage: usage.nullable(),
    cost_usd: amount.nullable(),
    files: z.object({
      created: z.array(file),
      modified: z.array(file),
      deleted: z.array(text),
      unreadable: z.array(z.object({ path: must(text), reason: must(text) })),
    }),
    hooks: z.array(hook),
    tool_calls: z.record(text, count).describe('Tools and how often each was called.'),
    skills_used: z.array(text),
    decided_by: z
      .enum(['full', 'probe', 'probe+full'])
      .nullable()
      .describe(
        'What decided a run of a trigger query: its first model turn, that turn and the session that went on with it, or a session of its own. null for every other run.',
      ),
    decided_because: maybeText.describe('Why the first model turn alone did not decide the run; null where it did.'),
    turns: z.array(turn).exactOptional().describe('What came of each message of the user; absent where there is one.'),
    folder: maybeText.describe('Folder of the run below the Vitest root; null when nothing was kept.'),
    verdict: runVerdict.nullable().describe('How this run came out; null where it is the only one.'),
  })
  .meta({ id: 'run' })
