import { hash } from 'node:crypto'
import { QUESTION } from '../../judges/judgement.ts'
import type { AskedHash } from '../../results/result.ts'
import { kindOf } from '../../suites/kinds.ts'
import type { DeclaredCheck } from '../../checks/checks.ts'
import type { CasePart, Criteria } from '../../suites/suite.ts'

/** What of a case decides what is asked of the agent and of its judge. */
export type AskedCase = CasePart<'checks' | 'criteria' | 'files' | 'prompt' | 'workspaceFiles'>

/**
 * Hashes what a case asks, part by part: two reports compare only cases that ask the same, and say what differs.
 * Comments, descriptions and the order of lines are no part of it.
 */
export function hashCase(evalCase: AskedCase): readonly AskedHash[] {
  const { prompt, criteria, checks, files, workspaceFiles } = evalCase
  const expected = [...checks.map(withoutPlace), ...kindOf(evalCase).expected(evalCase)]
  const placed = [
    ...files.map(({ to }) => [to, null]),
    ...workspaceFiles.map(({ to, from, content }) => [to, from === null ? content : null]),
  ]
  return [
    { role: 'prompt', hash: hashOf(prompt) },
    { role: 'checks', hash: hashOf(JSON.stringify(expected.toSorted(byText))) },
    { role: 'workspace', hash: hashOf(JSON.stringify(placed.toSorted(byText))) },
    ...(criteria === null
      ? []
      : ([
          { role: 'criteria', hash: hashOf(JSON.stringify(wordsOf(criteria))) },
          { role: 'judge-prompt', hash: hashOf(QUESTION) },
        ] as const)),
  ]
}

function withoutPlace({ at: _at, says: _says, ...check }: DeclaredCheck): object {
  return 'folder' in check ? { ...check, folder: '' } : check
}

function wordsOf({ text, statements, context }: Criteria): readonly unknown[] {
  return [text.trim(), statements?.map((statement) => statement.text) ?? null, context?.join('\n\n') ?? null]
}

function byText(a: unknown, b: unknown): number {
  const [x, y] = [JSON.stringify(a), JSON.stringify(b)]
  return x < y ? -1 : x > y ? 1 : 0
}

function hashOf(text: string): string {
  return hash('sha256', text)
}
