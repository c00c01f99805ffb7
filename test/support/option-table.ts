import { variableOf, type Options } from '../../src/options/option.ts'

/** The table of docs/options.md, generated from the declarations of options. */
export function optionTable(options: Options): string {
  const rows = Object.entries(options).map(([name, { default: value, help, isConfigOnly, usual }]) => {
    const variable = isConfigOnly === true ? 'configuration only' : `\`${variableOf(name)}\``
    return `| \`${name}\` | ${variable} | ${usual ?? describeDefault(value)} | ${help.replaceAll('|', '\\|')} |`
  })
  return ['| option | environment | default | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function describeDefault(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : `\`${String(value)}\``
}
