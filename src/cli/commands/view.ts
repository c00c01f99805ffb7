import { relative, resolve } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isFolder } from '../../lib/files.ts'
import {
  inputOfReport,
  inputOfRun,
  defaultPagePath,
  pagePathOf,
  writePage,
  type FoundInput,
} from '../../report/page/build-page.ts'
import { listRunFolders, findRunFolders } from '../../report/results/past-runs.ts'
import { isCi } from '../../sandbox/environment.ts'
import { startAndLeave } from '../../sandbox/process/launch.ts'
import { findProject, noRun } from '../find/search.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { print } from '../../report/summary/terminal.ts'

const FLAGS = {
  out: {
    type: 'string',
    short: 'o',
    value: 'FILE',
    help: 'write the page to FILE; default: report.html in the run folder',
  },
  'no-open': { type: 'boolean', help: 'do not open it' },
} as const

/** `agent-evals view [REPORT | RUN FOLDER]`: the report as a page. */
export const view: Command = {
  name: 'view',
  usage: '[REPORT | RUN FOLDER] [options]',
  details: [
    'The default is the latest run below the current folder. The file is self-contained and loads nothing.',
    'It opens only from a terminal, never with CI set or over SSH.',
    '',
    ...flagHelp(FLAGS),
  ],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
    const [place, ...more] = positionals
    if (more.length > 0)
      throw new AgentEvalsError('invalid-options', `Expected one report or run folder, got ${more.length + 1}.`)
    const { found, path } = await find(place)
    const file = resolve(values.out ?? path)
    writePage(found.input, file)
    print(relative(process.cwd(), file))
    if (values['no-open'] !== true && whyNotOpened(process.env, process.stdout.isTTY) === null) openInBrowser(file)
    return 0
  },
}

interface Found {
  readonly found: FoundInput
  /** Where its page is written when no place is named. */
  readonly path: string
}

async function find(place: string | undefined): Promise<Found> {
  if (place === undefined) return latest()
  const path = resolve(place)
  if (!isFolder(path)) {
    const found = inputOfReport(path)
    return { found, path: pagePathOf(path, found.runFolder) }
  }
  // A folder may hold several runs, as `.vitest/agent-evals` does.
  const folder = findRunFolders(path)
    .toSorted((a, b) => (a.plan.startedAt < b.plan.startedAt ? -1 : 1))
    .at(-1)
  if (folder === undefined) throw new AgentEvalsError('no-match', `${place} contains no run.`)
  return { found: inputOfRun(folder), path: defaultPagePath(folder.path) }
}

async function latest(): Promise<Found> {
  const folder = listRunFolders(findProject(process.cwd()).root).at(-1)
  if (folder === undefined) throw await noRun(process.cwd())
  return { found: inputOfRun(folder), path: defaultPagePath(folder.path) }
}

/** Why a page is not opened; `null` when it is. */
export function whyNotOpened(
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean | undefined,
): string | null {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== ''
  if (isCi(environment)) return 'CI is set'
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
