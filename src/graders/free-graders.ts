import { toolCalls } from '../transcript/select.ts'
import { found, type Finding } from './grader-result.ts'
import { countMatches, findMatch } from '../patterns.ts'
import { isCreated } from '../checks/file-facts.ts'
import { nameTarget, readTarget } from './target-text.ts'
import type { Grader, ToolMatch } from '../suites/formats/plugin-eval/model.ts'
import type { GradedRun } from './graded-run.ts'

/** A grader that asks no judge. */
export type FreeGrader = Extract<Grader, { type: 'file_exists' | 'regex' | 'tool_order' | 'tool_used' }>

/** Decides a grader from what a run has left. */
export function gradeFree(grader: FreeGrader, graded: GradedRun): Finding {
  switch (grader.type) {
    case 'regex':
      return gradeRegex(grader, graded)
    case 'tool_used':
      return gradeToolUsed(grader, graded)
    case 'tool_order':
      return gradeToolOrder(grader, graded)
    case 'file_exists':
      return gradeFileExists(grader, graded)
  }
}

function gradeRegex(grader: Extract<Grader, { type: 'regex' }>, graded: GradedRun): Finding {
  const { pattern, flags, match, target } = grader
  const content = readTarget(target, graded)
  const name = nameTarget(target)
  // A file that is missing fails, also where the pattern must not be found.
  if (content.kind === 'none') return found(false, content.problem)
  if (content.kind === 'unknown') return { outcome: 'errored', explanation: content.problem }
  if (content.kind === 'image')
    return found(false, `${name} is an image (${content.mediaType}); grade it with an llm grader`)
  const search = countMatches(pattern, flags, content.text)
  const { unsure = [] } = content
  // What nobody has read may be there as well.
  const most = unsure.length === 0 ? search : countMatches(pattern, flags, [content.text, ...unsure].join('\n'))
  for (const one of [search, most]) if ('problem' in one) return { outcome: 'errored', explanation: one.problem }
  const [count, mostCount] = [search, most].map((one) => ('found' in one ? one.found : 0)) as [number, number]
  const isFoundAnyway = count > 0 && typeof match !== 'object'
  const missing = content.missing ?? (count === mostCount ? undefined : `it may have ${unsure.slice(0, 10).join(', ')}`)
  if (missing !== undefined && !isFoundAnyway)
    return { outcome: 'errored', explanation: `${name} is not known completely: ${missing}` }
  if (typeof match === 'object')
    return found(count === match.count, `found ${count} matches in ${name} (expected ${match.count})`)
  if (match === 'not_contains')
    return found(
      count === 0,
      count === 0 ? `pattern absent from ${name}` : `pattern found in ${name} (expected absent)`,
    )
  return found(count > 0, count > 0 ? `matched ${pattern}` : `pattern not found in ${name}`)
}

function gradeToolUsed(grader: Extract<Grader, { type: 'tool_used' }>, { run }: GradedRun): Finding {
  const calls = findCalls(grader, run)
  if ('problem' in calls) return { outcome: 'errored', explanation: calls.problem }
  const min = grader.min ?? 1
  const max = grader.max ?? Number.POSITIVE_INFINITY
  const count = calls.at.length
  const range = `${min}..${grader.max ?? '∞'}`
  return found(count >= min && count <= max, `${grader.tool} called ${count}x (expected ${range})`)
}

// The first of each: a later call of the one does not come before an earlier call of the other.
function gradeToolOrder({ before, after }: Extract<Grader, { type: 'tool_order' }>, { run }: GradedRun): Finding {
  const [one, other] = [findCalls(before, run), findCalls(after, run)]
  for (const calls of [one, other]) if ('problem' in calls) return { outcome: 'errored', explanation: calls.problem }
  const first = 'at' in one ? one.at[0] : undefined
  const second = 'at' in other ? other.at[0] : undefined
  if (first === undefined) return found(false, `"before" tool ${before.tool} never called`)
  if (second === undefined) return found(false, `"after" tool ${after.tool} never called`)
  const comesFirst = first < second
  const verb = comesFirst ? 'precedes' : 'does not precede'
  return found(comesFirst, `${before.tool} (call ${first + 1}) ${verb} ${after.tool} (call ${second + 1})`)
}

function gradeFileExists({ path, exists }: Extract<Grader, { type: 'file_exists' }>, { run }: GradedRun): Finding {
  const fact = isCreated(path, run.files)
  if (fact.is === 'unknown')
    return { outcome: 'errored', explanation: `whether ${path} was created is unknown: ${fact.because}` }
  const isThere = fact.is === 'yes'
  const state = isThere ? 'was created' : 'was not created'
  return found(
    isThere === exists,
    `${path} ${state}${isThere === exists ? '' : ` (expected ${exists ? 'present' : 'absent'})`}`,
  )
}

type Calls = { readonly at: readonly number[] } | { readonly problem: string }

/** Places of the calls among all calls, those of sub-agents and those that were refused included. */
function findCalls({ tool, inputMatch }: ToolMatch, run: GradedRun['run']): Calls {
  const at: number[] = []
  for (const [index, { call }] of toolCalls(run).entries()) {
    if (call.tool !== tool) continue
    const search = inputMatch === null ? { found: '' } : findMatch(inputMatch, '', JSON.stringify(call.input))
    if ('problem' in search) return search
    if (search.found !== null) at.push(index)
  }
  return { at }
}
