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
    const message = `The skill ${skill} is not offered to a model: its SKILL.md has \`disable-model-invocation\`. Remove that, or remove its queries.`
    return { code: 'skill-not-offered', message }
  }
  // What a person cannot call is not in the list, and offered all the same.
  if (hiddenFrom === 'user' || skillsListed.some((name) => plainName(name) === skill)) return null
  const own = skills.map(({ name }) => name).filter((name) => skillsListed.some((listed) => plainName(listed) === name))
  const others = own.length === 0 ? 'none of its siblings either' : own.join(', ')
  const message = `The session did not offer the skill ${skill}, so it could not be used. It offered ${others}. Check its SKILL.md: the folder name counts, and invalid front matter hides the skill.`
  return { code: 'skill-not-offered', message }
}
