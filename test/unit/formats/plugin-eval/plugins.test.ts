import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { placeOfPlugin, pluginNameOf } from '../../../../src/session/stand-ins.ts'
import { createSuiteCache, loadSuite } from '../../../../src/formats/load-suite.ts'
import { findSuitesOf } from '../../../support/find-suites.ts'
import type { AgentPackage } from '../../../../src/packages/package.ts'

const ONE = { 'evals/one/prompt.md': 'Say hi.\n', 'evals/one/graders/hi.md': '---\ntype: regex\n---\nhi\n' }
const MANIFEST = { '.claude-plugin/plugin.json': '{"name":"named","version":"1.0.0"}' }
const SKILL = { 'SKILL.md': '---\nname: wave\ndescription: Waves.\n---\nWave.\n' }

function inFolder(folder: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))
}

async function pluginsOf(files: Readonly<Record<string, string>>): Promise<readonly (readonly AgentPackage[])[]> {
  await using fixture = await createFixture(inFolder('root', files))
  const root = fixture.getPath('root')
  const cache = createSuiteCache()
  const suites = await findSuitesOf('plugin-eval', root)
  // Until then the files are there.
  return await Promise.all(
    suites.map(async (file) => {
      const suite = await loadSuite(file, { root, cache })
      const [evalCase] = suite.cases
      if (evalCase === undefined) throw new Error(JSON.stringify(suite.issues))
      const plugins = await cache.pluginsOf(suite, evalCase)
      return plugins.map((plugin) => ({ ...plugin, root: plugin.root.replace(root, 'root') }))
    }),
  )
}

// As Claude Code 2.1.330 names the plugin under test.
test.for([
  ['a manifest around the case', { ...MANIFEST, ...ONE }, 'named at root'],
  ['the nearest manifest', { ...MANIFEST, ...inFolder('sub', { ...MANIFEST, ...ONE }) }, 'named at root/sub'],
  ['plugin.json without its folder, whose name is not read', { 'plugin.json': '{"name":"x"}', ...ONE }, 'root at root'],
  ['a skill', { ...SKILL, ...ONE }, 'root at root'],
  ['the nearest skill', { ...SKILL, ...inFolder('x', { ...SKILL, ...ONE }) }, 'x at root/x'],
  ['a skill among others', inFolder('skills/hello', { ...SKILL, ...ONE }), 'hello at root/skills/hello'],
  ['a manifest before a nearer skill', { ...MANIFEST, ...inFolder('skills/a', { ...SKILL, ...ONE }) }, 'named at root'],
  ['a nearer manifest before a skill', { ...SKILL, ...inFolder('x', { ...MANIFEST, ...ONE }) }, 'named at root/x'],
  ['none: a skill in the folder of the case', { ...ONE, ...inFolder('evals/one', SKILL) }, ''],
  ['none: a folder of skills', { ...ONE, ...inFolder('skills/hello', SKILL) }, ''],
  ['none: skill.md', { ...ONE, 'skill.md': SKILL['SKILL.md'] }, ''],
] as const)('the plugin of a case: %s', async ([, files, expected]) => {
  const [plugins = []] = await pluginsOf(files)
  expect(plugins.map((plugin) => `${pluginNameOf(plugin)} at ${plugin.root}`).join()).toBe(expected)
})

// Claude Code takes these as the plugin. Its copy would show the agent the graders.
test.for<[string, Readonly<Record<string, string>>]>([
  ['a manifest in the folder of the case', { ...MANIFEST, ...inFolder('evals/one', MANIFEST) }],
  ['a manifest in the folder of evals', { ...MANIFEST, ...inFolder('evals', { 'plugin.json': '{}' }) }],
  ['a skill in the folder of evals', inFolder('evals', SKILL)],
  ['a plugin that it names', { 'evals/one/case.yaml': 'schema_version: "1.1"\nname: x\nplugins: [..]\n' }],
])('no plugin of a case contains the case: %s', async ([, files]) => {
  await using fixture = await createFixture(inFolder('root', { ...ONE, ...files }))
  const root = fixture.getPath('root')
  const [file = ''] = await findSuitesOf('plugin-eval', root)
  const { cases, issues } = await loadSuite(file, { root })
  expect([cases.length, ...issues.map(({ code }) => code)]).toEqual([0, expect.stringMatching(/plugin/)])
})

test('a plugin that is a skill has the parts of a plugin, and a folder of its own name in the session', async () => {
  const server = JSON.stringify({ mcpServers: { bell: { command: 'bell' } } })
  const [[plugin] = []] = await pluginsOf({ ...SKILL, '.mcp.json': server, 'commands/c.md': 'Do it.\n', ...ONE })
  if (plugin === undefined) throw new Error('There is no plugin.')
  expect(plugin.skills.map(({ name, alias, body }) => [name, alias, body.trim()])).toEqual([['root', 'wave', 'Wave.']])
  expect(plugin.mcpServers.map(({ name }) => name)).toEqual(['bell'])
  expect(placeOfPlugin(plugin, 0).join('/')).toBe('.agent-evals/plugins/1/root')
  const manifest = { file: '/p/.claude-plugin/plugin.json', name: 'named', version: null, raw: {} }
  expect([0, 1].map((index) => placeOfPlugin({ ...plugin, manifest }, index).join('/'))).toEqual([
    '',
    '.agent-evals/plugins/2',
  ])
})
