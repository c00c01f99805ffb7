import { existsSync, statSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { isFile } from '../../lib/files.ts'
import { commandWords } from '../../lib/text.ts'

/**
 * The script that a command names and that is not there, or `null`. Interpreters exit 1, 2 or 127 for one, and 2
 * is also how a hook blocks: a test must not take an absent guard for a strict one.
 */
export function missingScript(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const plain = commandWords(command, env)
  for (const [index, word] of plain.entries()) {
    const script = isInterpreter(word) ? plain.slice(index + 1).find((next) => !next.startsWith('-')) : word
    if (script === undefined || !isScript(script) || (script === word && !startsCommand(plain, index))) continue
    if (!existsSync(resolve(cwd, script))) return script
  }
  return null
}

/** The script that a command starts without an interpreter, and that is not executable; `null` where there is none. */
export function unexecutableScript(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  // Windows knows no such permission.
  if (process.platform === 'win32') return null
  const words = commandWords(command, env)
  const started = words.filter((_, index) => startsCommand(words, index))
  return started.find((word) => isFile(resolve(cwd, word)) && !isExecutable(resolve(cwd, word))) ?? null
}

function isExecutable(file: string): boolean {
  return (statSync(file).mode & 0o111) !== 0
}

function isInterpreter(word: string): boolean {
  return /^(?:sh|bash|dash|zsh|ksh|node|bun|deno|python[\d.]*|ruby|perl|php|Rscript)$/.test(basename(word))
}

// `node -e CODE` and `python -m MODULE` name no file; a file has an extension of a language, and its folders may have blanks.
function isScript(word: string): boolean {
  return (
    /^\.(?:[cm]?[jt]s|bash|php|pl|py|r|rb|sh|zsh)$/i.test(extname(word)) &&
    !/[\t\r\n(){}*?]/.test(word) &&
    !basename(word).includes(' ')
  )
}

function startsCommand(words: readonly string[], index: number): boolean {
  const before = words[index - 1]
  const isPath = words[index]?.includes('/') === true
  return isPath && (before === undefined || /^[;&|\n]+$/.test(before) || /^\w+=/.test(before))
}
