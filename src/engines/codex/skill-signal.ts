/**
 * Which skills a command has read: Codex has no tool for skills, a model reads the file. What only lists files, or finds
 * a name in them, prints no front matter and reads none.
 */
export function skillsRead(command: string, output: string): readonly string[] {
  if (!command.includes('SKILL.md')) return []
  const named = [...command.matchAll(READ)].flatMap((match) => match[1] ?? [])
  const printed = [...output.matchAll(FRONT_MATTER)].flatMap((match) => match[1] ?? [])
  return [...new Set([...named, ...printed])]
}

const READ = /\b(?:cat|head|tail|less|more|sed|awk|nl|bat)\b[^|;&\n]*?skills\/([\w.-]+)\/SKILL\.md/g
const FRONT_MATTER = /^---\n(?:[^\n]+\n)*?name:\s*["']?([\w.-]+)["']?\s*\n(?:[^\n]+\n)*?---$/gm
