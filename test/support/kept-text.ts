import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readIndex, type KeptFile } from '../../src/report/results/kept-files.ts'

/** What is stored of a file of a workspace; `null` when nothing is. `folder` is the absolute path of the run's evidence. */
export function keptText(folder: string, path: string, when: KeptFile['when'] = 'after'): string | null {
  const artifacts = join(folder, 'artifacts')
  const kept = readIndex(artifacts).find((file) => file.path === path && file.when === when)
  return kept === undefined ? null : readFileSync(join(artifacts, kept.name), 'utf8')
}

/** Names of files below a folder of evidence that are neither ours nor a hash. */
export function namesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
  return names.filter((name) => !/^(?:(?:[a-z]+)\.(?:json|jsonl|txt)|[0-9a-f]{64})$/.test(name))
}
