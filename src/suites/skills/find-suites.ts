import { basename, dirname, extname } from 'node:path'
import { assignSuites } from './assign-suites.ts'
import { findFiles } from '../discover.ts'
import { isAamCase } from '../formats/aam/recognise.ts'
import { FOREIGN_GLOBS, noteForeign, noteUnread } from './foreign-suites.ts'
import { indexCases } from '../case-index.ts'
import { indexOverlaySkills, indexSkills } from './skill-index.ts'
import { findOtherCases, OTHER_CASE_GLOBS } from './other-cases.ts'
import { NOT_SKILLS } from './find-skills.ts'
import { readCandidates, SKILL_SUITE_GLOBS } from './suite-files.ts'
import { readSuiteValue } from '../suite-document.ts'
import { noteStrayCases, STRAY_CASE_GLOBS } from './stray-cases.ts'
import { mapInPortions } from '../../lists.ts'
import { takeNamed } from './take-named.ts'
import type { SkillSearch, SkillSuites } from './skill-suites.ts'

/** Finds the suites below a root and the skill that owns each. */
export async function discoverSkillSuites(
  root: string,
  { evals, skill, fields }: SkillSearch = { evals: null, skill: null },
): Promise<SkillSuites> {
  const files = await findFiles(
    root,
    ['**/SKILL.md', ...SKILL_SUITE_GLOBS, ...FOREIGN_GLOBS, ...OTHER_CASE_GLOBS, ...STRAY_CASE_GLOBS],
    NOT_SKILLS,
  )
  const skillFiles = files.filter((file) => basename(file) === 'SKILL.md')
  const skills = await indexSkills(skillFiles, root)
  const overlays = await indexOverlaySkills(skillFiles, root)
  if (evals !== null) return takeNamed({ root, skills, overlays }, evals, skill)
  const read = await readCandidates(files, root, skills, fields)
  const inJson = new Set(read.flatMap(({ file }) => (file.endsWith('.json') ? [withoutEnding(file)] : [])))
  // In other notations most files are of other tools, and some are copies of one beside them.
  const candidates = read.filter(({ file, reason }) => {
    return file.endsWith('.json') || (reason === null && !inJson.has(withoutEnding(file)))
  })
  const suites = new Set(candidates.map(({ file }) => file))
  const others = files.filter((file) => !suites.has(file))
  const found = assignSuites(candidates, { root, skills, overlays })
  const unread = candidates.filter(({ file, reason }) => reason !== null && !found.suites.has(file))
  const cases = await findOtherCases(others, root)
  const named = [
    ...candidates.filter(({ file }) => found.suites.has(file)).map(({ file, value }) => [file, value] as const),
    ...cases.map((file) => [file, readSuiteValue(file)] as const),
  ]
  const strays = noteStrayCases(others, root)
  // A case of ours may be called `pdf-evals.yaml`, too.
  const known = new Set([...strays.map(({ file }) => file), ...(await mapInPortions(cases, readAsCase)).flat()])
  return {
    ...found,
    cases: indexCases(named),
    notes: [
      ...found.notes,
      ...noteUnread(unread, root),
      ...strays,
      ...noteForeign(
        others.filter((file) => !known.has(file)),
        root,
      ),
    ],
  }
}

// What another tool keeps in `evals/cases` is not of this format.
async function readAsCase(file: string): Promise<readonly string[]> {
  const isAtCases = basename(dirname(file)) === 'cases' && /\.ya?ml$/.test(file)
  return isAtCases && !(await isAamCase(file)) ? [] : [file]
}

function withoutEnding(file: string): string {
  return file.slice(0, -extname(file).length)
}
