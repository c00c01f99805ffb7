import { stringify } from 'smol-toml'
import { fileNameOf } from '../install/file-name.ts'
import type { SubAgent } from '../../packages/package.ts'
import type { Installation } from '../engine.ts'

/** An agent as `.codex/agents/<name>.toml`. */
export function agentFile({ name, description, prompt, tools, file }: SubAgent): {
  readonly file: Installation['files'][number]
  readonly warnings: readonly string[]
} {
  const content = stringify({ name, description, developer_instructions: prompt })
  return {
    file: { to: `.codex/agents/${fileNameOf(name)}.toml`, content },
    warnings: tools.length === 0 ? [] : [`${file}: Codex gives every agent all tools; \`tools\` has no effect.`],
  }
}
