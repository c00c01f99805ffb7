import { commandText } from '../install/command-text.ts'
import { fileNameOf } from '../install/file-name.ts'
import { withFrontMatter } from '../install/front-matter.ts'
import type { Command } from '../../packages/package.ts'
import type { Installation } from '../engine.ts'

/** A command as `.claude/commands/<name>.md`. */
export function commandFile(command: Command): Installation['files'][number] {
  const hint = command.variables.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ')
  const fields = {
    description: command.description === '' ? null : command.description,
    'argument-hint': hint === '' ? null : hint,
  }
  const to = `.claude/commands/${fileNameOf(command.name)}.md`
  return { to, content: withFrontMatter(fields, commandText(command)) }
}
