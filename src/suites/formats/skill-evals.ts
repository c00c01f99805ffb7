import { warningAt } from '../../documents/document.ts'
import { readCommonExpectations, readExpectations } from './expectations.ts'
import { type SkillEntry } from './skill-entry.ts'
import { oneLine } from './one-line.ts'
import type { Issue } from '../../documents/issue.ts'
import type { Criteria, Statement } from '../suite.ts'
import type { EntryCase, ReadEntry } from './read-entry.ts'
import { inlineFiles, missingPrompt, namedFiles, promptFieldOf, unsentPrompts, withPrefix } from './entry-parts.ts'

/** Reads an artifact eval: a prompt, and what has to hold once it is done. */
export function readSkillEval(read: ReadEntry): EntryCase {
  const { entry, document, shared, skill } = read
  const promptField = promptFieldOf(entry)
  if (promptField === null) return { evalCase: null, issues: [missingPrompt(read, 'prompt')] }

  const { id, issues } = idOf(read)
  const own = readExpectations(entry, document)
  const common = readCommonExpectations(shared.common_assertions, read.common)
  const statements = [...own.statements, ...common.statements]
  const checks = [...own.checks, ...common.checks]
  const at = document.positionOf([idField(entry) ?? promptField])
  const isSilent = statements.length + checks.length + own.issues.length + common.issues.length === 0
  const none = isSilent ? [noExpectations(read)] : []
  const title = entry.eval_name ?? entry.name ?? entry.title
  const name = title === undefined || oneLine(title) === id ? id : `${id} ${oneLine(title)}`
  return {
    issues: [...issues, ...unsentPrompts(read), ...own.issues, ...common.issues, ...none],
    evalCase: {
      id,
      name: oneLine(name),
      description: entry.description ?? null,
      target: { kind: 'skill', name: skill.name },
      prompt: withPrefix(entry, entry[promptField] ?? ''),
      files: namedFiles(read),
      workspaceFiles: inlineFiles(read),
      checks,
      criteria: criteriaOf(statements, entry),
      tags: read.tags,
      category: entry.category ?? null,
      timeout: entry.timeout ?? shared.timeout ?? null,
      runs: entry.runs ?? shared.runs ?? null,
      passThreshold: entry.pass_threshold ?? shared.pass_threshold ?? null,
      at,
      promptAt: document.positionOf([promptField]),
    },
  }
}

/** The id as written; without one its number, with a remark. */
function idOf({ entry, document, number }: ReadEntry): { readonly id: string; readonly issues: readonly Issue[] } {
  const written = entry.id ?? entry.eval_id ?? entry.slug ?? entry.eval_name
  if (written !== undefined) return { id: oneLine(String(written)), issues: [] }
  const message = `missing; it is number ${number} of the file until somebody inserts another. Give it a stable id`
  return { id: `eval-${number}`, issues: [warningAt(document, ['id'], 'missing-field', message)] }
}

function idField(entry: SkillEntry): 'eval_id' | 'eval_name' | 'id' | 'slug' | null {
  return (['id', 'eval_id', 'slug', 'eval_name'] as const).find((field) => entry[field] !== undefined) ?? null
}

function criteriaOf(statements: readonly Statement[], entry: SkillEntry): Criteria | null {
  const [first] = statements
  if (first === undefined) return null
  const text = statements.map((statement) => `- ${statement.text}`).join('\n')
  const expectedOutput = entry.expected_output
  return { text, at: first.at, statements, ...(expectedOutput === undefined ? {} : { expectedOutput }) }
}

function noExpectations({ document }: ReadEntry): Issue {
  const message = 'no expectations: nothing says what would be right, so the eval is skipped'
  return warningAt(document, ['expectations'], 'no-expectations', message)
}
