import { stripVTControlCharacters } from 'node:util'

/** Terminal output as a snapshot can hold it: no colours, paths by name, nothing that differs from run to run. */
export function readableOutput(output: string, folders: Readonly<Record<string, string>>): string {
  const lines = namePaths(stripVTControlCharacters(output).replaceAll('\r\n', '\n'), folders).split('\n')
  return lines
    .filter((line) => !/^ *(Start at|Duration) {2}/.test(line))
    .map((line) =>
      line
        .replace(/^( *(?:RUN|DEV) ) v\d+\.\d+\.\d+\S* /, '$1 ')
        .replace(/ +\d+ms$/, '')
        .trimEnd(),
    )
    .join('\n')
    .trim()
}

/** Replaces each folder by its `<name>`, the longest first, since one may lie in another. */
function namePaths(text: string, folders: Readonly<Record<string, string>>): string {
  return Object.entries(folders)
    .toSorted(([, a], [, b]) => b.length - a.length)
    .reduce((named, [name, folder]) => named.replaceAll(folder, `<${name}>`), text)
}
