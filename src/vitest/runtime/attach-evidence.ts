import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { compareTexts } from '../../lib/text.ts'
import type { RunSettings } from '../../options/settings.ts'
import { readIndex, type KeptFile } from '../../report/results/kept-files.ts'

/**
 * Attaches what a run left to its test, by path, for Vitest's UI and its html reporter: no other reporter reads attachments,
 * and Vitest copies each.
 *
 * @param folder - of the run, below the Vitest root; `null` where nothing was kept.
 */
export async function attachEvidence(
  { annotate }: Pick<TestContext, 'annotate'>,
  { attachEvidence: isWanted, root }: Pick<RunSettings, 'attachEvidence' | 'root'>,
  folder: string | null,
  index: number,
): Promise<void> {
  if (isWanted !== true || folder === null) return
  const run = index === 1 ? '' : ` of run ${index}`
  const path = join(root, folder)
  for (const [name, file] of EVIDENCE)
    if (existsSync(join(path, file)))
      await annotate(`${name}${run}`, { path: join(path, file), contentType: TYPES[file] })
  for (const { path: file, name, type } of changedFiles(join(path, 'artifacts')))
    await annotate(`changed file${run}: ${file}`, { path: join(path, 'artifacts', name), contentType: type })
}

/** Attaches the judge's verdicts on a run, once there are any. */
export async function attachVerdicts(
  { annotate }: Pick<TestContext, 'annotate'>,
  { attachEvidence: isWanted, root }: Pick<RunSettings, 'attachEvidence' | 'root'>,
  folder: string,
): Promise<void> {
  const path = join(root, folder, 'judge.json')
  if (isWanted === true && existsSync(path)) await annotate('judge verdicts', { path, contentType: 'application/json' })
}

const EVIDENCE = [
  ['transcript', 'transcript.jsonl'],
  ['judge verdicts', 'judge.json'],
  ['grading', 'grading.json'],
] as const
const TYPES = {
  'transcript.jsonl': 'application/jsonl',
  'judge.json': 'application/json',
  'grading.json': 'application/json',
} as const

function changedFiles(folder: string): readonly KeptFile[] {
  return readIndex(folder)
    .filter(({ when }) => when === 'after')
    .toSorted((a, b) => compareTexts(a.path, b.path))
    .slice(0, MOST_FILES)
}

const MOST_FILES = 20
