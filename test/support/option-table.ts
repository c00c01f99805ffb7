import { OPTION_GROUPS, variableOf, type Option, type Options } from '../../src/options/option.ts'

/** The tables of docs/options.md, one for each group of the help of `run`, generated from the declarations of options. */
export function optionTables(options: Options): string {
  const all = Object.entries(options)
  const groups = Object.entries(OPTION_GROUPS).map(([group, heading]) => [
    `### ${heading}`,
    tableOf(all.filter(([, option]) => option.isConfigOnly !== true && option.group === group)),
  ])
  const configOnly = all.filter(([, { isConfigOnly }]) => isConfigOnly === true)
  return [...groups.flat(), '### In the configuration only', tableOf(configOnly, false)].join('\n\n')
}

function tableOf(options: readonly (readonly [name: string, option: Option])[], hasVariable = true): string {
  const rows = options.map(([name, { default: value, help, usual }]) => [
    `\`${name}\``,
    ...(hasVariable ? [`\`${variableOf(name)}\``] : []),
    usual ?? describeDefault(value),
    help.replaceAll('|', '\\|'),
  ])
  const head = ['option', ...(hasVariable ? ['environment'] : []), 'default', 'meaning']
  const line = `|${'---|'.repeat(head.length)}`
  const [first, ...others] = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [first, line, ...others].join('\n')
}

function describeDefault(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : `\`${String(value)}\``
}
