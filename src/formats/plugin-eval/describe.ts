import type { Grader, GraderTarget, RegexGrader, ToolMatch, ToolUsedGrader } from './model.ts'

/** What a grader asks, in one sentence; for those of a judge the author's own words. */
export function describeGrader(grader: Grader): { readonly text: string; readonly by: 'check' | 'judge' } {
  switch (grader.type) {
    case 'llm':
      return {
        text: `${grader.criteria}${grader.focus.kind === 'last_message' ? '' : ` (of ${describeTarget(grader.focus)})`}`,
        by: 'judge',
      }
    case 'baseline':
      return { text: `${grader.criteria} (compared with ${grader.baselineFile.path})`, by: 'judge' }
    case 'regex':
      return { text: describeRegex(grader), by: 'check' }
    case 'tool_used':
      return { text: describeUse(grader), by: 'check' }
    case 'tool_order':
      return { text: `${describeTool(grader.before)} is called before ${describeTool(grader.after)}.`, by: 'check' }
    case 'file_exists':
      return { text: `${grader.path} is ${grader.exists ? '' : 'not '}created.`, by: 'check' }
  }
}

function describeRegex({ pattern, flags, match, target }: RegexGrader): string {
  const subject = describeTarget(target)
  const written = `/${pattern}/${flags}`
  const start = `${subject[0]?.toUpperCase() ?? ''}${subject.slice(1)}`
  if (match === 'contains') return `${start} matches ${written}.`
  if (match === 'not_contains') return `${start} does not match ${written}.`
  return `${start} matches ${written} ${match.count === 1 ? 'once' : `${match.count} times`}.`
}

function describeUse(grader: ToolUsedGrader): string {
  const { min, max } = grader
  const least = min ?? 1
  const often =
    max === 0
      ? 'not called'
      : max === null
        ? `called${least === 1 ? '' : ` at least ${least} times`}`
        : max === least
          ? `called exactly ${least === 1 ? 'once' : `${least} times`}`
          : `called ${least} to ${max} times`
  return `${describeTool(grader)} is ${often}.`
}

function describeTool({ tool, inputMatch }: ToolMatch): string {
  return inputMatch === null ? tool : `${tool} with an input that matches /${inputMatch}/`
}

/** What a grader looks at, as a part of a sentence. */
export function describeTarget(target: GraderTarget): string {
  switch (target.kind) {
    case 'last_message':
      return 'the last message'
    case 'trace':
      return 'the trace'
    case 'files':
      return 'the list of created files'
    case 'mock_calls':
      return 'the calls of mocked tools'
    case 'file':
      return `the file ${target.path}`
  }
}
