import { relative, resolve } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { sourceOfReport, sourceOfRun, type FoundSource } from '../../report/page/find-source.ts'
import { defaultPagePath, pagePathOf, writePage } from '../../report/page/write-page.ts'
import { listRunFolders } from '../../results/own-runs.ts'
import { findPlace } from '../find/find-place.ts'
import { findRunFolders } from '../find/find-run-folders.ts'
import { flagHelp, readFlags } from '../flags.ts'
import { noRun } from '../find/no-run.ts'
import { openInBrowser, whyNotOpened } from '../open-in-browser.ts'
import { print } from '../output/terminal.ts'
import { isFolder } from '../../files.ts'
import type { Command } from '../command.ts'

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
  summary: 'Write a report as one HTML file and open it.',
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
    writePage(found.source, file)
    print(relative(process.cwd(), file))
    if (values['no-open'] !== true && whyNotOpened(process.env, process.stdout.isTTY) === null) openInBrowser(file)
    return 0
  },
}

interface Found {
  readonly found: FoundSource
  /** Where its page is written when no place is named. */
  readonly path: string
}

async function find(place: string | undefined): Promise<Found> {
  if (place === undefined) return latest()
  const path = resolve(place)
  if (!isFolder(path)) {
    const found = sourceOfReport(path)
    return { found, path: pagePathOf(path, found.runFolder) }
  }
  // A folder may hold several runs, as `.vitest/agent-evals` does.
  const folder = findRunFolders(path)
    .toSorted((a, b) => (a.plan.startedAt < b.plan.startedAt ? -1 : 1))
    .at(-1)
  if (folder === undefined) throw new AgentEvalsError('no-match', `${place} contains no run.`)
  return { found: sourceOfRun(folder), path: defaultPagePath(folder.path) }
}

async function latest(): Promise<Found> {
  const folder = listRunFolders(findPlace(process.cwd()).root).at(-1)
  if (folder === undefined) throw await noRun(process.cwd())
  return { found: sourceOfRun(folder), path: defaultPagePath(folder.path) }
}
