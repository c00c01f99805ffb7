import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isPackage, pathBelow, pathFrom } from '../../packages/package-root.ts'
import { nothingFound } from '../../suites/search-notes.ts'
import { CONFIG_FILE } from '../../vitest/plugin/plugin-api.ts'
import { checkoutAround, foldersUpTo, listNames } from '../../files.ts'
import { sumOf } from '../../lists.ts'
import type { LoadedSuites } from './load-suites.ts'
import type { Searched } from './resolve-filters.ts'

/** What a command is about: a project, and the part of it where the command was started. Absolute paths. */
export interface Place {
  readonly root: string
  /** The root itself, or a folder below it. */
  readonly within: string
}

/**
 * The project around a folder: the nearest folder upwards with a Vitest configuration, a package.json or a package of
 * agents, else the checkout. A suite has the same package, recordings and scenarios wherever a command is started.
 */
export function findPlace(folder: string): Place {
  const checkout = checkoutAround(folder)
  // Without a checkout, how far the project reaches is not known.
  if (checkout === null) return { root: folder, within: folder }
  return { root: foldersUpTo(checkout, folder).find(isProject) ?? checkout, within: folder }
}

/** What of the suites is in the part where the command was started. */
export function narrow<T extends LoadedSuites & Pick<Searched, 'tests'>>(
  loaded: T,
  within: string,
): T & { readonly elsewhere?: number } {
  if (within === loaded.root || pathBelow(loaded.root, within) === null) return loaded
  const isIn = (file: string): boolean => pathBelow(within, file) !== null
  const suites = loaded.suites.filter(({ file }) => isIn(file))
  const countOf = (some: T['suites']): number => sumOf(some, ({ cases }) => cases.length)
  return {
    ...loaded,
    suites,
    elsewhere: countOf(loaded.suites) - countOf(suites),
    evalFiles: loaded.evalFiles.filter(isIn),
    ...(loaded.tests === undefined ? {} : { tests: loaded.tests.filter(({ file }) => isIn(file)) }),
    notes: loaded.notes.filter(({ file }) => file !== null && isIn(file)),
  }
}

/** That there are no evals, and where there are some instead. */
export function describeNothing({
  root,
  elsewhere = 0,
  notes = [],
}: {
  readonly root: string
  readonly elsewhere?: number
  readonly notes?: LoadedSuites['notes']
}): string {
  if (elsewhere === 0) return nothingFound(notes)
  const noun = elsewhere === 1 ? 'case' : 'cases'
  return `No evals in this folder. Its project has ${elsewhere} ${noun}; add --root ${pathFrom(process.cwd(), root) || '.'} for all of them.`
}

/** Whether a folder has a Vitest configuration. */
export function hasConfiguration(folder: string): boolean {
  return listNames(folder).some((name) => CONFIG_FILE.test(name))
}

function isProject(folder: string): boolean {
  return hasConfiguration(folder) || isPackage(folder) || existsSync(join(folder, 'package.json'))
}
