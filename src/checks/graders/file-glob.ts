/**
 * Matches a path as `file_exists` does: `*` is anything in one folder, `**` anything, `?` one character. Brackets and
 * braces have no meaning, and no folder is left out.
 */
export function matchesGlob(glob: string, path: string): boolean {
  return toPattern(glob).test(path)
}

function toPattern(glob: string): RegExp {
  const source = glob.replaceAll(PART, (part) => PATTERNS[part] ?? `\\${part}`)
  return new RegExp(`^${source}$`, 's')
}

const PART = /\*\*\/|\*\*|[*?.+^${}()|[\]\\]/g
const PATTERNS: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '.' }
