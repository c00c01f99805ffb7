import { z } from 'zod'
import { AgentEvalsError } from '../../errors.ts'
import { describeProblem, describeWritten } from '../../documents/option-problem.ts'
import { formatZodIssue } from '../../documents/validate.ts'
import { checkRelativePath } from '../../documents/relative-path.ts'
import { SANDBOX_CHOICES, type SandboxChoice } from '../../sandbox/sandbox.ts'

/**
 * How the runs of a test are made. Each is a fixture of `test` too, so that a block of tests has its own:
 * `test.override({ engine: 'codex', timeout: 300 })`. The environment and the flags of the command win over all but
 * `timeout`.
 */
export interface RunChoices {
  /** Agent runtime, such as `claude-code`. Default: that of eval-config.json, else the plugin's option. */
  readonly engine: string | null
  /** Name of the skill that is evaluated: the case's target in the report. */
  readonly skill: string | null
  /** Model of the agent. Default: the recording's, else the plugin's option, else the engine's own. */
  readonly model: string | null
  /** How many runs `agent.runs()` makes. Default: the plugin's option, else 1. */
  readonly runs: number | null
  /** Seconds a run may take once it has started. Default: that of eval-config.json, else the plugin's option, else 120. */
  readonly timeout: number | null
  /** What confines the agent. Default: the plugin's option. */
  readonly sandbox: SandboxChoice | null
}

/** What a run needs besides its prompt. */
export interface AgentRunOptions extends Partial<{
  readonly [Name in keyof RunChoices]: NonNullable<RunChoices[Name]>
}> {
  /** Fixtures, relative to the test file; they lie at the same path in the workspace. */
  readonly files?: readonly string[]
  /** Files that exist in the workspace before the run, by path: their content. */
  readonly workspaceFiles?: Readonly<Record<string, string>>
  /** Runs the session as this agent of the package. */
  readonly agent?: string
  /**
   * Take a run that did not complete as it is, such as one that timed out. Without it the test is errored.
   * @default false
   */
  readonly acceptIncomplete?: boolean
}

/** What a run of `agent.trigger` needs besides its prompt. */
export type TriggerOptions = Omit<AgentRunOptions, 'acceptIncomplete'>

/** What a run that goes on with another may say anew; the rest is as it was. */
export type ContinueOptions = Pick<AgentRunOptions, 'acceptIncomplete' | 'model' | 'timeout'>

/** Options of a run over those of its block. */
export interface ChosenRun extends RunChoices, Pick<AgentRunOptions, 'files' | 'workspaceFiles'> {
  readonly agent: string | null
  readonly acceptIncomplete: boolean
}

/**
 * Puts the options of a run over those of its block.
 *
 * @throws {AgentEvalsError} `invalid-options`, naming the option.
 */
export function chooseRun(prompt: string, options: AgentRunOptions, block: ChosenRun | RunChoices): ChosenRun {
  if (typeof prompt !== 'string' || prompt.trim() === '')
    throw new AgentEvalsError('invalid-options', 'agent.run() needs a prompt.')
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const chosen = { agent: null, acceptIncomplete: false, ...block, ...given }
  const { data, error } = schema.safeParse(chosen, { error: formatZodIssue })
  if (data !== undefined) return data
  const problem = describeProblem(error, chosen, Object.keys(schema.shape))
  throw new AgentEvalsError(
    'invalid-options',
    `The option \`${problem.path}\` of agent.run() ${describeWritten(problem)}`,
  )
}

const name = z.string().min(1).nullable()
const path = z.string().check(({ value, issues }) => {
  const problem = checkRelativePath(value)
  if (problem !== null) issues.push({ code: 'custom', input: value, message: `the path ${problem}` })
})

const schema = z.strictObject({
  engine: name,
  skill: name,
  model: name,
  runs: z.int().min(1).max(1000).nullable(),
  timeout: z.number().positive().nullable(),
  sandbox: z.enum(SANDBOX_CHOICES).nullable(),
  agent: name,
  files: z.array(path).readonly().exactOptional(),
  workspaceFiles: z.record(path, z.string()).readonly().exactOptional(),
  acceptIncomplete: z.boolean(),
}) satisfies z.ZodType<ChosenRun>
