import { join, relative, sep } from 'node:path'

/** The folders whose `mocks/` apply to a case, the nearest last: the folder of evals, grouping folders, its own. */
export function mockLayers(caseDir: string, evalsDir: string): readonly string[] {
  const parts = relative(evalsDir, caseDir).split(sep).filter(Boolean)
  return [evalsDir, ...parts.map((_, index) => join(evalsDir, ...parts.slice(0, index + 1)))]
}
