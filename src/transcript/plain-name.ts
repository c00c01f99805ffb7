/** A skill's name as its folder has it: a plugin's skills carry its name in front. */
export function plainName(skill: string): string {
  return skill.slice(skill.lastIndexOf(':') + 1)
}
