import { parseDocument } from 'yaml'
import { AgentEvalsError } from '../errors.ts'

/**
 * A SKILL.md with another description; everything else stays as it is.
 *
 * @throws {AgentEvalsError} `invalid-options` when the text has no front matter that can be read.
 */
export function withDescription(text: string, description: string): string {
  const [whole, opening = '', yaml = ''] = FRONT_MATTER.exec(text) ?? []
  const document = parseDocument(yaml)
  if (whole === undefined || document.errors.length > 0)
    throw new AgentEvalsError(
      'invalid-options',
      'SKILL.md has no front matter that can be read. Fix it with npx vitest-agent-evals lint.',
    )
  document.set('description', description)
  return `${opening}${document.toString({ lineWidth: 0 })}${text.slice(opening.length + yaml.length)}`
}

const FRONT_MATTER = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?)^---[ \t]*$/m
