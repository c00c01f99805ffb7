import { kindOf, readSentence, runCheck } from '../../checks/checks.ts'
import { readWorkspaceFile } from '../../workspace/read-file.ts'
import type { SeenFile, SeenRun } from '../../checks/check.ts'
import type { StatementFinding } from '../../judges/statements/with-decided.ts'
import type { Statement } from '../../suites/suite.ts'

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
      const asked = readSentence(text)
      if (asked === null) return null
      const paths = kindOf(asked.kind)?.reads?.(asked, run) ?? []
      const files = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)))
      const seen: SeenRun = { run, hook: null, read: (path) => files.get(path) ?? 'unknown' }
      const { outcome, seen: evidence = '' } = runCheck(asked, seen)
      // What was left does not allow to decide it.
      if (outcome === 'errored') return null
      const before = runCheck(asked, untouched(seen))
      return { holds: outcome === 'passed', evidence, weak: before.outcome === 'passed' ? HOLDS_BEFORE : null }
    }),
  )
}

/** The remark on an expectation that an agent meets by doing nothing. */
export const HOLDS_BEFORE =
  'It also holds on an untouched workspace, so alone it does not show that the agent did anything.'

/** Reads files of a workspace. */
export function readIn(root: string): ReadFile {
  return (path) => readText(root, path)
}

async function readText(root: string, path: string): Promise<SeenFile> {
  const found = await readWorkspaceFile(root, path, MOST_BYTES)
  if (found.status === 'missing') return 'missing'
  if (found.status === 'unreadable') return 'unknown'
  const isText = !found.truncated && !found.bytes.includes(0)
  return { text: isText ? found.bytes.toString('utf8') : null }
}

const MOST_BYTES = 4 * 1024 ** 2

// The workspace as it was before the run, as far as its end shows that.
function untouched({ run, hook, read }: SeenRun): SeenRun {
  const { created, modified, deleted } = run.files
  const isCreated = new Set(created.map(({ path }) => path))
  const isOther = new Set([...modified.map(({ path }) => path), ...deleted])
  return {
    run: {
      ...run,
      files: { created: [], modified: [], deleted: [], unreadable: [] },
      finalMessage: '',
      output: '',
      transcript: [],
    },
    hook,
    read: (path) => (isCreated.has(path) ? 'missing' : isOther.has(path) ? 'unknown' : read(path)),
  }
}
