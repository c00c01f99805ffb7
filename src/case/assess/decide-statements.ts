import { decideSentence, type SeenFile, type SentenceSubject } from '../../checks/decide-sentence.ts'
import { readSentence } from '../../checks/sentence.ts'
import { readWorkspaceFile } from '../../workspace/read-file.ts'
import type { StatementFinding } from '../../judges/statements/with-decided.ts'
import type { Statement } from '../../suites/suite.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** Decides each statement that is a sentence of the documented list; `null` for the others, which are the judge's. */
export function decideStatements(
  statements: readonly Pick<Statement, 'text'>[],
  run: AgentRun,
  read: SentenceSubject['read'],
): Promise<readonly (StatementFinding | null)[]> {
  const subject: SentenceSubject = { run, read }
  return Promise.all(
    statements.map(async ({ text }) => {
      const sentence = readSentence(text)
      if (sentence === null) return null
      const finding = await decideSentence(sentence, subject)
      if (finding === null) return null
      const before = await decideSentence(sentence, untouched(subject))
      return { ...finding, weak: before?.holds === true ? HOLDS_BEFORE : null }
    }),
  )
}

/** The remark on an expectation that an agent meets by doing nothing. */
export const HOLDS_BEFORE =
  'It also holds on an untouched workspace, so alone it does not show that the agent did anything.'

/** Reads files of a workspace. */
export function readIn(root: string): SentenceSubject['read'] {
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
function untouched({ run, read }: SentenceSubject): SentenceSubject {
  const { created, modified, deleted } = run.files
  const isCreated = new Set(created.map(({ path }) => path))
  const isOther = new Set([...modified.map(({ path }) => path), ...deleted])
  return {
    run: {
      files: { created: [], modified: [], deleted: [], unreadable: [] },
      finalMessage: '',
      output: '',
      transcript: [],
    },
    read: async (path) => (isCreated.has(path) ? 'missing' : isOther.has(path) ? 'unknown' : read(path)),
  }
}
