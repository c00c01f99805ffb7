import type { FileTree } from 'fs-fixture'
import type { WrittenTool, WrittenTurn } from '../package-run.ts'
import type { ConformingEngine } from './engines.ts'

/** A way to use a skill, to read its file or to do neither. It has a skill of its own, with the same name. */
export interface SkillWay {
  readonly name: string
  /** Calls, each in a turn of its own; empty where the engine has no such tool. */
  readonly turns: (engine: ConformingEngine, skill: SkillPlace) => readonly WrittenTurn[]
  /** Skills that count as used. */
  readonly uses: readonly string[]
}

/** Where a session finds a skill. */
interface SkillPlace {
  readonly name: string
  readonly folder: string
  readonly file: string
  /** A line of its body. */
  readonly line: string
}

const FOLDERS: Readonly<Record<string, string>> = {
  'claude-code': '.claude/skills',
  codex: '.agents/skills',
  copilot: '.github/skills',
}

type Commands = (skill: SkillPlace) => readonly string[]

const READING: Readonly<Record<string, Commands>> = {
  cat: ({ file }) => [`cat ${file}`],
  'glob-of-files': ({ folder }) => [`cat ${folder}/*.md`],
  'second-file-of-one-cat': ({ file }) => [`echo Read me. > a.txt; cat a.txt ${file}`],
  'program-that-prints-it': ({ file }) => [`perl -e 'open(F, "<", $ARGV[0]); print <F>' ${file}`],
  'part-of-the-body': ({ file }) => [`sed -n '8p' ${file}`],
  'numbered-lines': ({ file }) => [`nl ${file}`],
  'search-that-prints-a-line': ({ file }) => [`grep -n counting ${file}`],
  'copy-that-is-read': ({ file }) => [`cp ${file} copy.md; cat copy.md`],
  'copy-that-is-read-later': ({ file }) => [`cp ${file} later.md`, 'cat later.md'],
  'body-then-an-error': ({ file }) => [`cat ${file}; false`],
  awk: ({ file }) => [`awk '{ print }' ${file}`],
  head: ({ file }) => [`head -50 ${file}`],
  tail: ({ file }) => [`tail -n 3 ${file}`],
  'line-ends-of-windows': ({ file }) => [`perl -pe 's/$/\\r/' ${file}`],
  'indented-lines': ({ file }) => [`sed 's/^/    /' ${file}`],
  'diff-that-shows-it': ({ file }) => [`diff ${file} /dev/null`],
  'loop-of-the-shell': ({ file }) => [`while read -r line; do echo "$line"; done < ${file}`],
  'found-and-read': ({ folder }) => [`find ${folder} -name SKILL.md | xargs cat`],
  'symbolic-link': ({ file }) => [`ln -s ${file} link.md; cat link.md`],
  'path-in-a-variable': ({ file }) => [`f=${file}; cat "$f"`],
  'script-that-reads-it': ({ file }) => [`echo 'cat "$1"' > show.sh; sh show.sh ${file}`],
  twice: ({ file }) => [`cat ${file}`, `cat ${file}`],
}

const NOT_READING: Readonly<Record<string, Commands>> = {
  'front-matter-alone': ({ file }) => [`head -4 ${file}`],
  'its-heading': ({ file }) => [`grep '^#' ${file}`],
  'its-description': ({ file }) => [`grep '^description:' ${file}`],
  checksum: ({ file }) => [`sha256sum ${file}`],
  'its-encoding': ({ file }) => [`base64 ${file}`],
  'search-for-files': ({ folder }) => [`find ${folder} -name SKILL.md`],
  'search-that-lists-files': ({ file }) => [`grep -l counting ${file}`],
  'its-size': ({ file }) => [`stat ${file}`],
  'its-name': ({ file }) => [`ls -l ${file}`],
  'count-of-lines': ({ file }) => [`wc -l ${file}`],
  'edit-in-place': ({ file }) => [`sed -i s/counting/weighing/ ${file}`],
  'line-appended': ({ file }) => [`echo More. >> ${file}`],
  'echo-of-the-command': ({ file }) => [`echo cat ${file}`],
  'failed-cat': ({ folder }) => [`cat ${folder}/SKIL.md`],
  'cat-into-nowhere': ({ file }) => [`cat ${file} > /dev/null`],
  'copy-that-is-counted': ({ file }) => [`cat ${file} > b.md; wc -c b.md`],
  'comparison-that-is-silent': ({ file }) => [`cmp ${file} ${file}`],
  'read-that-a-hook-blocks': ({ file }) => [`cat ${file}; echo forbidden`],
  'own-text-read': ({ line }) => [`echo '${line}' > own.md; cat own.md`],
  'own-text-read-later': ({ line }) => [`echo '${line}' > own2.md`, 'cat own2.md'],
}

