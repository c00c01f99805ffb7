import type { CheckResult, SeenFile, SeenRun } from '../../checks/check.ts'
import { kindOf, readSentence, runCheck, runChecks } from '../../checks/checks.ts'
import type { EvalCase, Statement, Suite } from '../../formats/suite.ts'
import type { StatementFinding } from '../../judges/known-kinds.ts'
import { readWorkspaceFile } from '../../lib/workspace-file.ts'
import type { AgentRun } from '../../transcript/transcript.ts'

/** Reads a file of the workspace. */
export type ReadFile = (path: string) => Promise<SeenFile>

/** Decides each statement that is a sentence of the documented list; `null` for the others, which are the judge's. */
export function decideStatements(
  statements: readonly Pick<Statement, 'text'>[],
  run: SeenRun['run'],
  read: ReadFile,
): Promise<readonly (StatementFinding | null)[]> {
  return Promise.all(
    statements.map(async ({ text }) => {
      const check = readSentence(text)
      if (check === null) return null
      const paths = kindOf(check.kind)?.reads?.(check, run) ?? []
      const files = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)))
      const seen: SeenRun = { run, hook: null, read: (path) => files.get(path) ?? 'unknown' }
      const { outcome, seen: evidence = '' } = runCheck(check, seen)
      // What was left does not allow to decide it.
      if (outcome === 'errored') return null
      const before = runCheck(check, untouched(seen))
      return { holds: outcome === 'passed', evidence, weak: before.outcome === 'passed' ? HOLDS_BEFORE : null }
    }),
  )
}

/** The remark on an expectation that an agent meets by doing nothing. */
export const HOLDS_BEFORE =
  'It also holds on an untouched workspace, so alone it does not show that the agent did anything.'

/** Reads files of a workspace. */
export function readIn(root: string): ReadFile {
  return async (path) => {
    const found = await readWorkspaceFile(root, path, MOST_BYTES)
    if (found.status === 'missing') return 'missing'
    if (found.status === 'unreadable') return 'unknown'
    const isText = !found.truncated && !found.bytes.includes(0)
    return { text: isText ? found.bytes.toString('utf8') : null }
  }
}

const MOST_BYTES = 4 * 1024 ** 2

// The workspace as it was before the run, as far as its end shows that.
function untouched({ run, hook, read }: SeenRun): SeenRun {
  const { created, modified, deleted } = run.files
  const isCreated = new Set(created.map(({ path }) => path))
  const isOther = new Set([...modified.map(({ path }) => path), ...deleted])
  return {
    run: withoutDeeds(run),
    hook,
    read: (path) => (isCreated.has(path) ? 'missing' : isOther.has(path) ? 'unknown' : read(path)),
  }
}

function withoutDeeds(run: SeenRun['run']): SeenRun['run'] {
  const files = { created: [], modified: [], deleted: [], unreadable: [] }
  return { ...run, output: '', finalMessage: '', transcript: [], files }
}

/** Marks the checks of a skill's eval that a run passes in which nothing happens. */
export function markWeakChecks(
  { suite, evalCase }: { readonly suite: Pick<Suite, 'skill'>; readonly evalCase: Pick<EvalCase, 'checks' | 'target'> },
  checks: readonly CheckResult[],
  run: AgentRun,
): readonly CheckResult[] {
  if (suite.skill === undefined) return checks
  const before = runChecks(evalCase.checks, withoutDeeds(run), evalCase.target)
  return checks.map((check, index) =>
    before[index]?.outcome === 'passed' ? { ...check, weak: check.weak ?? HOLDS_BEFORE } : check,
  )
}
