import { agent, hooksThatSay, manifest, says, server, skill, type Layout } from './layout.ts'

function plugin(
  name: string,
  loads: readonly string[],
  files: Layout['files'],
  more: Partial<Layout> & { readonly fields?: object } = {},
): Layout {
  const { fields = {}, ...rest } = more
  return { name, as: 'plugin', loads, files: { ...manifest(name, fields), ...files }, ...rest }
}

/** Layouts of plugins. Each is called as its plugin. */
export const PLUGINS: readonly Layout[] = [
  plugin('with-skills', ['/a', 'skill a'], { 'skills/a/SKILL.md': skill('a') }),
  plugin('root-skill', ['/tidy', 'skill tidy'], { 'SKILL.md': skill('tidy') }),
  plugin('root-and-folder', ['/a', 'skill a'], { 'SKILL.md': skill('tidy'), 'skills/a/SKILL.md': skill('a') }),
  plugin('other-name', ['/folder', 'skill folder'], { 'skills/folder/SKILL.md': skill('declared') }),
  plugin('deep-skill', [], { 'skills/group/a/SKILL.md': skill('a') }),
  plugin('file-as-skill', [], { 'skills/a.md': skill('a') }),
  plugin('kept-workspace', ['/a', 'skill a'], {
    'skills/a/SKILL.md': skill('a'),
    'skills/a-workspace/iteration-1/skill-snapshot/SKILL.md': skill('a'),
  }),
  plugin('skill-below-evals', [], { 'evals/files/a/SKILL.md': skill('a') }),
  plugin('claude-folder-in-plugin', [], { '.claude/skills/a/SKILL.md': skill('a') }),
  plugin(
    'skill-path',
    ['/a', '/b', 'skill a', 'skill b'],
    {
      'skills/a/SKILL.md': skill('a'),
      'more/b/SKILL.md': skill('b'),
    },
    { fields: { skills: ['./more/'] } },
  ),
  plugin('one-skill-path', ['/b', 'skill b'], { 'more/b/SKILL.md': skill('b') }, { fields: { skills: './more/b' } }),
  plugin('with-commands', ['/go'], { 'commands/go.md': 'Go.\n' }),
  plugin('nested-commands', ['/team:go'], { 'commands/team/go.md': 'Go.\n' }),
  plugin(
    'readme-of-commands',
    ['/README', '/go'],
    { 'commands/go.md': 'Go.\n', 'commands/README.md': '# Commands\n' },
    { differs: 'a README is for people: init and lint would ask for an eval of it' },
  ),
  plugin(
    'command-path',
    ['/go'],
    { 'commands/usual.md': 'Usual.\n', 'extra/go.md': 'Go.\n' },
    {
      fields: { commands: ['./extra/go.md'] },
    },
  ),
  plugin('command-folder-path', ['/go'], { 'extra/go.md': 'Go.\n' }, { fields: { commands: './extra/' } }),
  plugin(
    'command-map',
    ['/go'],
    { 'extra/text.md': 'Go.\n' },
    {
      fields: { commands: { go: { source: './extra/text.md' } } },
    },
  ),
  plugin('with-agents', ['agent helper'], { 'agents/file.md': agent('helper') }),
  plugin(
    'nested-agents',
    ['agent team:helper'],
    { 'agents/team/helper.md': agent('helper') },
    { differs: 'a session has the agents of a plugin among its own, whose names have no folders' },
  ),
  plugin(
    'aam-agents',
    ['agent helper:prompt'],
    {
      'agents/helper/agent.yaml': 'name: helper\ndescription: Helps\nprompt: prompt.md\n',
      'agents/helper/prompt.md': 'The prompt.\n',
    },
    { differs: 'Claude Code takes the prompt of such an agent for an agent' },
  ),
  plugin(
    'agent-path',
    ['agent helper'],
    { 'agents/usual.md': agent('usual'), 'extra/helper.md': agent('helper') },
    {
      fields: { agents: ['./extra/helper.md'] },
    },
  ),
  plugin('with-hooks', ['says with-hooks'], { 'hooks/hooks.json': hooksThatSay('with-hooks') }),
  plugin('inline-hooks', ['says inline-hooks'], {}, { fields: JSON.parse(hooksThatSay('inline-hooks')) as object }),
  plugin(
    'hook-path',
    ['says hook-path'],
    { 'config/hooks.json': hooksThatSay('hook-path') },
    {
      fields: { hooks: './config/hooks.json' },
    },
  ),
  plugin(
    'both-hooks',
    ['says both-hooks', 'says both-hooks-more'],
    {
      'hooks/hooks.json': hooksThatSay('both-hooks'),
      'config/hooks.json': hooksThatSay('both-hooks-more'),
    },
    { fields: { hooks: './config/hooks.json' } },
  ),
  plugin('with-servers', ['server tool'], { '.mcp.json': server('tool', 'with-servers') }),
  plugin('bare-servers', ['server tool'], { '.mcp.json': '{"tool":{"command":"true","args":["bare-servers"]}}' }),
  plugin(
    'server-path',
    ['server tool'],
    { 'servers.json': server('tool', 'server-path') },
    { fields: { mcpServers: './servers.json' } },
  ),
  plugin('inline-servers', ['server tool'], {}, { fields: JSON.parse(server('tool', 'inline-servers')) as object }),
  plugin('instructions-of-plugin', [], { 'CLAUDE.md': says('instructions-of-plugin') }),
  { name: 'without-manifest', as: 'plugin', loads: ['/a', 'skill a'], files: { 'skills/a/SKILL.md': skill('a') } },
]
