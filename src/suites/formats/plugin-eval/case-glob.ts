/** Matches the name of a case as `--case` of Claude Code does: `*` is any text, `?` one character, all else is literal. */
export function matchesCaseName(glob: string, name: string): boolean {
  const source = glob.replaceAll(/[$()*+.?[\\\]^{|}]/g, (character) => PATTERNS[character] ?? `\\${character}`)
  return new RegExp(`^${source}$`, 's').test(name)
}

const PATTERNS: Readonly<Record<string, string>> = { '*': '.*', '?': '.' }
