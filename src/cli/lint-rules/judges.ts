import { problemOfJudge } from '../../judges/choose.ts'
import { errorAt } from '../../suites/document/document.ts'
import { readDocument } from '../../suites/document/read-document.ts'
import { readText } from '../../suites/document/read-text.ts'
import type { Issue } from '../../suites/issue.ts'
import type { SuiteConfig } from '../../suites/suite.ts'

/** An error for a judge that cannot be asked; every case that is judged would be errored. */
export async function findUnknownJudge({ file, judge }: SuiteConfig): Promise<readonly Issue[]> {
  const problem = judge === null ? null : problemOfJudge(judge)
  if (file === null || problem === null) return []
  const { text } = await readText(file)
  if (text === null) return []
  const document = readDocument(text, { kind: 'json', file, what: 'configuration' })
  return [errorAt(document, ['judge'], 'unknown-judge', problem)]
}
