import { startAndLeave } from '../process/launch.ts'

/** Why a page is not opened; `null` when it is. */
export function whyNotOpened(
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean | undefined,
): string | null {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== ''
  if (isSet('CI')) return 'CI is set'
  if (isTerminal !== true) return 'there is no terminal'
  return ['SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY'].some(isSet) ? 'this is an SSH session' : null
}

/** Opens a file with what the system opens pages with. Where there is nothing, nothing happens: its path is printed. */
export function openInBrowser(file: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  startAndLeave(command, [...args, file])
}

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // The path is an argument of its own, so that no shell reads it.
  win32: ['explorer.exe'],
}
