import type { Grader, GraderTarget, ToolMatch } from './model.ts'

/** The fields of a grader as an author writes them, without its name, type and weight. */
export function writtenConfig(grader: Grader): Readonly<Record<string, unknown>> {
  const arm = grader.arm === null ? {} : { arm: grader.arm }
  switch (grader.type) {
    case 'regex': {
      const match = typeof grader.match === 'string' ? grader.match : `count:${grader.match.count}`
      return { target: writtenTarget(grader.target), pattern: grader.pattern, flags: grader.flags, match, ...arm }
    }
    case 'tool_order':
      return { before: writtenTool(grader.before), after: writtenTool(grader.after), ...arm }
    case 'tool_used':
      return {
        ...writtenTool(grader),
        ...(grader.min === null ? {} : { min: grader.min }),
        ...(grader.max === null ? {} : { max: grader.max }),
        ...arm,
      }
    case 'file_exists':
      return { path: grader.path, exists: grader.exists, ...arm }
    case 'llm':
      return { criteria: grader.criteria, focus: writtenTarget(grader.focus), ...arm }
    case 'baseline':
      return { baseline_file: grader.baselineFile.path, criteria: grader.criteria, ...arm }
  }
}

function writtenTarget(target: GraderTarget): unknown {
  return target.kind === 'file' ? { source: 'file', path: target.path } : target.kind
}

function writtenTool({ tool, inputMatch }: ToolMatch): Readonly<Record<string, unknown>> {
  return { tool, ...(inputMatch === null ? {} : { input_match: inputMatch }) }
}
