/**
 * The command that a shell was given: the CLI tells the whole call, `/bin/bash -c '...'`, quoted as a shell takes it.
 */
export function innerCommand(call: string): string {
  const words = splitWords(call)
  const flag = words[1] ?? ''
  return words.length === 3 && /^-l?c$/.test(flag) ? (words[2] ?? call) : call
}

function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[^\s'"\\])+/g) ?? []
  return words.map((word) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\[^]|[^"\\])*)"|\\([^])/g,
      (_, single?: string, double?: string, escaped?: string) =>
        single ?? double?.replaceAll(/\\(["$\\`])/g, '$1') ?? escaped ?? '',
    ),
  )
}
