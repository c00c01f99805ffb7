import { join } from 'node:path'
import { kindOf } from '../../suites/kinds.ts'
import { packageRootOf, pathFrom } from '../../packages/package-root.ts'
import { loadSuite } from '../../suites/load-suite.ts'
import { scenarioText } from './case-files.ts'
import { queriesFor } from './requests.ts'
import { formatJson } from '../../json.ts'
import type { SuiteCache } from '../../suites/suite-cache.ts'
import type { Skill } from '../../packages/package.ts'
import type { NewFile } from './new-file.ts'

/** The trigger file of a skill. */
export function triggerFile(skill: Skill): NewFile {
  const { positive, negative } = queriesFor(skill)
  const queries = [
    ...positive.map((query) => ({ query, should_trigger: true })),
    ...negative.map((query) => ({ query, should_trigger: false })),
  ]
  const content = {
    _note: 'Edit the queries, then run with --live. Several runs per query show how sure the model is.',
    runs_per_query: 1,
    queries,
  }
  return { file: join(skill.dir, 'evals', 'triggers.json'), text: formatJson(content) }
}

/** With what suites are loaded. */
interface SuiteSearch {
  readonly root: string
  readonly cache: SuiteCache
}

/** A scenario for each query of a trigger file that was written: an edited query has none, and is asked for real. */
export async function triggerScenarios(
  skill: Skill,
  file: string,
  { root, cache }: SuiteSearch,
): Promise<readonly NewFile[]> {
  const { cases } = await loadSuite(file, { root, cache })
  const packageRoot = packageRootOf(file, root)
  // The suite's own folder: queries of several skills may be the same.
  const folder = join(packageRoot, 'evals', 'scenarios', pathFrom(packageRoot, file).replace(/\.json$/, ''))
  return cases.map((evalCase) => {
    const scenario = join(folder, `${kindOf(evalCase).slug(evalCase)}.yaml`)
    const isUsed = kindOf(evalCase).question(evalCase)?.shouldTrigger === true
    const calls = isUsed ? [{ tool: 'Skill', input: { skill: skill.name } }] : []
    return { file: scenario, text: scenarioText(scenario, { calls, answer: 'That is all.', isJudged: false }) }
  })
}
