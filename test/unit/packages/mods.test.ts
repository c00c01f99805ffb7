import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { checkTarget } from '../../../src/formats/target.ts'
import { loadPackage } from '../../../src/packages/load-package.ts'
import { modOf, withIdleHooks, type AgentPackage } from '../../../src/packages/package.ts'

const MODULE = { 'hooks/register.mjs': 'export function register() {}\n' }
const HOOKS = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }] }

async function load(hooks: object, files: Readonly<Record<string, string>> = MODULE): Promise<AgentPackage> {
  await using fixture = await createFixture({
    '.claude-plugin/plugin.json': '{"name":"guard"}',
    'hooks/hooks.json': JSON.stringify(hooks),
    ...files,
  })
  return await loadPackage(fixture.path.replace(/\/$/, ''))
}

test.for<[what: string, hooks: object, events: readonly string[]]>([
  ['alone', { modules: ['./register.mjs'] }, ['mod']],
  ['beside hooks', { description: 'x', hooks: HOOKS, modules: ['./register.mjs'] }, ['pre-tool-use', 'mod']],
  ['beside no hooks', { hooks: {}, modules: ['register.mjs'] }, ['mod']],
  ['none', { hooks: HOOKS, modules: [] }, ['pre-tool-use']],
])('a mod %s', async ([, hooks, events]) => {
  const pkg = await load(hooks)
  expect(pkg.findings).toEqual([])
  expect(pkg.hookGroups.map(({ event }) => event)).toEqual(events)
  const modules = pkg.hookGroups.flatMap((group) => modOf(group) ?? [])
  expect(modules).toEqual(events.includes('mod') ? [`${pkg.root}/hooks/register.mjs`] : [])
})

test.for<[what: string, hooks: object, files: Readonly<Record<string, string>>, code: string]>([
  ['that is not there', { modules: ['./gone.mjs'] }, MODULE, 'file-missing'],
  ['beside another', { modules: ['./register.mjs', './other.mjs'] }, MODULE, 'out-of-range'],
  ['that is no text', { modules: [1] }, MODULE, 'wrong-type'],
  [
    'of another file',
    { modules: ['./register.mjs'] },
    {
      ...MODULE,
      '.claude-plugin/plugin.json': '{"name":"guard","hooks":"./more.json"}',
      'more.json': '{"modules":["./hooks/register.mjs"]}',
    },
    'duplicate-mod',
  ],
])('a mod %s is an error of the package', async ([, hooks, files, code]) => {
  const { findings } = await load(hooks, files)
  expect(findings.map((one) => [one.severity, one.code, one.part])).toEqual([['error', code, null]])
})

test('a case may be about each event that a mod may handle, and about no other', async () => {
  const pkg = await load({ modules: ['./register.mjs'] })
  expect(checkTarget({ kind: 'hook', name: 'pre-tool-use' }, pkg)).toBeNull()
  expect(checkTarget({ kind: 'hook', name: 'stop' }, pkg)).toBeNull()
  expect(checkTarget({ kind: 'hook', name: 'notification' }, pkg)).toContain('has no hook for "notification"')
})

test('a package without its hooks has no mod either', async () => {
  const pkg = await load({ hooks: HOOKS, modules: ['./register.mjs'] })
  expect(withIdleHooks(pkg, 'pre-tool-use').hookGroups).toMatchObject([{ hooks: [{ command: 'exit 0' }] }])
})
