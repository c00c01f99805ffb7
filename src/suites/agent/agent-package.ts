import { join } from 'node:path'
import { barePackage, type AgentPackage } from '../../packages/package.ts'
import { formatBriefing, readBriefing } from './vault.ts'
import type { TrackedFs } from '../../documents/tracked-fs.ts'
import type { AgentUnderTest } from '../golden.ts'

/** An agent's folder as a package: the agent itself, with what its vault says, and the vault's files. */
export async function loadAgentPackage(
  { name, dir }: Pick<AgentUnderTest, 'dir' | 'name'>,
  fs: TrackedFs,
): Promise<AgentPackage> {
  const briefing = await readBriefing(dir, fs)
  const prompt = formatBriefing(briefing)
  const promptFile = briefing.texts[0]?.file ?? join(dir, 'persona', 'IDENTITY.md')
  const parts = briefing.texts.map(({ file, text }) => ({ file, text }))
  return barePackage({
    root: dir,
    skills: [],
    agents: [
      { name, description: `The agent ${name}.`, file: promptFile, promptFile, prompt, skills: [], tools: [], parts },
    ],
    vault: true,
  })
}
