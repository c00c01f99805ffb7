import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathFrom } from '../../packages/package-root.ts'
import { toPathSegment } from '../../suites/path-segment.ts'
import { buildRunLogLine, endOf, isLogged, testIdOf, toLocalDate, type RunLogLine } from './run-log-line.ts'
import { appendText, createFile } from '../../write-atomically.ts'
import { messageOf } from '../../errors.ts'
import type { Formats } from '../../suites/format.ts'
import type { CaseResult } from '../../results/result.ts'
import { readTextFile, refuseLinks } from '../../files.ts'

/** What is written into the logs of agents. */
export interface RunLogRequest {
  readonly results: readonly CaseResult[]
  /** Absolute path of the Vitest root, below which the evidence of runs is stored. */
  readonly root: string
  /** Absolute path of the run folder, which remembers what has been logged. */
  readonly runFolder: string
  /** @default the built-in ones */
  readonly formats?: Formats | undefined
}

/** What was logged of one agent. */
export interface LoggedRun {
  /** Absolute path of the agent's folder. */
  readonly packageRoot: string
  /** Absolute path of the log; `null` when it could not be written. */
  readonly file: string | null
  readonly lines: readonly RunLogLine[]
  /** Why something is missing in it; `null` when nothing is. */
  readonly problem: string | null
}

/** Name of the response of a golden test in the folder of its evidence. */
export const RESPONSE_FILE = 'response.txt'

/**
 * Appends each result of a golden test to its agent's log, once, and keeps the agent's response beside it.
 *
 * Each line is one write at the end of the file, so that runs at the same time never mix theirs.
 */
export function writeRunLogs({ results, root, runFolder }: RunLogRequest): readonly LoggedRun[] {
  const known = readKnown(runFolder)
  const fresh = results.filter((result) => isLogged(result) && !known.has(keyOf(result)))
  const agents = [...new Set(fresh.map(({ packageRoot }) => packageRoot))]
  return agents.map((packageRoot) => {
    const own = fresh.filter((result) => result.packageRoot === packageRoot)
    const lines: RunLogLine[] = []
    let file: string | null = null
    try {
      for (const result of own) {
        const logged = log(result, root)
        file = logged.file
        lines.push(logged.line)
        appendFileSync(join(runFolder, KNOWN_FILE), `${keyOf(result)}\n`)
      }
      return { packageRoot, file, lines, problem: null }
    } catch (error) {
      const reason = messageOf(error)
      const problem = `The log of the golden tests in ${join(packageRoot, 'evals', 'runs')} cannot be written: ${reason}. Make it writable, or run with --no-write.`
      return { packageRoot, file, lines, problem }
    }
  })
}

function log(result: CaseResult, root: string): { readonly file: string; readonly line: RunLogLine } {
  const evalsDir = join(result.packageRoot, 'evals')
  const runs = join(evalsDir, 'runs')
  const date = toLocalDate(endOf(result))
  const file = join(runs, `${date}.jsonl`)
  refuseLinks(result.packageRoot, join(runs, 'responses'))
  const response = keepResponse(result, root, join(runs, 'responses'), date)
  const path = response === null ? null : pathFrom(evalsDir, response)
  const line = buildRunLogLine(result, path)
  mkdirSync(runs, { recursive: true })
  appendText(file, `${JSON.stringify(line)}\n`)
  return { file, line }
}

function keepResponse(result: CaseResult, root: string, folder: string, date: string): string | null {
  const [run] = result.runs
  if (run === undefined) return null
  const evidence = run.folder === null ? null : join(root, run.folder, RESPONSE_FILE)
  const text = evidence !== null && existsSync(evidence) ? readTextFile(evidence) : (result.outputSnippet ?? '')
  mkdirSync(folder, { recursive: true })
  const name = `${date}_${toPathSegment(testIdOf(result))}`
  for (let n = 1; ; n++) {
    const file = join(folder, `${name}${n === 1 ? '' : `_${n}`}.txt`)
    if (createFile(file, text)) return file
  }
}

const KNOWN_FILE = 'logged.txt'

function readKnown(runFolder: string): ReadonlySet<string> {
  const file = join(runFolder, KNOWN_FILE)
  return new Set(existsSync(file) ? readTextFile(file).split('\n') : [])
}

// A test that is run again in watch mode is another result.
function keyOf({ packageRoot, id, engineName, startedAt }: CaseResult): string {
  return JSON.stringify([packageRoot, id, engineName, startedAt])
}
