import { suggestName } from '../../documents/nearest-name.ts'
import type { Issue } from '../../documents/issue.ts'
import type { ScenarioIndex } from './scenario-index.ts'

/**
 * What is wrong with the scenarios of a package, and which of them no case plays. In a folder of `scenarios` only the
 * `places` count, absolute paths that cases look at: ids may be the same in two folders. `null`: not all cases could be read.
 */
export function findScenarioIssues(
  { files, at }: ScenarioIndex,
  caseIds: readonly string[],
  places: readonly string[] | null,
): readonly Issue[] {
  const known = new Set([...caseIds, CANARY])
  const played = places === null ? null : new Set(places.flatMap((place) => at(place)))
  return files.flatMap((one): readonly Issue[] => {
    const { file, stem, caseStems, loaded } = one
    if (loaded === null) return [remark(file, 'ignored-scenario', 'is ignored; scenarios end in .yaml')]
    const isInFolder = stem.includes('/')
    const isPlayed = isInFolder ? (played?.has(one) ?? true) : caseStems.some((id) => known.has(id))
    if (isPlayed) return loaded.issues
    const hint = isInFolder ? '' : suggestName(stem, known)
    const message = `there is no case ${JSON.stringify(stem)}.${hint}`
    return [...loaded.issues, remark(file, 'scenario-without-case', message)]
  })
}

/** Plays a skill that must be used, where a suite of trigger queries needs one. */
const CANARY = 'canary'

function remark(file: string, code: string, message: string): Issue {
  return { code, severity: 'warning', file, field: '', message, line: 1, column: 1 }
}
