import { plainName } from '../../transcript/plain-name.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { ReplayProblem } from '../../replay/decide-replay.ts'
import type { AgentOutcome } from '../../agent/agent-request.ts'

/**
 * Why a skill that was not used could not have been: a rate of 0 would say nothing of its description. `null` where it
 * was used, was offered, or the session does not say what it offers.
 */
export function whyNotOffered(
  { run, skillsListed }: Pick<AgentOutcome, 'run' | 'skillsListed'>,
  skill: string | null,
  { skills }: Pick<AgentPackage, 'skills'>,
): ReplayProblem | null {
  if (skill === null || skillsListed === null || run.status !== 'completed') return null
  const isUsed = run.transcript.some((event) => event.kind === 'skill-used' && plainName(event.skill) === skill)
  if (isUsed) return null
  const hiddenFrom = skills.find(({ name }) => name === skill)?.hiddenFrom ?? null
  if (hiddenFrom === 'model') {
    const message = `The skill ${skill} is not offered to a model: its SKILL.md says \`disable-model-invocation\`. Take that out, or its queries.`
    return { code: 'skill-not-offered', message }
  }
  // What a person cannot call is not in the list, and offered all the same.
  if (hiddenFrom === 'user' || skillsListed.some((name) => plainName(name) === skill)) return null
  const own = skills.map(({ name }) => name).filter((name) => skillsListed.some((listed) => plainName(listed) === name))
  const others = own.length === 0 ? 'none of those beside it either' : own.join(', ')
  const message = `The session did not offer the skill ${skill}, so that it was not used says nothing. It offered ${others}. Look at its SKILL.md: the name of its folder counts, and front matter that cannot be read hides it.`
  return { code: 'skill-not-offered', message }
}
