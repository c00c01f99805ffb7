import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathFrom } from '../packages/package-root.ts'
import { AgentEvalsError, messageOf } from '../errors.ts'
import { copyKept, readIndex } from './kept-files.ts'
import { makeFolders } from './make-folders.ts'
import { codeOf } from '../write-atomically.ts'
import { formatOf } from '../suites/formats/registry.ts'
import { toPathSegment } from '../suites/path-segment.ts'
import type { PlannedCase } from './result.ts'
import { tryReadText } from '../files.ts'

/** Where the evidence of one run is kept. */
export interface CaseFolder {
  /** Absolute path. */
  readonly path: string
  /** Path below the Vitest root, `/`-separated: what results and reports hold. */
  readonly relativePath: string
  /** Absolute path for what the agent left, stored by hash. */
  readonly artifacts: string
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
  const name = `${toPathSegment(planned.engineName)}${planned.arm === undefined ? '' : `.${planned.arm}`}.${index}`
  for (let attempt = 1; ; attempt++) {
    const path = join(parent, attempt === 1 ? name : `${name}-${attempt}`)
    try {
      mkdirSync(path)
      return { path, relativePath: pathFrom(root, path), artifacts: join(path, 'artifacts') }
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

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
  const artifacts = join(from, 'artifacts')
  const kept = readIndex(artifacts)
  if (kept.length > 0) copyKept(artifacts, to.artifacts, kept)
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
  const whole = planned.id.slice(planned.id.indexOf('#') + 1)
  // Both arms of a case lie side by side.
  const id = planned.arm === undefined ? whole : whole.slice(0, -planned.arm.length - 1)
  const suiteSegments = suite.replace(/^evals\//, '').split('/')
  return [...below.map((name) => (name === '..' ? 'outside' : name)), ...suiteSegments, id]
    .filter((name) => name !== '' && name !== '.')
    .map(toPathSegment)
}
