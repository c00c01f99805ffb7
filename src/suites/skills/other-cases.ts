import { evalsDirOf, GOLDEN_GLOBS } from '../agent/golden-place.ts'
import { isAamPlace } from '../formats/aam/recognise.ts'
import { findCases, PLUGIN_EVAL_GLOBS } from '../formats/plugin-eval/find-cases.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { NEVER_SUITE_FOLDERS } from './never-suite.ts'
import { partsOf } from './skill-index.ts'

/** Where cases with a file each may lie, apart from those of packages. */
export const OTHER_CASE_GLOBS: readonly string[] = [...PLUGIN_EVAL_GLOBS, ...GOLDEN_GLOBS]

/** Of these files the cases with a file each, which may have the id of an eval of a skill. */
export async function findOtherCases(files: readonly string[], root: string): Promise<readonly string[]> {
  const possible = files.filter((file) => !partsOf(root, file).some((part) => NEVER_SUITE_FOLDERS.includes(part)))
  const ofPackages = possible.filter((file) => isAamPlace(pathFrom(root, file)))
  const golden = possible.filter((file) => evalsDirOf(file) !== null)
  return [...ofPackages, ...golden, ...(await findCases(possible, root)).ours]
}
