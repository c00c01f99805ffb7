// Runs inside the sandbox as part of the shim: it may import from Node only.
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'

/** A command of a hook, as it was started. */
export interface StartedScript {
  readonly command: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Whether the command failed because the script that it names is not there, whatever its interpreter's exit code. */
export function lacksScript({ command, cwd, env }: StartedScript, stderr: string): boolean {
  const words = wordsOf(command, env)
  return words.some((word, index) => {
    if (!INTERPRETERS.has(basename(word))) return false
    const script = words.slice(index + 1).find((argument) => !argument.startsWith('-'))
    return script !== undefined && stderr.includes(basename(script)) && !existsSync(resolve(cwd, script))
  })
}

/**
 * Whether the shell could not read the hook's own script, such as one with the line ends of Windows: it exits 2 then, the
 * code of a block. What a shell says of another script is the hook's business.
 */
export function isUnreadableToShell({ command, env }: StartedScript, stderr: string): boolean {
  const names = new Set([...SHELLS, ...wordsOf(command, env).map((word) => basename(word))])
  return [...stderr.matchAll(COMPLAINT)].some(([, script = '']) => names.has(basename(script)))
}

function wordsOf(command: string, env: NodeJS.ProcessEnv): readonly string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s;&|])+|[;&|\n]+/g) ?? []
  return words.map((word) =>
    word.replaceAll(/['"]/g, '').replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => env[name] ?? ''),
  )
}

const COMPLAINT =
  /^(.+?): (?:line )?\d+: (?:syntax error\b|exit: (?:illegal number: |[^\n]*: numeric argument required))/gim
const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'ksh']
const INTERPRETERS = new Set([...SHELLS, 'node', 'python', 'python3', 'ruby', 'perl'])
