import { dirname, join, resolve } from 'node:path'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { INSTRUCTIONS_FILE, PROJECT_FOLDER, PROJECT_INSTRUCTIONS, pathBelow } from './package-root.ts'
import { filesBelow } from './read-files.ts'

/**
 * Paths below a project of the files that its instructions import by `@path`, as Claude Code follows them: from CLAUDE.md,
 * AGENTS.md and rules, from file to file, and never out of the project, for which it would ask its user.
 */
export async function findImports(root: string, fs: TrackedFs): Promise<readonly string[]> {
  const found = new Set<string>()
  const visit = async (file: string, level: number): Promise<void> => {
    if (level > MOST_LEVELS || fs.look(file)?.isFile() !== true) return
    const { text } = await fs.readText(file)
    if (text === null) return
    for (const word of importsIn(text)) {
      const imported = resolve(dirname(file), word)
      const path = pathBelow(root, imported)
      if (path === null || found.has(path) || fs.look(imported)?.isFile() !== true) continue
      found.add(path)
      await visit(imported, level + 1)
    }
  }
  const folder = join(root, PROJECT_FOLDER)
  const rules = await filesBelow(join(folder, 'rules'), fs)
  const sources = [
    join(root, PROJECT_INSTRUCTIONS),
    join(folder, PROJECT_INSTRUCTIONS),
    join(root, INSTRUCTIONS_FILE),
    ...rules.filter(({ name }) => name.endsWith('.md')).map(({ file }) => file),
  ]
  for (const source of sources) await visit(source, 1)
  return [...found]
}

/** Files that Claude Code 2.1.150 to 2.1.330 follows from each other. */
const MOST_LEVELS = 4

/** The paths that a text imports. Code and comments import nothing. */
export function importsIn(text: string): readonly string[] {
  const prose = withoutFences(text)
    .replaceAll(/(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n)[^])*?(?<!`)\1(?!`)/g, '')
    .replaceAll(/<!--[^]*?-->/g, '')
  return Array.from(prose.matchAll(IMPORT), ([, path = '']) => path.replaceAll('\\ ', ' '))
}

function withoutFences(text: string): string {
  let fence: string | null = null
  const lines = text.split('\n').filter((line) => {
    const [, mark = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (fence === null && mark !== '') fence = mark
    else if (fence === null) return true
    else if (mark.startsWith(fence) && rest.trim() === '') fence = null
    return false
  })
  return lines.join('\n')
}

// Markdown around a path, such as bold, ends it. An absolute path, and one in the home, is out of the project.
const IMPORT = /(?<=^|\s|\*)@((?:\.{1,2}\/)?[\w.-](?:\\ |[^\s\\#*])*)/gm
