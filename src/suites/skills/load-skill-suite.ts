import { openTrackedFs } from '../../documents/tracked-fs.ts'
import { readText } from '../../documents/read-text.ts'
import { AAM_DEFAULTS } from '../formats/aam/aam-defaults.ts'
import { parseSkillSuite } from '../formats/skill-evals/skill-suite.ts'
import { packageRootOf } from '../../packages/package-root.ts'
import { resolveSkillFiles } from './skill-files.ts'
import type { SkillSuitePlace } from './skill-suites.ts'
import type { Issue } from '../../documents/issue.ts'
import type { Suite } from '../suite.ts'

/** Reads an `evals.json` or `triggers.json`. Never throws: everything wrong is among its issues. */
export async function loadSkillSuite(
  file: string,
  place: SkillSuitePlace,
  root: string,
  ownPaths: readonly string[] = [],
): Promise<Suite> {
  const { skill, notes, isShared = false, skills = [skill] } = place
  const packageRoot = packageRootOf(file, root)
  const read = await readText(file)
  if (read.issue !== null) {
    return { format: 'skill-evals', file, packageRoot, config: AAM_DEFAULTS, skill, cases: [], issues: [read.issue] }
  }

  const parsed = parseSkillSuite(read.text, { file, packageRoot, skill, isShared, skills })
  const suite = resolveSkillFiles(parsed, skill, openTrackedFs(), ownPaths)
  return { ...suite, issues: [...suite.issues, ...notes.map((message) => noteOf(file, message))] }
}

function noteOf(file: string, message: string): Issue {
  return { code: 'unused-evals', severity: 'warning', file, field: '', message, line: 1, column: 1 }
}
