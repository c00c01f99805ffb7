import { z } from 'zod'
import { pathSchema } from '../../checks/schemas.ts'
import { describeProblem, describeWritten } from '../../lib/documents/known-fields.ts'
import { formatZodIssue } from '../../lib/documents/validate.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import type { RunSettings } from '../../options/settings.ts'
import { settleSandbox } from '../../sandbox/decide.ts'
import { SANDBOX_CHOICES, type SandboxChoice } from '../../sandbox/sandbox.ts'

/**
 * Options of the runs of a test. Each is also a fixture of `test`, so a block of tests can override it:
 * `test.override({ engine: 'codex', timeout: 300 })`. The environment and the flags of the command override all of
 * them except `timeout`.
 */
export interface RunChoices {
  /** Agent runtime, such as `claude-code`. Default: the one in eval-config.json, else the plugin's option. */
  readonly engine: string | null
  /** Name of the skill under test, which is the target in the report. Default: none. */
  readonly skill: string | null
  /** Model of the agent. Default: the recording's, else the plugin's option, else the engine's own. */
  readonly model: string | null
  /** Number of runs of `agent.runs()` and `agent.trigger()`. Default: the plugin's option, else 1 and 3. */
  readonly runs: number | null
  /** Timeout of a run in seconds, from its start. Default: the one in eval-config.json, else the plugin's option, else 120. */
  readonly timeout: number | null
  /** Sandbox of the agent. Default: the plugin's option. */
  readonly sandbox: SandboxChoice | null
}

/** Options of a run. */
export interface AgentRunOptions extends Partial<{
  readonly [Name in keyof RunChoices]: NonNullable<RunChoices[Name]>
}> {
  /** Fixtures, relative to the test file. They are copied to the same path in the workspace. Default: none. */
  readonly files?: readonly string[]
  /** Contents of files that exist in the workspace before the run, by path. Default: none. */
  readonly workspaceFiles?: Readonly<Record<string, string>>
  /** Agent of the package as which the session runs. Default: the engine's main agent. */
  readonly agent?: string
  /**
   * Accept a run that did not complete, such as one that timed out. Otherwise the test is errored.
   * @default false
   */
  readonly acceptIncomplete?: boolean
}

/** Options of `agent.trigger`; `skill` is required. */
export type TriggerOptions = Omit<AgentRunOptions, 'acceptIncomplete'>

/** Options of `agent.continue`; all others are those of the run that it continues. */
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
  const defined = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const chosen = { agent: null, acceptIncomplete: false, ...block, ...defined }
  const { data, error } = schema.safeParse(chosen, { error: formatZodIssue })
  if (data !== undefined) return data
  const problem = describeProblem(error, chosen, schema)
  throw new AgentEvalsError(
    'invalid-options',
    `The option \`${problem.path}\` of agent.run() ${describeWritten(problem)}`,
  )
}

const name = z.string().min(1).nullable()
const path = pathSchema(z)

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

/** The settings of a run with its own choices: nearer than the plugin's options, but not than the environment. */
export async function applyChoices(
  settings: RunSettings,
  { model, sandbox }: Pick<RunChoices, 'model' | 'sandbox'>,
): Promise<RunSettings> {
  const { fromEnvironment } = settings
  return {
    ...settings,
    model: model === null || fromEnvironment.includes('model') ? settings.model : model,
    sandbox:
      sandbox === null || fromEnvironment.includes('sandbox')
        ? settings.sandbox
        : await settleSandbox(sandbox, { environment: process.env, root: settings.root }),
  }
}
