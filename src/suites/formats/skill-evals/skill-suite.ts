import { errorAt, noEffectAt, warningAt, type ReadDocument } from '../../../documents/document.ts'
import { uniqueIssues, type Issue } from '../../../documents/issue.ts'
import { MAX_SCALARS } from '../../../documents/node.ts'
import { sumOf } from '../../../lists.ts'
import { AAM_DEFAULTS } from '../aam/aam-defaults.ts'
import { findSkill } from '../../skills/known-skills.ts'
import { readSuiteDocument } from '../../suite-document.ts'
import { readContainer, unusedShared, type Container, type EntryPlace } from './container.ts'
import { readEntry, type EntryCase, type EntryOwners } from './entry.ts'
import { fieldsAs, type Field } from './fields.ts'
import { NOTHING_SETTLED, type SettledFields } from './vocabulary.ts'
import { kindOf } from '../../kinds.ts'
import type { EvalCase, Suite } from '../../suite.ts'

/** What a suite file's text is read with. */
export interface ParseSkillSuiteOptions extends EntryOwners {
  /** Absolute path of the suite file. */
  readonly file: string
  /** Absolute path of the package. */
  readonly packageRoot: string
  /** Roles of names that the author has settled. */
  readonly settled?: SettledFields
}

/**
 * Reads an `evals.json` or a `triggers.json` in any of its dialects and notations; one file may hold both kinds. Pure:
 * whether its files exist is not looked at.
 */
export function parseSkillSuite(text: string, options: ParseSkillSuiteOptions): Suite {
  const { settled = NOTHING_SETTLED } = options
  const document = readSuiteDocument(text, options.file)
  const { entries, shared, issues } = limitCommon(readContainer(document, settled), document)
  const read = entries.map((place, index) =>
    readEntry({ place, number: index + 1, document, shared, owners: options, settled }),
  )
  const cases = read.flatMap(({ evalCase }) => evalCase ?? [])
  const queries = cases.filter((one) => kindOf(one).selectedBy === 'trigger').length
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
      ...issues,
      ...unusedShared(document, shared, has),
      // What all entries share is read with each of them.
      ...uniqueIssues(read.flatMap((one) => one.issues)),
      ...findDuplicates(read, entries, document),
      ...checkSkillName(shared, document, options),
    ],
  }
}

// Each entry has all that its file expects of all of them.
function limitCommon(container: Container, document: ReadDocument): Container {
  const { entries, shared, issues } = container
  const common = sumOf(fieldsAs(shared, 'expect'), ({ value }) => [value].flat().length)
  if (common * entries.length <= MAX_SCALARS) return container
  const message = `the ${common} shared expectations of ${entries.length} evals are more than ${MAX_SCALARS}; split the file`
  return { entries: [], shared: [], issues: [...issues, errorAt(document, [], 'too-many-values', message)] }
}

// The skill may be named; a name that is no skill's, or another one's, is worth a remark.
function checkSkillName(
  shared: readonly Field[],
  document: ReadDocument,
  { skill, isShared = false, skills = [skill], why, placeSkill }: EntryOwners,
): readonly Issue[] {
  return fieldsAs(shared, 'subject').flatMap(({ name: field, value }) => {
    const [name, ...others] = [value as string | readonly string[]].flat()
    if (name === undefined) return []
    if (others.length === 0 && !isShared && findSkill(name, [skill]) !== null) {
      if (placeSkill === undefined) return []
      const place = JSON.stringify(placeSkill)
      const message = `the file tests the skill ${JSON.stringify(skill.name)}, which it names, and not ${place}, which its place says; remove ${field} to test ${place}`
      return [warningAt(document, [field], 'other-skill', message)]
    }
    const found = findSkill(name, skills)
    const what =
      found === null ? `there is no skill ${JSON.stringify(name)}` : `${JSON.stringify(name)} is another skill`
    const counts = isShared
      ? 'each entry is about the skill that it names, or about all'
      : `the file tests the skill ${JSON.stringify(skill.name)}${why === undefined ? '' : `, ${why}`}`
    return [noEffectAt(document, [field], `has no effect: ${what}; ${counts}`)]
  })
}

// Numbers the cases of one name, which would look alike in a terminal.
function withOwnNames(cases: readonly EvalCase[]): readonly EvalCase[] {
  const seen = new Map<string, number>()
  return cases.map((evalCase) => {
    const count = (seen.get(evalCase.name) ?? 0) + 1
    seen.set(evalCase.name, count)
    return count === 1 ? evalCase : { ...evalCase, name: `${evalCase.name} (${count})` }
  })
}

// Errors for cases of one id. Ids name folders, and some disks ignore case.
function findDuplicates(
  read: readonly EntryCase[],
  places: readonly EntryPlace[],
  document: ReadDocument,
): readonly Issue[] {
  const first = new Map<string, EvalCase>()
  return read.flatMap(({ evalCase }, index) => {
    if (evalCase === null) return []
    const key = evalCase.id.toLowerCase()
    const other = first.get(key)
    first.set(key, other ?? evalCase)
    if (other === undefined) return []
    const [what, field, deed] =
      kindOf(evalCase).selectedBy === 'trigger'
        ? (['this query', 'query', 'remove'] as const)
        : ([`the id ${JSON.stringify(evalCase.id)}`, 'id', 'rename'] as const)
    const message = `${what} is also at line ${other.at.line}; ${deed} one`
    const issue = errorAt(document, [...(places[index]?.path ?? []), field], 'duplicate-name', message)
    return [{ ...issue, ...evalCase.at }]
  })
}
