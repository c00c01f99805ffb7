import { basename } from 'node:path'
import { isAamPlace } from '../formats/aam/recognise.ts'
import { looksLikeAamCase } from '../formats/aam/aam-schema.ts'
import { NEVER_BELOW_EVALS, NEVER_SUITE_FOLDERS } from './never-suite.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { readSuiteValue } from '../suite-document.ts'
import { compareTexts } from '../../texts.ts'
import type { SearchNote } from '../search-notes.ts'

/** Cases one folder too deep: only the files of `evals/cases` itself are read. */
export const STRAY_CASE_GLOBS: readonly string[] = ['**/{evals,eval}/cases/*/*.{yaml,yml}']

/** Names files that read like a case and are not where cases are read. */
export function noteStrayCases(files: readonly string[], root: string): readonly SearchNote[] {
  return files.toSorted(compareTexts).flatMap((file) => {
    const place = caseFileOf(pathFrom(root, file))
    return place === null || !looksLikeAamCase(readSuiteValue(file)) ? [] : [noteStrayCase(file, root)]
  })
}

/** The note on a case that is at another place than `evals/cases`. */
export function noteStrayCase(file: string, root: string): SearchNote {
  const path = pathFrom(root, file)
  return {
    file,
    message: `${path} is a case, but not in evals/cases. Move it to ${caseFileOf(path) ?? 'evals/cases'}.`,
  }
}

// Where a case that is below a folder of evals would be read; `null` for every other file.
function caseFileOf(path: string): string | null {
  const folders = path.split('/').slice(0, -1)
  const index = folders.findLastIndex((folder) => folder === 'evals' || folder === 'eval')
  const below = folders.slice(index + 1)
  const isLeftOut =
    folders.some((folder) => NEVER_SUITE_FOLDERS.includes(folder)) ||
    below.some((folder) => NEVER_BELOW_EVALS.includes(folder))
  if (index === -1 || isLeftOut || isAamPlace(path) || !/\.ya?ml$/.test(path)) return null
  return [...folders.slice(0, index), 'evals', 'cases', basename(path)].join('/')
}
