import { pathFrom } from '../packages/package-root.ts'
import { toPrintableLine } from './printable.ts'
import { groupBy } from '../lists.ts'
import type { Issue } from '../documents/issue.ts'

/** What has no effect, one line for each field of the repository; every place where that is asked for. */
export function describeNoEffect(root: string, issues: readonly Issue[], isVerbose: boolean): readonly string[] {
  const harmless = issues.filter(({ noEffect }) => noEffect === true)
  const show = (issue: Issue): string => toPrintableLine(`${pathFrom(root, issue.file)}:${issue.line}`)
  if (isVerbose) {
    return harmless.map(
      (issue) => `${show(issue)} ${toPrintableLine(`${issue.field}${issue.field === '' ? '' : ': '}${issue.message}`)}`,
    )
  }
  const groups = groupBy(harmless, (issue) => JSON.stringify([nameOf(issue), issue.message]))
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group
    if (first === undefined) return []
    const files = new Set(group.map(({ file }) => file)).size
    const where =
      others.length === 0
        ? show(first)
        : `${group.length} places in ${files} ${files === 1 ? 'file' : 'files'}, first ${show(first)}`
    const name = nameOf(first)
    return [toPrintableLine(`${name === '' ? '' : `${name}: `}${first.message} (${where})`)]
  })
}

// The last name of the path: places in lists are as many as there are entries.
function nameOf({ field }: Issue): string {
  return field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? ''
}
