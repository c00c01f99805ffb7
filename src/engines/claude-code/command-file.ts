import { fileNameOf, withFrontMatter } from './front-matter.ts'
import type { Command, CommandVariable } from '../../suites/package.ts'
import type { Installation } from '../engine.ts'

/**
 * A command as `.claude/commands/<name>.md`. Claude Code gives a command one text, `$ARGUMENTS`, and knows no named
 * variables: their `{{name}}` stay in the body, and a list below it tells the model what they stand for.
 */
export function commandFile(command: Command): Installation['files'][number] {
  const hint = command.variables.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ')
  const fields = {
    description: command.description === '' ? null : command.description,
    'argument-hint': hint === '' ? null : hint,
  }
  const body = command.variables.length === 0 ? command.body : `${command.body.trimEnd()}\n\n${describe(command)}`
  return { to: `.claude/commands/${fileNameOf(command.name)}.md`, content: withFrontMatter(fields, body) }
}

function describe({ body, variables }: Command): string {
  const source = body.includes('$ARGUMENTS') ? 'the arguments above' : 'these arguments: $ARGUMENTS'
  const list = variables.map((variable) => `- \`{{${variable.name}}}\`${facts(variable)}`)
  return `Replace each \`{{name}}\` above by its value, taken from ${source}\n\n${list.join('\n')}\n`
}

function facts({ description, required, enum: values, default: fallback }: CommandVariable): string {
  const parts = [
    ...(description === null ? [] : [description]),
    ...(values === null ? [] : [`one of ${values.join(', ')}`]),
    fallback === null ? (required ? 'required' : 'empty when not given') : `${JSON.stringify(fallback)} when not given`,
  ]
  return `: ${parts.join('; ')}`
}
