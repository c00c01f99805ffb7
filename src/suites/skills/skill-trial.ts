import { readFileSync } from 'node:fs'
import { AgentEvalsError } from '../../errors.ts'

/** A skill that trigger queries are asked beside, wherever it is in the repository. Plain JSON. */
export interface TrialSkill {
  /** The name that it is installed under. */
  readonly name: string
  /** Absolute path of its folder, or of a copy with another description. */
  readonly dir: string
}

/**
 * What `agent-evals triggers` changes of a run: every query sees these skills instead of the siblings of its own. Such a
 * run plays scenarios or asks the model, and neither plays nor writes recordings: those are of the skills as they are.
 */
export interface SkillTrial {
  readonly skills: readonly TrialSkill[]
}

/** Environment variable with the path of the trial's file: our own command sets it for the run that it starts. */
export const TRIAL_VARIABLE = 'AGENT_EVALS_SKILL_TRIAL'

/**
 * Reads the trial of this process; `null` where none was asked for.
 *
 * @throws {AgentEvalsError} `invalid-options` when the file cannot be read.
 */
export function readSkillTrial(environment: Readonly<Record<string, string | undefined>>): SkillTrial | null {
  const file = environment[TRIAL_VARIABLE]
  if (file === undefined || file === '') return null
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SkillTrial
  } catch (cause) {
    const message = `${TRIAL_VARIABLE} names ${file}, which cannot be read. Unset it; npx vitest-agent-evals triggers sets it for its own runs.`
    throw new AgentEvalsError('invalid-options', message, { cause })
  }
}
