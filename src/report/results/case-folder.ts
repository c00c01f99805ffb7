import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { toPathSegment } from '../../formats/paths.ts'
import { formatOf } from '../../formats/registry.ts'
import type { Redactor } from '../../gateway/redact.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { codeOf, listEntries, tryReadText } from '../../lib/files.ts'
import { firstOf } from '../../lib/lists.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { FileChanges } from '../../transcript/transcript.ts'
import { copyKept, keepChangedFiles, readIndex, type LeftFile } from './kept-files.ts'
import { sharedId, type PlannedCase } from './result.ts'
import { makeFolders } from './start-run.ts'

/** Where the evidence of one run is kept. */
export interface CaseFolder {
  /** Absolute path. */
  readonly path: string
  /** Path below the Vitest root, `/`-separated: what results and reports hold. */
  readonly relativePath: string
  /** Absolute path for what the agent left, stored by hash. */
  readonly artifacts: string
  /** Absolute path for what it had left after each of several turns, a folder each: a judge may be asked again. */
  readonly turns: string
}

/** The folder of one turn, from 1. */
export function turnFolder(turns: string, turn: number): string {
  return join(turns, String(turn))
}

/**
 * Creates the folder of one run of a case, `cases/<package>/<suite>/<case>/<engine>[.<arm>].<run>/`.
 *
 * A retry gets a folder of its own: what an errored attempt left is evidence too.
 */
export function createCaseFolder(root: string, runFolder: string, planned: PlannedCase, index: number): CaseFolder {
  try {
    return makeFolder(root, join(runFolder, 'cases', ...caseSegments(root, planned)), planned, index)
  } catch (error) {
    const reason = messageOf(error)
    throw new AgentEvalsError(
      'report-unwritable',
      `Cannot store the evidence of a run in ${runFolder}: ${reason}. Make it writable, or free some space.`,
      { cause: error },
    )
  }
}

function makeFolder(root: string, parent: string, planned: PlannedCase, index: number): CaseFolder {
  makeFolders(parent)
  const { arm, engineName, model } = planned
  const parts = [toPathSegment(engineName), model === undefined ? undefined : toPathSegment(model), arm, index]
  const name = parts.filter((part) => part !== undefined).join('.')
  for (let attempt = 1; ; attempt++) {
    const path = join(parent, attempt === 1 ? name : `${name}-${attempt}`)
    try {
      mkdirSync(path)
      return {
        path,
        relativePath: pathFrom(root, path),
        artifacts: join(path, 'artifacts'),
        turns: join(path, TURNS),
      }
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/** Name of the folder of turns in that of a run. */
export const TURNS = 'turns'

/** Keeps evidence. A disk that cannot take it costs the evidence and not the result: says so in one sentence. */
export async function keepEvidence(write: () => void | Promise<void>): Promise<readonly string[]> {
  try {
    await write()
    return []
  } catch (error) {
    if (codeOf(error) === '') throw error
    return [`Some evidence of this run could not be stored: ${error instanceof Error ? error.message : codeOf(error)}.`]
  }
}

/** Copies what was kept of a run into the folder of another run, and nothing else that lies there. */
export function copyEvidence(from: string, to: CaseFolder): void {
  for (const name of EVIDENCE) {
    const text = tryReadText(join(from, name))
    if (text !== null) writeFileSync(join(to.path, name), text)
  }
  copyFolder(join(from, 'artifacts'), to.artifacts)
  for (const { name } of listEntries(join(from, TURNS)))
    if (/^\d+$/.test(name)) copyFolder(join(from, TURNS, name), join(to.turns, name))
}

function copyFolder(from: string, to: string): void {
  const kept = readIndex(from)
  if (kept.length > 0) copyKept(from, to, kept)
}

const EVIDENCE = [
  'prompt.txt',
  'transcript.jsonl',
  'requests.json',
  'metrics.json',
  'timings.json',
  'grading.json',
  'judge.json',
  'response.txt',
]

/** Absolute path of the folder in a run folder that holds the cases of a suite, whether or not one of them has run. */
export function suiteFolder(root: string, runFolder: string, planned: PlannedCase): string {
  return join(runFolder, 'cases', ...caseSegments(root, planned).slice(0, -1))
}

// Segments as recordings have them: the suite without `evals/` and extension, AAM cases all in `cases`.
function caseSegments(root: string, planned: PlannedCase): readonly string[] {
  const below = relative(root, planned.packageRoot).split(/[\\/]/)
  const suite = formatOf(planned.format).recordingFolder(planned.suite)
  // All models and both arms of a case lie side by side.
  const id = sharedId(planned).slice(planned.id.indexOf('#') + 1)
  const suiteSegments = suite.replace(/^evals\//, '').split('/')
  return [...below.map((name) => (name === '..' ? 'outside' : name)), ...suiteSegments, id]
    .filter((name) => name !== '' && name !== '.')
    .map(toPathSegment)
}

/** Where the results and the evidence of a run are written. */
export interface ResultsTarget {
  /** Absolute path of the Vitest root. */
  readonly root: string
  /** Absolute path of the run folder. */
  readonly runFolder: string
}

/** The evidence of one run, as it is gathered. What the disk cannot take costs the evidence and not the result. */
export interface EvidenceKeeper {
  readonly folder: CaseFolder
  /** What could not be kept, one sentence each. */
  readonly lost: readonly string[]
  /** Copies what a run left in its workspace; `root` is the absolute path of that. */
  keepArtifacts(root: string, changes: FileChanges): Promise<void>
  /** Copies what a turn changed, as far as a judge is shown it. */
  keepTurn(root: string, changes: FileChanges, turn: number): Promise<void>
  /** Lets something be written into the folder. */
  keep(write: (folder: CaseFolder, redactor: Redactor) => void): Promise<void>
}

/**
 * Creates the folder for the evidence of one run of a case; `index` counts them from 1.
 *
 * @throws {AgentEvalsError} `report-unwritable` when there can be none.
 */
export function openEvidence(
  { root, runFolder }: ResultsTarget,
  planned: PlannedCase,
  index: number,
  redactor: Redactor,
): EvidenceKeeper {
  const folder = createCaseFolder(root, runFolder, planned, index)
  const lost: string[] = []
  const keep: EvidenceKeeper['keep'] = async (write) => {
    lost.push(...(await keepEvidence(() => write(folder, redactor))))
  }
  return {
    folder,
    lost,
    keep,
    async keepArtifacts(workspace, changes) {
      const request = { root: workspace, changes, to: folder.artifacts, redactor }
      const unstored = await keepEvidence(async () => {
        lost.push(...describeLeft(await keepChangedFiles(request)))
      })
      lost.push(...unstored)
    },
    async keepTurn(workspace, changes, turn) {
      const to = turnFolder(folder.turns, turn)
      const request = { root: workspace, changes, to, redactor, limits: OF_TURN }
      const keepAll = async (): Promise<void> => {
        // It is there also where nothing of the turn is small enough.
        mkdirSync(to, { recursive: true })
        await keepChangedFiles(request)
      }
      lost.push(...(await keepEvidence(keepAll)))
    },
  }
}

// As much as a judge is shown of a run.
const OF_TURN = { files: 200, fileBytes: 1024 ** 2, totalBytes: 8 * 1024 ** 2 }

function describeLeft(missed: readonly LeftFile[]): readonly string[] {
  if (missed.length === 0) return []
  const files = missed.map(({ path, reason }) => `${path} ${reason}`)
  return [`Not among the artifacts: ${firstOf(files, MOST_SHOWN).join('; ')}.`]
}

const MOST_SHOWN = 3
