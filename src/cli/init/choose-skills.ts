import { createInterface } from 'node:readline/promises'
import { AgentEvalsError } from '../../errors.ts'
import { suggestName } from '../../documents/nearest-name.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { isCi } from '../../sandbox/detect-environment.ts'
import { findSkill, namesOf } from '../../suites/skills/known-skills.ts'
import { plural } from '../output/terminal.ts'
import { MAX_SKILLS } from './write-evals.ts'
import type { Skill } from '../../packages/package.ts'
import type { Survey } from './survey.ts'

/** What of a repository is to get first cases. */
export interface ChosenSkills {
  readonly root: string
  /** Names of skills, separated by commas; `null` where nobody said. */
  readonly named: string | null
  readonly all: boolean
}

/**
 * The part of a survey that cases are written for. Where several plugins have more skills than a first run takes, the
 * author chooses: any choice of ours would be the first of the alphabet.
 *
 * @throws {AgentEvalsError} `no-match` for a skill that is not there; `invalid-options` where a choice is missing and
 * nobody can be asked.
 */
export async function chooseSkills(survey: Survey, { root, named, all }: ChosenSkills): Promise<Survey> {
  if (named !== null) return only(survey, findNamed(named, survey.skills))
  const owners = survey.packages.filter(({ skills }) => skills.length > 0)
  if (all || survey.skills.length <= MAX_SKILLS || owners.length < 2) return survey
  const found = `${plural(survey.skills.length, 'skill')} in ${plural(owners.length, 'package')}`
  const examples = owners.slice(0, MOST_EXAMPLES).map(({ root: folder, skills }) => {
    const names = skills.slice(0, 3).map(({ name }) => name)
    return `  ${pathFrom(root, folder) || '.'}: ${names.join(', ')}${skills.length > names.length ? ', …' : ''}`
  })
  const more =
    owners.length > examples.length ? [`  and ${plural(owners.length - examples.length, 'package')} more`] : []
  const answer = await ask([`There are ${found}:`, ...examples, ...more])
  if (answer !== null && answer.trim() !== '') return only(survey, findNamed(answer, survey.skills))
  throw new AgentEvalsError(
    'invalid-options',
    [
      `There are ${found}, and nothing was written. Name those to begin with, as in --skill ${survey.skills[0]?.name ?? 'NAME'}; --all writes cases for every one.`,
      ...examples,
      ...more,
    ].join('\n'),
  )
}

const MOST_EXAMPLES = 8

function findNamed(named: string, skills: readonly Skill[]): readonly Skill[] {
  const names = named.split(/[\s,]+/).filter((name) => name !== '')
  return names.map((name) => {
    const known = skills.map((skill) => ({ ...skill, projectRoot: skill.dir }))
    const found = findSkill(name, known)
    const skill = skills.find(({ dir }) => dir === found?.dir)
    if (skill !== undefined) return skill
    throw new AgentEvalsError(
      'no-match',
      `There is no skill ${JSON.stringify(name)}.${suggestName(name, skills.flatMap(namesOf))}`,
    )
  })
}

function only({ packages }: Survey, skills: readonly Skill[]): Survey {
  const dirs = new Set(skills.map(({ dir }) => dir))
  const owners = packages.flatMap((pkg) => {
    const own = pkg.skills.filter(({ dir }) => dirs.has(dir))
    return own.length === 0 ? [] : [{ ...pkg, skills: own, hookGroups: [], agents: [], commands: [] }]
  })
  return { packages: owners, skills }
}

// `null` where nobody can answer.
async function ask(lines: readonly string[]): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stdout.isTTY || isCi(process.env)) return null
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const question = `${lines.join('\n')}\nWhich skills first (names, separated by commas)? `
  const answer = await terminal.question(question).catch(() => '')
  terminal.close()
  return answer
}
