import { fileNameOf } from '../file-name.ts'
import { toToml } from './toml.ts'
import type { SubAgent } from '../../packages/package.ts'
import type { Installation } from '../engine.ts'

/** An agent as `.codex/agents/<name>.toml`. */
export function agentFile({ name, description, prompt, tools, file }: SubAgent): {
  readonly file: Installation['files'][number]
  readonly warnings: readonly string[]
} {
  const fields = { name, description, developer_instructions: prompt }
  const lines = Object.entries(fields).map(([key, value]) => `${key} = ${toToml(value)}`)
  return {
    file: { to: `.codex/agents/${fileNameOf(name)}.toml`, content: `${lines.join('\n')}\n` },
    warnings: tools.length === 0 ? [] : [`${file}: Codex gives every agent all tools; \`tools\` has no effect.`],
  }
}
