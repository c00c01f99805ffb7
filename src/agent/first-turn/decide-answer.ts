import { plainName } from '../../transcript/plain-name.ts'
import type { FirstAnswer, FirstDecision, FirstTurnRules } from '../../engines/first-turn.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { FirstTurnPlan } from './first-turn-plan.ts'
import { readTextFile } from '../../files.ts'

/**
 * What a first answer decides about a query: nothing where the rest of the session could still change it, such as after the
 * call of another skill, or where a hook runs.
 */
export function decideAnswer(
  rules: FirstTurnRules,
  answer: FirstAnswer,
  offered: readonly string[],
  { skills, hookGroups }: Pick<AgentPackage, 'hookGroups' | 'skills'>,
  { isSubject }: Pick<FirstTurnPlan, 'isSubject'>,
): FirstDecision {
  const decision = rules.decide(answer, offered)
  if (decision.kind === 'undecided') return decision
  const changes = decision.kind === 'called' ? 'call' : 'end'
  const hook = hookGroups.find(({ event }) => rules.hookChanges(event) === changes)
  if (hook !== undefined) return undecided(`the package has a hook of ${hook.event}`)
  if (decision.kind === 'ended') return decision
  const { skill } = decision
  if (!isSubject(skill)) return undecided(`the model first called another skill, ${skill}`)
  const found = skills.find(({ name }) => name === plainName(skill))
  if (found === undefined) return undecided(`the skill ${skill} is not part of the package`)
  if (found.hiddenFrom === 'model') return undecided(`the model may not call the skill ${skill}`)
  const why = rules.mayFail(readTextFile(found.file))
  return why === null ? decision : undecided(`the call of the skill ${skill} may do more than load it: ${why}`)
}

function undecided(because: string): FirstDecision {
  return { kind: 'undecided', because }
}
