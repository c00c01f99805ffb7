import { join } from 'node:path'
import type { FieldPath, Position } from '../../lib/documents/document.ts'
import type { CasePath, Grader, GraderTarget, PluginEvalCase, ToolMatch } from './model.ts'
import type { MergedCase, Place } from './read-case-files.ts'
import type { WrittenCase, WrittenGrader, WrittenTarget, WrittenToolMatch } from './schema.ts'

/** Where a case is, beside what its files say. */
export interface CaseLocation extends Pick<PluginEvalCase, 'caseDir' | 'evalsDir' | 'pluginDirs' | 'source'> {
  readonly mocks: PluginEvalCase['mocks']
}

/** Builds the model of a case whose files are valid. Pure: whether its paths exist is not looked at. */
export function toPluginEval(value: WrittenCase, merged: MergedCase, location: CaseLocation): PluginEvalCase {
  const at = (path: FieldPath): Position => positionOf(merged.placeOf(path))
  const pathAt = (path: string, field: FieldPath): CasePath => ({
    path,
    file: join(location.caseDir, path),
    at: at(field),
  })
  const { context, execution } = value
  const optional = (path: string | undefined, field: string): CasePath | null =>
    path === undefined ? null : pathAt(path, ['context', field])
  return {
    ...location,
    name: value.name,
    expectedOutcome: value.expected_outcome ?? null,
    runs: value.runs,
    context: {
      scaffold: optional(context.scaffold_script, 'scaffold_script'),
      history: optional(context.history_file, 'history_file'),
      addDirs: context.add_dirs.map((path, index) => pathAt(path, ['context', 'add_dirs', index])),
    },
    execution: {
      maxTurns: execution.max_turns,
      timeoutSeconds: execution.timeout_seconds,
      model: execution.model ?? null,
      allowedTools: execution.allowed_tools,
      disallowedTools: execution.disallowed_tools?.filter((name) => name !== '') ?? [],
      appendSystemPrompt: execution.append_system_prompt ?? null,
      env: execution.env,
    },
    graders: value.graders.map((grader, index) =>
      toGrader(grader, at(['graders', index]), (path) => pathAt(path, ['graders', index, 'baseline_file'])),
    ),
  }
}

function toGrader(written: WrittenGrader, at: Position, pathAt: (path: string) => CasePath): Grader {
  const base = { name: written.name, weight: written.weight, arm: written.arm ?? null, at }
  switch (written.type) {
    case 'regex':
      return {
        ...base,
        type: 'regex',
        pattern: written.pattern,
        flags: written.flags,
        match: toMatch(written.match),
        target: toTarget(written.target),
      }
    case 'tool_order':
      return { ...base, type: 'tool_order', before: toToolMatch(written.before), after: toToolMatch(written.after) }
    case 'tool_used':
      return {
        ...base,
        type: 'tool_used',
        tool: written.tool,
        inputMatch: written.input_match ?? null,
        min: written.min ?? null,
        max: written.max ?? null,
      }
    case 'file_exists':
      return { ...base, type: 'file_exists', path: written.path, exists: written.exists }
    case 'llm':
      return { ...base, type: 'llm', criteria: written.criteria, focus: toTarget(written.focus) }
    case 'baseline':
      return { ...base, type: 'baseline', baselineFile: pathAt(written.baseline_file), criteria: written.criteria }
  }
}

function toMatch(match: string): 'contains' | 'not_contains' | { readonly count: number } {
  if (match === 'contains' || match === 'not_contains') return match
  return { count: Number(match.slice('count:'.length)) }
}

function toTarget(target: WrittenTarget): GraderTarget {
  return typeof target === 'string' ? { kind: target } : { kind: 'file', path: target.path }
}

function toToolMatch(match: WrittenToolMatch): ToolMatch {
  return typeof match === 'string'
    ? { tool: match, inputMatch: null }
    : { tool: match.tool, inputMatch: match.input_match ?? null }
}

function positionOf({ line, column }: Place): Position {
  return { line, column }
}
