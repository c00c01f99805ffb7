import { agent, skill, type Layout } from './layout.ts'

const SKILLS = '.claude/skills'

function shared(name: string, loads: readonly string[], files: Layout['files'], more: Partial<Layout> = {}): Layout {
  return { name, as: 'shared', loads, files, ...more }
}

function one(name: string): readonly string[] {
  return [`/${name}`, `skill ${name}`]
}

/** Skills, commands and agents of projects; all lie in one project, so each has the layout in its name. */
export const PARTS: readonly Layout[] = [
  shared('own-skill', one('own-skill'), { [`${SKILLS}/own-skill/SKILL.md`]: skill('own-skill') }),
  shared('hidden-from-model', one('hidden-from-model'), {
    [`${SKILLS}/hidden-from-model/SKILL.md`]:
      '---\nname: hidden-from-model\ndescription: SAYS-hidden-from-model\ndisable-model-invocation: true\n---\nx\n',
  }),
  shared('hidden-from-user', ['says hidden-from-user'], {
    [`${SKILLS}/hidden-from-user/SKILL.md`]:
      '---\nname: hidden-from-user\ndescription: SAYS-hidden-from-user\nuser-invocable: false\n---\nx\n',
  }),
  shared('other-folder', one('other-folder-a'), { [`${SKILLS}/other-folder-a/SKILL.md`]: skill('other-folder-b') }),
  shared('upper-folder', one('Upper-Folder'), { [`${SKILLS}/Upper-Folder/SKILL.md`]: skill('upper-folder') }),
  shared('upper-name', one('upper-name'), { [`${SKILLS}/upper-name/SKILL.md`]: skill('Upper-Name') }),
  shared('spaced', one('spaced folder'), { [`${SKILLS}/spaced folder/SKILL.md`]: skill('spaced folder') }),
  shared('two-alike', [...one('two-alike-a'), ...one('two-alike-b')].toSorted(), {
    [`${SKILLS}/two-alike-a/SKILL.md`]: skill('two-alike-a'),
    [`${SKILLS}/two-alike-b/SKILL.md`]: skill('two-alike-a'),
  }),
  shared('broken-front', ['/broken-front'], { [`${SKILLS}/broken-front/SKILL.md`]: '---\nname: [\n---\nx\n' }),
  shared('no-front', ['/no-front', 'says no-front'], { [`${SKILLS}/no-front/SKILL.md`]: 'SAYS-no-front.\n' }),
  shared('open-front', ['/open-front'], { [`${SKILLS}/open-front/SKILL.md`]: '---\nname: open-front\nx\n' }),
  shared('empty-description', ['/empty-description'], {
    [`${SKILLS}/empty-description/SKILL.md`]: '---\nname: empty-description\ndescription: ""\n---\nx\n',
  }),
  shared('no-description', ['/no-description', 'says no-description-body'], {
    [`${SKILLS}/no-description/SKILL.md`]: '---\nname: no-description\n---\nSAYS-no-description-body.\n',
  }),
  shared('empty-skill', ['/empty-skill'], { [`${SKILLS}/empty-skill/SKILL.md`]: '' }),
  shared('with-bom', one('with-bom'), { [`${SKILLS}/with-bom/SKILL.md`]: `\uFEFF${skill('with-bom')}` }),
  shared('with-crlf', one('with-crlf'), {
    [`${SKILLS}/with-crlf/SKILL.md`]: skill('with-crlf').replaceAll('\n', '\r\n'),
  }),
  shared('lower-file', [], { [`${SKILLS}/lower-file/skill.md`]: skill('lower-file') }),
  shared('only-a-file', [], { [`${SKILLS}/only-a-file.md`]: skill('only-a-file') }),
  shared('hidden-dot', one('.hidden-dot'), { [`${SKILLS}/.hidden-dot/SKILL.md`]: skill('hidden-dot') }),
  shared('in-category', [], { [`${SKILLS}/category/in-category/SKILL.md`]: skill('in-category') }),
  shared('below-skill', one('below-skill'), {
    [`${SKILLS}/below-skill/SKILL.md`]: skill('below-skill'),
    [`${SKILLS}/below-skill/parts/below-skill-part/SKILL.md`]: skill('below-skill-part'),
  }),
  shared('kept-work', one('kept-work'), {
    [`${SKILLS}/kept-work/SKILL.md`]: skill('kept-work'),
    [`${SKILLS}/kept-work-workspace/skill-snapshot/SKILL.md`]: skill('kept-work'),
  }),
  shared('below-evals', [], { [`${SKILLS}/evals/below-evals/SKILL.md`]: skill('below-evals') }),
  shared('below-tests', [], { [`${SKILLS}/tests/below-tests/SKILL.md`]: skill('below-tests') }),
  shared('agents-skills', [], { '.agents/skills/agents-skills/SKILL.md': skill('agents-skills') }),
  shared(
    'root-folder',
    [],
    { 'skills/root-folder/SKILL.md': skill('root-folder') },
    { differs: 'the folder skills beside .claude is that of a package without a manifest' },
  ),
  shared('own-command', ['/own-command'], { '.claude/commands/own-command.md': 'Go.\n' }),
  shared('nested-command', ['/team:nested-command'], { '.claude/commands/team/nested-command.md': 'Go.\n' }),
  shared('upper-command', ['/Upper-Command'], { '.claude/commands/Upper-Command.md': 'Go.\n' }),
  shared('command-as-skill', ['/command-as-skill'], {
    '.claude/commands/command-as-skill/SKILL.md': skill('command-as-skill'),
  }),
  shared('same-name', one('same-name'), {
    [`${SKILLS}/same-name/SKILL.md`]: skill('same-name'),
    '.claude/commands/same-name.md': 'Go.\n',
  }),
  shared('own-agent', ['agent own-agent'], { '.claude/agents/file-of-one.md': agent('own-agent') }),
  shared('nested-agent', ['agent nested-agent'], { '.claude/agents/team/nested-agent.md': agent('nested-agent') }),
  shared('nameless-agent', [], { '.claude/agents/nameless-agent.md': '---\ndescription: Helps\n---\nx\n' }),
  shared('plain-agent', [], { '.claude/agents/plain-agent.md': 'No front matter.\n' }),
  shared('linked-skill', one('linked-skill'), {
    'real/linked-skill/SKILL.md': skill('linked-skill'),
    [`${SKILLS}/linked-skill`]: { link: '../../real/linked-skill' },
  }),
  shared('linked-file', one('linked-file'), {
    'real/linked-file.md': skill('linked-file'),
    [`${SKILLS}/linked-file/SKILL.md`]: { link: '../../../real/linked-file.md' },
  }),
  shared('linked-command', ['/linked-command'], {
    'real/linked-command.md': 'Go.\n',
    '.claude/commands/linked-command.md': { link: '../../real/linked-command.md' },
  }),
  shared('linked-agent', ['agent linked-agent'], {
    'real/linked-agent.md': agent('linked-agent'),
    '.claude/agents/linked-agent.md': { link: '../../real/linked-agent.md' },
  }),
  shared(
    'link-out',
    one('link-out'),
    { [`${SKILLS}/link-out`]: { link: '<outside>/link-out' } },
    { as: 'project', differs: 'a link that leads out of the repository is an error of the package' },
  ),
  // Such a link is an error of the whole package, too.
  shared('dead-link', [], { [`${SKILLS}/dead-link`]: { link: '../nowhere/dead-link' } }, { as: 'project' }),
]
