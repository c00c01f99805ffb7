import { errorAt } from '../../documents/document.ts'
import { oneLine } from './one-line.ts'
import { sha256 } from '../../sha256.ts'
import type { Issue } from '../../documents/issue.ts'
import type { TriggerQuestion } from '../suite.ts'
import type { EntryCase, ReadEntry } from './read-entry.ts'
import { inlineFiles, missingPrompt, namedFiles, promptFieldOf, unsentPrompts, withPrefix } from './entry-parts.ts'

/** Reads a trigger query: a prompt, and which skill it should make the agent use. */
export function readTrigger(read: ReadEntry): EntryCase {
  const { entry, document, shared, skill } = read
  const field = promptFieldOf(entry)
  if (field === null) return { evalCase: null, issues: [missingPrompt(read, 'query')] }
  const { expected, issues } = expectationOf(read)
  if (expected === null) return { evalCase: null, issues }

  const query = entry[field] ?? ''
  const promptAt = document.positionOf([field])
  const written = entry.id ?? entry.eval_id ?? entry.slug
  return {
    issues: [...issues, ...unsentPrompts(read)],
    evalCase: {
      id: written === undefined ? queryId(query, expected) : oneLine(String(written)),
      name: oneLine(query),
      description: entry.description ?? null,
      target: { kind: 'skill', name: skill.name },
      prompt: withPrefix(entry, query),
      files: namedFiles(read),
      workspaceFiles: inlineFiles(read),
      checks: [],
      criteria: null,
      tags: read.tags,
      category: entry.category ?? null,
      timeout: entry.timeout ?? shared.timeout ?? null,
      at: promptAt,
      promptAt,
      trigger: {
        ...expected,
        runs: entry.runs ?? entry.runs_per_query ?? shared.runs_per_query ?? shared.runs ?? null,
        threshold: entry.threshold ?? entry.trigger_threshold ?? shared.trigger_threshold ?? shared.threshold ?? null,
      },
    },
  }
}

type Expected = Pick<TriggerQuestion, 'shouldTrigger' | 'skill'>

const ROUTES = ['expected_skill', 'expect_skill', 'route', 'expect'] as const

interface Read {
  readonly expected: Expected | null
  readonly issues: readonly Issue[]
}

function expectationOf({ entry, document, skill }: ReadEntry): Read {
  const route = ROUTES.find((field) => entry[field] !== undefined)
  const routed = route === undefined ? undefined : entry[route]
  const { should_trigger: should, should_not_trigger: shouldNot } = entry
  const said = should ?? (shouldNot === undefined ? undefined : !shouldNot)
  const mistake = (field: string, message: string): Read => ({
    expected: null,
    issues: [errorAt(document, [field], 'contradiction', message)],
  })
  if (should !== undefined && shouldNot !== undefined && should === shouldNot) {
    return mistake('should_not_trigger', 'contradicts "should_trigger"; keep one of them')
  }

  if (route === undefined || routed === undefined) {
    return { expected: { skill: skill.name, shouldTrigger: said ?? true }, issues: [] }
  }
  if (said !== undefined && said !== (routed === skill.name)) {
    const field = should === undefined ? 'should_not_trigger' : 'should_trigger'
    return mistake(field, `contradicts ${JSON.stringify(route)}, which names ${routed ?? 'no skill'}; keep one of them`)
  }
  // No skill at all is to be used, not even another one.
  if (routed === null) return { expected: { skill: null, shouldTrigger: false }, issues: [] }
  return { expected: { skill: routed, shouldTrigger: true }, issues: [] }
}

// The same query keeps its id wherever it stands in the file.
function queryId(query: string, { skill, shouldTrigger }: Expected): string {
  const hash = sha256(query.trim(), 8)
  return `t-${hash}${shouldTrigger || skill !== null ? '' : '-none'}`
}
