import { agent, hooksThatSay, says, server, skill, type Layout } from './layout.ts'

function project(name: string, loads: readonly string[], files: Layout['files'], more: Partial<Layout> = {}): Layout {
  return { name, as: 'project', loads, files, ...more }
}

function skillNamed(folder: string, name: string): Layout['files'] {
  return { [`${folder}/${name}/SKILL.md`]: skill(name) }
}

function one(name: string): readonly string[] {
  return [`/${name}`, `skill ${name}`]
}

/** Layouts of whole projects: instructions, settings, servers, links of folders and monorepos. */
export const PROJECTS: readonly Layout[] = [
  project(
    'texts',
    ['deep', 'import', 'local', 'main', 'in-folder', 'rule', 'nested-rule']
      .map((what) => `says texts-${what}`)
      .toSorted(),
    {
      'CLAUDE.md': `${says('texts-main')}@docs/style.md\n`,
      'CLAUDE.local.md': says('texts-local'),
      '.claude/CLAUDE.md': says('texts-in-folder'),
      'docs/style.md': `${says('texts-import')}@deep.md\n`,
      'docs/deep.md': says('texts-deep'),
      '.claude/rules/style.md': says('texts-rule'),
      '.claude/rules/web/react.md': says('texts-nested-rule'),
      '.claude/rules/only-css.md': `---\npaths: ["**/*.css"]\n---\n${says('texts-rule-of-paths')}`,
      'AGENTS.md': says('texts-agents'),
    },
    { differs: 'personal instructions stay out of the copy' },
  ),
  project('below-modules', [], {
    ...skillNamed('.claude/skills/node_modules', 'below-modules'),
    '.claude/settings.json': '{}',
  }),
  project('agents-text', ['says agents-text'], { '.claude/settings.json': '{}', 'AGENTS.md': says('agents-text') }),
  project(
    'settings-hooks',
    ['says settings-hooks', 'says settings-hooks-local'],
    {
      '.claude/settings.json': hooksThatSay('settings-hooks'),
      '.claude/settings.local.json': hooksThatSay('settings-hooks-local'),
    },
    { differs: "settings.local.json is one person's and stays out" },
  ),
  project('disabled-hooks', [], {
    '.claude/settings.json': JSON.stringify({
      disableAllHooks: true,
      ...(JSON.parse(hooksThatSay('disabled-hooks')) as object),
    }),
  }),
  project('project-servers', ['server project-servers'], {
    '.claude/settings.json': '{}',
    '.mcp.json': server('project-servers'),
  }),
  project('allowed-servers', ['server allowed-servers'], {
    '.claude/settings.json': '{"enableAllProjectMcpServers":true}',
    '.mcp.json': server('allowed-servers'),
  }),
  project('linked-claude', ['/linked-claude', 'agent linked-claude', 'says linked-claude', 'skill linked-claude'], {
    ...skillNamed('.agents/skills', 'linked-claude'),
    '.agents/settings.json': hooksThatSay('linked-claude'),
    '.agents/agents/helper.md': agent('linked-claude'),
    '.claude': { link: '.agents' },
  }),
  project('linked-skills', one('linked-skills'), {
    ...skillNamed('.agents/skills', 'linked-skills'),
    '.claude/settings.json': '{}',
    '.claude/skills': { link: '../.agents/skills' },
  }),
  project('linked-folders', ['/linked-folders', 'agent linked-folders'], {
    'parts/commands/linked-folders.md': 'Go.\n',
    'parts/agents/helper.md': agent('linked-folders'),
    '.claude/settings.json': '{}',
    '.claude/commands': { link: '../parts/commands' },
    '.claude/agents': { link: '../parts/agents' },
  }),
  project('mirrored', one('mirrored'), {
    ...skillNamed('.agents/skills', 'mirrored'),
    ...skillNamed('.claude/skills', 'mirrored'),
  }),
  project('linked-text', ['says linked-text'], {
    '.claude/settings.json': '{}',
    'AGENTS.md': says('linked-text'),
    'CLAUDE.md': { link: 'AGENTS.md' },
  }),
  project(
    'from-below',
    [...one('from-below'), 'says from-below'].toSorted(),
    {
      ...skillNamed('.claude/skills', 'from-below'),
      'CLAUDE.md': says('from-below'),
      'packages/app/package.json': '{}',
    },
    { stands: 'packages/app' },
  ),
  project(
    'both-levels',
    [...one('both-levels'), ...one('both-levels-inner')].toSorted(),
    {
      ...skillNamed('.claude/skills', 'both-levels'),
      ...skillNamed('packages/app/.claude/skills', 'both-levels-inner'),
    },
    { stands: 'packages/app', differs: 'a session gets a copy of one package, the nearest' },
  ),
  project('from-above', one('from-above'), {
    ...skillNamed('.claude/skills', 'from-above'),
    ...skillNamed('packages/app/.claude/skills', 'from-above-inner'),
    'packages/app/CLAUDE.md': says('from-above-inner'),
  }),
  project(
    'market-loose',
    ['/market-loose:b', 'skill market-loose:b'],
    {
      ...market({ name: 'market-loose', source: './plugins/b', strict: false, skills: ['./tools/b'] }),
      ...skillNamed('plugins/b/tools', 'b'),
    },
    { stands: 'plugins/b', installs: 'market-loose' },
  ),
  project(
    'market-entry',
    ['/market-entry:a', '/market-entry:b', 'skill market-entry:a', 'skill market-entry:b'],
    {
      ...market({ name: 'market-entry', source: './plugins/a', skills: ['./tools/b'] }),
      'plugins/a/.claude-plugin/plugin.json': '{"name":"market-entry","version":"1.0.0"}',
      ...skillNamed('plugins/a/skills', 'a'),
      ...skillNamed('plugins/a/tools', 'b'),
    },
    { stands: 'plugins/a', installs: 'market-entry' },
  ),
]

function market(plugin: { readonly name: string; readonly [field: string]: unknown }): Layout['files'] {
  const other = { name: 'other', source: './plugins/other' }
  const content = { name: `${plugin.name}s`, owner: { name: 'x' }, plugins: [other, plugin] }
  return {
    '.claude-plugin/marketplace.json': JSON.stringify(content),
    'plugins/other/.claude-plugin/plugin.json': '{"name":"other","version":"1.0.0"}',
    ...skillNamed('plugins/other/skills', 'other'),
  }
}
