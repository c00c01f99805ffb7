/** A place in the results of tools where an engine writes what differs in every run: a duration, a count, an id, a date. */
export interface OwnValue {
  /** Names of the tools whose results hold it; `null` for those of every tool. */
  readonly tools: readonly string[] | null
  /** Matches a part of a line. Each of its groups is such a value. */
  readonly pattern: RegExp
}

/** Writes a line of a tool's result as every run on every machine would. */
export type ResultForm = (line: string, tool: string | null) => string

/**
 * Replaces an engine's own values by `#`, and names the paths outside the sandbox's own folders. It leaves a line that it
 * has changed already as it is, so that recordings of any age can be compared.
 */
export function createResultForm(ownValues: readonly OwnValue[], topFolders: ReadonlySet<string>): ResultForm {
  return (line, tool) => {
    const values = ownValues.filter(({ tools }) => tools === null || (tool !== null && tools.includes(tool)))
    const plain = values.reduce((text, { pattern }) => hideValues(text, pattern), line)
    return nameOutsidePaths(plain, topFolders)
  }
}

// In bubblewrap the folder above the workspace is the root, which cannot be replaced as text. So what is beside the
// sandbox's own folders is taken to lie beside the workspace.
function nameOutsidePaths(line: string, topFolders: ReadonlySet<string>): string {
  if (line === '/') return PARENT
  return line.replaceAll(ABSOLUTE_PATH, (path, first: string) => (topFolders.has(first) ? path : `${PARENT}${path}`))
}

const PARENT = '⟨parent⟩'
// Neither a path that begins earlier, nor the end of a tag or the host of an address.
const ABSOLUTE_PATH = /(?:(?<=file:\/\/)|(?<![\w.~⟩}\])*<$/-]))\/([\w@+][\w@+.-]*)/g

function hideValues(line: string, pattern: RegExp): string {
  let hidden = ''
  let at = 0
  for (const { indices } of line.matchAll(new RegExp(pattern, 'dg')))
    for (const group of indices?.slice(1) ?? []) {
      // A group that took no part in the match has no place.
      if (group === undefined || group[0] < at) continue
      hidden += `${line.slice(at, group[0])}#`
      at = group[1]
    }
  return hidden + line.slice(at)
}
