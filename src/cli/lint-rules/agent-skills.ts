import { warningAt } from '../../documents/document.ts'
import { readDocument } from '../../documents/read-document.ts'
import { readText } from '../../documents/read-text.ts'
import { suggestName } from '../../documents/nearest-name.ts'
import type { Issue } from '../../documents/issue.ts'
import type { AgentPackage, SubAgent } from '../../packages/package.ts'

/** Remarks on skills that an agent.yaml names and the package does not have. */
export async function findUnknownSkills({ agents, skills }: AgentPackage): Promise<readonly Issue[]> {
  const known = skills.map(({ name }) => name)
  const found = await Promise.all(agents.map((agent) => lookAtAgent(agent, known)))
  return found.flat()
}

async function lookAtAgent({ file, skills }: SubAgent, known: readonly string[]): Promise<readonly Issue[]> {
  // `package:skill` is another package's. An agent of one Markdown file is read by the engine itself.
  const isUnknown = (name: string): boolean => !name.includes(':') && !known.includes(name)
  if (!file.endsWith('.yaml') || !skills.some(isUnknown)) return []
  const { text } = await readText(file)
  if (text === null) return []
  const document = readDocument(text, { kind: 'yaml', file, what: 'agent' })
  return skills.flatMap((name, index) =>
    isUnknown(name)
      ? [
          warningAt(
            document,
            ['skills', index],
            'unknown-skill',
            `the package has no skill "${name}".${suggestName(name, known)}`,
          ),
        ]
      : [],
  )
}