// Claude Code's shell stays in the folder: no other command may come after this one.
const LAST: Readonly<Record<string, Commands>> = {
  'cd-and-cat': ({ folder }) => [`cd ${folder} && cat SKILL.md`],
}

/** Tools of an engine's own; `null` where it has none that does this. */
type Tools = (engine: ConformingEngine, skill: SkillPlace) => WrittenTool | null

const NO_TOOL = 'codex'

const USING_TOOLS: Readonly<Record<string, Tools>> = {
  'tool-for-skills': (engine, { name }) => engine.skill(name),
  'tool-for-files': ({ name }, { file }) => openFile(name, file),
}

const NOT_USING_TOOLS: Readonly<Record<string, Tools>> = {
  'tool-for-skills-with-a-wrong-name': (engine, { name }) =>
    engine.name === NO_TOOL ? null : engine.skill(`${name}r`),
  'tool-for-files-on-front-matter': ({ name }, { file }) => openFile(name, file, 4),
}

function openFile(engine: string, file: string, lines?: number): WrittenTool | null {
  const path = `\${WORKSPACE}/${file}`
  if (engine === 'claude-code') return { name: 'Read', input: { file_path: path, ...(lines && { limit: lines }) } }
  if (engine === 'copilot') return { name: 'view', input: { path, ...(lines && { view_range: [1, lines] }) } }
  return null
}

const SUB_AGENT = 'sub-agent-that-reads'

/** All ways of one session, in this order. */
export const SKILL_WAYS: readonly SkillWay[] = [
  ...byCommands(READING, true),
  ...byTools(USING_TOOLS, true),
  {
    name: SUB_AGENT,
    turns: (engine, { file }) => engine.delegate('Look.', [{ tools: [engine.shell(`cat ${file}`)] }, 'I looked.']),
    uses: [SUB_AGENT],
  },
  ...byCommands(NOT_READING, false),
  ...byTools(NOT_USING_TOOLS, false),
  ...byCommands(LAST, true),
]

function byCommands(ways: Readonly<Record<string, Commands>>, isUse: boolean): readonly SkillWay[] {
  return Object.entries(ways).map(([name, commands]) => ({
    name,
    turns: (engine, skill) => commands(skill).map((command) => ({ tools: [engine.shell(command)] })),
    uses: isUse ? [name] : [],
  }))
}

function byTools(ways: Readonly<Record<string, Tools>>, isUse: boolean): readonly SkillWay[] {
  return Object.entries(ways).map(([name, toolOf]) => ({
    name,
    turns: (engine, skill) => [toolOf(engine, skill)].flatMap((tool) => (tool === null ? [] : [{ tools: [tool] }])),
    uses: isUse ? [name] : [],
  }))
}

/** The turns of a way on an engine. */
export function turnsOf({ name, turns }: SkillWay, engine: ConformingEngine): readonly WrittenTurn[] {
  const folder = `${FOLDERS[engine.name]}/${name}`
  return turns(engine, { name, folder, file: `${folder}/SKILL.md`, line: lineOf(name) })
}

/** The files of skills with these names. */
export function skillFiles(names: readonly string[]): FileTree {
  const head = (name: string): string => `---\nname: ${name}\ndescription: Does what ${name} is for.\n---\n`
  return Object.fromEntries(
    names.map((name) => [`skills/${name}/SKILL.md`, `${head(name)}\n# Steps\n\n${lineOf(name)}\nThen ${name} ends.\n`]),
  )
}

function lineOf(name: string): string {
  return `The skill ${name} begins by counting each page.`
}
