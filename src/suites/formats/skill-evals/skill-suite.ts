import { errorAt, noEffectAt, type ReadDocument } from '../../../documents/document.ts'
import { MAX_SCALARS } from '../../../documents/node.ts'
import { sumOf } from '../../../lists.ts'
import { uniqueIssues, type Issue } from '../../../documents/issue.ts'
import { AAM_DEFAULTS } from '../aam/aam-defaults.ts'
import { findDuplicates, withOwnNames } from './case-names.ts'
import { findExpectationIds } from './fields/expectation-ids.ts'
import { findSkill } from '../../skills/known-skills.ts'
import { readContainer, type SkillContainer } from './skill-container.ts'
import { readEntry } from './read-entry.ts'
import { readSuiteDocument } from '../../suite-document.ts'
import { commonLists, unusedShared, type SharedFields } from './shared-fields.ts'
import type { EntryOwners } from './route-entry.ts'
import type { Suite } from '../../suite.ts'

/** What a suite file's text is read with. */
export interface ParseSkillSuiteOptions extends EntryOwners {
  /** Absolute path of the suite file. */
  readonly file: string
  /** Absolute path of the package. */
  readonly packageRoot: string
}

/**
 * Reads an `evals.json` or a `triggers.json` in any of its dialects and notations; one file may hold both kinds. Pure:
 * whether its files exist is not looked at.
 */
export function parseSkillSuite(text: string, options: ParseSkillSuiteOptions): Suite {
  const document = readSuiteDocument(text, options.file)
  const container = limitCommon(readContainer(document), document)
  const ids = findExpectationIds(document, container.entries)
  const shared = Object.fromEntries(Object.entries(container.shared).filter(([field]) => !ids.fields.has(field)))
  const read = container.entries.map((place, index) =>
    readEntry({ place, number: index + 1, document, shared, ids, owners: options }),
  )
  const cases = read.flatMap(({ evalCase }) => evalCase ?? [])
  const queries = cases.filter(({ trigger }) => trigger !== undefined).length
  const has = { evals: queries < cases.length, queries: queries > 0 }
  return {
    format: has.queries && !has.evals ? 'triggers' : 'skill-evals',
    file: options.file,
    packageRoot: options.packageRoot,
    config: AAM_DEFAULTS,
    skill: options.skill,
    partDir: options.file,
    cases: withOwnNames(cases),
    issues: [
      ...container.issues.filter(({ field, noEffect }) => noEffect === undefined || !ids.fields.has(field)),
      ...ids.issues,
      ...unusedShared(document, shared, has),
      // What all entries share is read with each of them.
      ...uniqueIssues(read.flatMap(({ issues }) => issues)),
      ...findDuplicates(read, container.entries, document),
      ...checkSkillName(container.shared, document, options),
    ],
  }
}

// Each entry has all that its file expects of all of them.
function limitCommon(container: SkillContainer, document: ReadDocument): SkillContainer {
  const { entries, shared } = container
  const common = sumOf(commonLists(shared, document), ({ list }) => [list].flat().length)
  if (common * entries.length <= MAX_SCALARS) return container
  const message = `the ${common} shared expectations of ${entries.length} evals are more than ${MAX_SCALARS}; split the file`
  return { entries: [], shared: {}, issues: [...container.issues, errorAt(document, [], 'too-many-values', message)] }
}

// The skill may be named; a name that is no skill's, or another one's, is worth a remark.
function checkSkillName(
  shared: SharedFields,
  document: ReadDocument,
  { skill, isShared = false, skills = [skill] }: EntryOwners,
): readonly Issue[] {
  return (['skill_name', 'skillName', 'skill', 'skills'] as const).flatMap((field) => {
    const [name, ...others] = [shared[field] ?? []].flat()
    if (name === undefined || (others.length === 0 && !isShared && findSkill(name, [skill]) !== null)) return []
    const found = findSkill(name, skills)
    const what =
      found === null ? `there is no skill ${JSON.stringify(name)}` : `${JSON.stringify(name)} is another skill`
    const counts = isShared
      ? 'each entry is about the skill that it names, or about all'
      : `the file is about ${JSON.stringify(skill.name)}`
    return [noEffectAt(document, [field], `has no effect: ${what}; ${counts}`)]
  })
}
