import {
  errorAt,
  noEffectAt,
  uniqueIssues,
  warningIn,
  type Issue,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { MAX_SCALARS } from '../../lib/documents/parse-json.ts'
import { readText } from '../../lib/documents/read-text.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { sumOf } from '../../lib/lists.ts'
import { packageRootOf } from '../../packages/package-root.ts'
import { AAM_DEFAULTS } from '../aam/aam-defaults.ts'
import { joinNoEffect } from '../describe-issues.ts'
import type { Format, SuiteContext } from '../format.ts'
import { kindOf } from '../kinds.ts'
import type { EvalCase, Suite } from '../suite.ts'
import { describeMistake, type EntryOwners } from './case-parts.ts'
import { readContainer, type Container, type EntryPlace } from './container.ts'
import { readEntry, type EntryCase } from './entry.ts'
import { fieldConfigs, fieldsAs, noteUntaken, readSettled, take, type Fields } from './fields.ts'
import { readSuiteDocument, resolveSkillFiles } from './skill-files.ts'
import { findSkill } from './skill-index.ts'
import type { SkillSuite } from './skill-suites.ts'
import { NOTHING_SETTLED, type SettledFields } from './vocabulary.ts'

/** What a suite file's text is read with. */
interface ParseSkillSuiteOptions extends EntryOwners {
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
  const { entries, shared } = limitCommon(readContainer(document, settled))
  const read = entries.map((place, index) =>
    readEntry({ place, number: index + 1, document, shared, owners: options, settled }),
  )
  const { cases, issues } = withOwnNames(read, entries, document)
  const queries = cases.filter((one) => kindOf(one).isQuery).length
  return {
    format: queries > 0 && queries === cases.length ? 'triggers' : 'skill-evals',
    file: options.file,
    packageRoot: options.packageRoot,
    config: AAM_DEFAULTS,
    skill: options.skill,
    partDir: options.file,
    cases,
    issues: [
      ...checkSkillName(shared, options),
      // What all entries share is read with each of them.
      ...uniqueIssues(shared.issues),
      ...noteUntaken(shared),
      ...joinNoEffect(read.flatMap((one) => one.issues)),
      ...issues,
    ],
  }
}

// Each entry has all that its file expects of all of them.
function limitCommon(container: Container): Container {
  const { entries, shared } = container
  const common = sumOf(fieldsAs(shared, 'expect'), ({ value }) => [value].flat().length)
  if (common * entries.length <= MAX_SCALARS) return container
  const message = `the ${common} shared expectations of ${entries.length} evals are more than ${MAX_SCALARS}; split the file`
  shared.issues.push(errorAt(shared.document, [], 'too-many-values', message))
  return { entries: [], shared: { ...shared, document: { ...shared.document, value: {} } } }
}

// The skill may be named; a name that is no skill's, or another one's, is worth a remark.
function checkSkillName(
  shared: Fields,
  { skill, isShared = false, skills = [skill], why }: EntryOwners,
): readonly Issue[] {
  return take(shared, 'subject').flatMap(({ name: field, value }) => {
    const [name, ...others] = [value as string | readonly string[]].flat()
    if (name === undefined) return []
    if (others.length === 0 && !isShared && findSkill(name, [skill]) !== null) return []
    const found = findSkill(name, skills)
    const what =
      found === null ? `there is no skill ${JSON.stringify(name)}` : `${JSON.stringify(name)} is another skill`
    const counts = isShared
      ? 'each entry is about the skill that it names, or about all'
      : `the file tests the skill ${JSON.stringify(skill.name)}${why === undefined ? '' : `, ${why}`}`
    return [noEffectAt(shared.document, [field], `has no effect: ${what}; ${counts}`)]
  })
}

// Numbers the cases of one name, which would look alike in a terminal. Of two with one id, which names folders and may
// meet a disk that ignores case, the second is a mistake.
function withOwnNames(
  read: readonly EntryCase[],
  places: readonly EntryPlace[],
  document: ReadDocument,
): Pick<Suite, 'cases' | 'issues'> {
  const [ids, names] = [new Map<string, EvalCase>(), new Map<string, number>()]
  const issues: Issue[] = []
  const written = new Set(read.map(({ evalCase }) => evalCase.id.toLowerCase()))
  const cases = read.map(({ evalCase }, index): EvalCase => {
    const count = (names.get(evalCase.name) ?? 0) + 1
    names.set(evalCase.name, count)
    const named = count === 1 ? evalCase : { ...evalCase, name: `${evalCase.name} (${count})` }
    const first = ids.get(evalCase.id.toLowerCase())
    if (first === undefined) {
      ids.set(evalCase.id.toLowerCase(), evalCase)
      return named
    }
    const [what, field, deed] = kindOf(evalCase).isQuery
      ? (['this query', 'query', 'remove'] as const)
      : ([`the id ${JSON.stringify(evalCase.id)}`, 'id', 'rename'] as const)
    const message = `${what} is also at line ${first.at.line}; ${deed} one`
    const error = errorAt(document, [...(places[index]?.path ?? []), field], 'duplicate-name', message)
    const issue: Issue = { ...error, ...evalCase.at, skips: true }
    issues.push(issue)
    let number = 2
    while (written.has(`${evalCase.id}-${number}`.toLowerCase())) number += 1
    const id = `${evalCase.id}-${number}`
    written.add(id.toLowerCase())
    return { ...named, id, broken: named.broken ?? describeMistake(issue) }
  })
  return { cases, issues }
}

/** Queries of a skill in a file of their own, which the reader of its evals reads too. */
export const triggers: Format = {
  recordingFolder: (suite) => suite.replace(/\.[^./]+$/, ''),
  // From the BMAD text.
  defaultTimeout: 600,
  kind: 'eval',
  lint: (suite) => findOneSidedQueries(suite),
  extras: ['execution-summary', 'grading'],
}

/** The evals of a skill: `evals.json` and what other names it has. */
export const skillEvals: Format = {
  ...triggers,
  files: {
    isNamedByEvals: true,
    find: async ({ root, cache }) => [...(await cache.skillSuites(root)).suites.keys()],
    async recognises(file, { root, cache }) {
      const { suites, earlier } = await cache.skillSuites(root)
      return suites.has(file) || earlier?.has(file) === true
    },
    async load(file, context) {
      const { suites, earlier } = await context.cache.skillSuites(context.root)
      const place = suites.get(file) ?? earlier?.get(file)
      if (place === undefined) throw new AgentEvalsError('invalid-suite', `${file} contains no evals of a skill.`)
      return loadSkillSuite(file, place, context)
    },
  },
}

// Of queries that all ask the same, a skill that always fires, or never, would pass each.
function findOneSidedQueries({ cases, file }: Suite): readonly Issue[] {
  const queries = cases.flatMap((one) => {
    const question = kindOf(one).question(one)
    return question === null ? [] : [{ at: one.at, ...question }]
  })
  const [first] = queries
  const answers = new Set(queries.map(({ shouldTrigger }) => shouldTrigger))
  if (first === undefined || queries.length < 2 || answers.size > 1) return []
  const message = first.shouldTrigger
    ? 'every query should trigger, so a skill that always triggers would pass. Add queries that should not'
    : 'no query should trigger, so a skill that never triggers would pass. Add queries that should'
  return [warningIn(file, 'one-sided-queries', message, first.at)]
}

/** Reads an `evals.json` or `triggers.json`. Never throws: everything wrong is among its issues. */
async function loadSkillSuite(
  file: string,
  { skill, notes, ...owners }: SkillSuite,
  { root, fs, cache: { ownPaths, fields } }: SuiteContext,
): Promise<Suite> {
  const packageRoot = packageRootOf(file, root)
  const read = await readText(file)
  if (read.issue !== null) {
    return { format: 'skill-evals', file, packageRoot, config: AAM_DEFAULTS, skill, cases: [], issues: [read.issue] }
  }

  const configs = fieldConfigs(file, root)
  for (const config of configs) fs.look(config)
  const { settled, issues } = readSettled(configs, fields)
  const parsed = parseSkillSuite(read.text, { file, packageRoot, skill, ...owners, settled })
  const suite = resolveSkillFiles(parsed, skill, fs, ownPaths)
  const unused = notes.map((message) => warningIn(file, 'unused-evals', message))
  return { ...suite, issues: [...suite.issues, ...issues, ...unused] }
}
