import { readText } from '../../documents/read-text.ts'
import { AAM_DEFAULTS } from '../formats/aam/aam-defaults.ts'
import { fieldConfigs, readSettled } from '../formats/skill-evals/settled-fields.ts'
import type { FieldsOption } from '../formats/skill-evals/vocabulary.ts'
import { parseSkillSuite } from '../formats/skill-evals/skill-suite.ts'
import { packageRootOf } from '../../packages/package-root.ts'
import { resolveSkillFiles } from './skill-files.ts'
import type { TrackedFs } from '../../documents/tracked-fs.ts'
import type { SkillSuitePlace } from './skill-suites.ts'
import type { Issue } from '../../documents/issue.ts'
import type { Suite } from '../suite.ts'

/** What the suite of a skill is read with. */
export interface LoadSkillSuite {
  readonly root: string
  /** Remembers what the suite is read from. */
  readonly fs: TrackedFs
  readonly ownPaths: readonly string[]
  /** The plugin's option `fields`. */
  readonly fields: FieldsOption
}

/** Reads an `evals.json` or `triggers.json`. Never throws: everything wrong is among its issues. */
export async function loadSkillSuite(
  file: string,
  { skill, notes, ...owners }: SkillSuitePlace,
  { root, fs, ownPaths, fields }: LoadSkillSuite,
): Promise<Suite> {
  const packageRoot = packageRootOf(file, root)
  const read = await readText(file)
  if (read.issue !== null) {
    return { format: 'skill-evals', file, packageRoot, config: AAM_DEFAULTS, skill, cases: [], issues: [read.issue] }
  }

  const configs = fieldConfigs(file, root)
  for (const config of configs) fs.look(config)
  const { settled, issues } = readSettled(configs, fields)
  const parsed = parseSkillSuite(read.text, { file, packageRoot, skill, ...owners, settled })
  const suite = resolveSkillFiles(parsed, skill, fs, ownPaths)
  return { ...suite, issues: [...suite.issues, ...issues, ...notes.map((message) => noteOf(file, message))] }
}

function noteOf(file: string, message: string): Issue {
  return { code: 'unused-evals', severity: 'warning', file, field: '', message, line: 1, column: 1 }
}
