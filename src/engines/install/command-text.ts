import type { Command, CommandVariable } from '../../packages/package.ts'

/**
 * A command's body for an engine that gives a command one text, `$ARGUMENTS`, and knows no named variables: their
 * `{{name}}` stay in the body, and a list below it gives the model their meaning.
 */
export function commandText(command: Command): string {
  return command.variables.length === 0 ? command.body : `${command.body.trimEnd()}\n\n${describe(command)}`
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
