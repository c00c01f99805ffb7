import { formatIssue, isError, type Issue } from '../lib/documents/document.ts'
import { groupBy } from '../lib/lists.ts'
import { plural, toPrintableLine } from '../lib/text.ts'
import { pathFrom } from '../packages/package-root.ts'

/** Errors, one line each. Those that say the same of a field in many places share a line, unless each is asked for. */
export function describeErrors(root: string, issues: readonly Issue[], isVerbose: boolean): readonly string[] {
  const errors = issues.filter(isError)
  const describe = (issue: Issue): string => formatIssue(issue, root)
  return isVerbose ? errors.map(describe).map(toPrintableLine) : describeGroups(root, errors, describe)
}

/** One note for each name of a file that has no effect, with the number of entries that have it. */
export function joinNoEffect(issues: readonly Issue[]): readonly Issue[] {
  const groups = groupBy(issues, (issue) =>
    issue.noEffect === true ? JSON.stringify([namesOf(issue), issue.message]) : issue,
  )
  return [...groups.values()].flatMap(([first, ...others]): readonly Issue[] => {
    if (first === undefined || others.length === 0) return first === undefined ? [] : [first]
    const count = ` (${others.length + 1} entries)`
    return [{ ...first, message: first.message.replace(/^[^;:,.]*/, (what) => what + count) }]
  })
}

/** What has no effect, one line for each field of the repository; every place where that is asked for. */
export function describeNoEffect(root: string, issues: readonly Issue[], isVerbose: boolean): readonly string[] {
  const harmless = issues.filter(({ noEffect }) => noEffect === true)
  return isVerbose
    ? harmless.map((issue) => toPrintableLine(`${placeOf(issue, root)} ${say(issue.field, issue)}`))
    : describeGroups(root, harmless, (issue) => `${say(nameOf(issue), issue)} (${placeOf(issue, root)})`)
}

function describeGroups(root: string, issues: readonly Issue[], describe: (issue: Issue) => string): readonly string[] {
  const groups = groupBy(issues, (issue) => JSON.stringify([nameOf(issue), issue.message]))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const files = plural(new Set(group.map(({ file }) => file)).size, 'file')
    const places = `(${group.length} places in ${files}, first ${placeOf(first, root)})`
    return [toPrintableLine(group.length === 1 ? describe(first) : `${say(nameOf(first), first)} ${places}`)]
  })
}

function placeOf({ file, line }: Issue, root: string): string {
  return `${pathFrom(root, file)}:${line}`
}

function say(field: string, { message }: Issue): string {
  if (field === '') return message
  return message.startsWith('has no effect') ? `"${field}" ${message}` : `${field}: ${message}`
}

// The last name of the path: places in lists are as many as there are entries.
function nameOf({ field }: Issue): string {
  return namesOf({ field }).at(-1) ?? ''
}

function namesOf({ field }: Pick<Issue, 'field'>): readonly string[] {
  return field.split('.').filter((part) => !/^\d+$/.test(part))
}
