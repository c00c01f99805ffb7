import { fileNameOf } from '../install/file-name.ts'
import { withFrontMatter } from '../install/front-matter.ts'
import { nativeTools } from './tool-names.ts'
import type { SubAgent } from '../../packages/package.ts'
import type { Installation } from '../engine.ts'

/** An agent as the one file `.claude/agents/<name>.md`, from its agent.yaml and its prompt. */
export function agentFile(agent: SubAgent): {
  readonly file: Installation['files'][number]
  readonly warnings: readonly string[]
} {
  const unknown = agent.tools.filter((tool) => nativeTools(tool).length === 0)
  const tools = new Set(agent.tools.flatMap(nativeTools))
  // An agent that lists its tools could not use its skills otherwise.
  if (agent.skills.length > 0 && tools.size > 0) tools.add('Skill')
  const fields = {
    name: agent.name,
    description: agent.description,
    tools: tools.size === 0 ? null : [...tools].join(', '),
  }
  const inherits =
    unknown.length > 0 && tools.size === 0 ? ' No known tool is left, so the agent inherits all tools.' : ''
  return {
    file: { to: `.claude/agents/${fileNameOf(agent.name)}.md`, content: withFrontMatter(fields, agent.prompt) },
    warnings: unknown.map((tool) => `${agent.file}: Claude Code has no tool "${tool}"; it is omitted.${inherits}`),
  }
}
