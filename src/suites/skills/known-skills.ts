import type { KnownSkill, SkillUnderTest } from '../suite.ts'

/** The names that a skill goes by, the one that it is installed under first. */
export function namesOf({ name, alias }: Pick<KnownSkill, 'alias' | 'name'>): readonly string[] {
  return alias === undefined ? [name] : [name, alias]
}

/**
 * The skill of a name as people write it: `pdf`, `/pdf`, `plugin:pdf`, `pdf/SKILL.md`. A name under which a skill is
 * installed comes before another one's front matter.
 */
export function findSkill(written: string, skills: readonly KnownSkill[]): KnownSkill | null {
  const name = plainSkillName(written)
  return skills.find((skill) => skill.name === name) ?? skills.find((skill) => skill.alias === name) ?? null
}

/** A skill's name without what people write around it. */
export function plainSkillName(written: string): string {
  const path = written
    .trim()
    .replace(/^[/@$]/, '')
    .replace(/\/?SKILL\.md$/i, '')
  const afterColon = path.slice(path.lastIndexOf(':') + 1)
  return afterColon.slice(afterColon.lastIndexOf('/') + 1)
}

/** A skill as the cases of a folder of evals are about it. */
export function underTest({ name, alias, dir, projectRoot }: KnownSkill, evalsDir: string): SkillUnderTest {
  return { name, ...(alias === undefined ? {} : { alias }), dir, projectRoot, evalsDir }
}
