import { requireEngine } from '../../engines/registry.ts'
import { AgentEvalsError } from '../../errors.ts'
import { errorAt } from '../../documents/document.ts'
import { readDocument } from '../../documents/read-document.ts'
import { readText } from '../../documents/read-text.ts'
import type { Issue } from '../../documents/issue.ts'
import type { SuiteConfig } from '../../suites/suite.ts'

/** An error for an engine that cannot be driven; every case of the configuration would be errored. */
export async function findUnsupportedEngine({ file, engine }: SuiteConfig): Promise<readonly Issue[]> {
  const problem = engine === null ? null : problemOf(engine)
  if (file === null || problem === null) return []
  const { text } = await readText(file)
  if (text === null) return []
  const document = readDocument(text, { kind: 'json', file, what: 'configuration' })
  return [errorAt(document, ['engine'], 'unsupported-engine', problem)]
}

function problemOf(engine: string): string | null {
  try {
    requireEngine(engine, [])
    return null
  } catch (error) {
    if (error instanceof AgentEvalsError) return error.message
    throw error
  }
}
