import { fileNameOf } from '../install/file-name.ts'
import { withFrontMatter } from '../install/front-matter.ts'
import { toolAlias } from './tool-names.ts'
import type { SubAgent } from '../../packages/package.ts'
import type { Installation } from '../engine.ts'

/** An agent as `.github/agents/<name>.agent.md`, from its agent.yaml and its prompt. */
export function agentFile(agent: SubAgent): {
  readonly file: Installation['files'][number]
  readonly warnings: readonly string[]
} {
  const unknown = agent.tools.filter((tool) => toolAlias(tool) === null)
  const tools = new Set(agent.tools.flatMap((tool) => toolAlias(tool) ?? []))
  // An agent that lists its tools could not use its skills otherwise.
  if (agent.skills.length > 0 && tools.size > 0) tools.add('skill')
  const fields = {
    name: agent.name,
    description: agent.description,
    tools: tools.size === 0 ? null : [...tools],
  }
  const inherits =
    unknown.length > 0 && tools.size === 0 ? ' No known tool is left, so the agent inherits all tools.' : ''
  return {
    file: { to: `.github/agents/${fileNameOf(agent.name)}.agent.md`, content: withFrontMatter(fields, agent.prompt) },
    warnings: unknown.map((tool) => `${agent.file}: Copilot has no tool "${tool}"; it is omitted.${inherits}`),
  }
}
