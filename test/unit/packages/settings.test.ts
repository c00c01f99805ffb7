import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { claudeCode } from '../../../src/engines/claude-code/engine.ts'
import { buildEnvironment } from '../../../src/engines/claude-code/command.ts'
import { codex } from '../../../src/engines/codex/engine.ts'
import { checkTarget } from '../../../src/formats/target.ts'
import { loadPackage } from '../../../src/packages/load-package.ts'
import { listPackageFiles } from '../../../src/session/inputs/package-files.ts'
import { worthNaming } from '../../../src/session/inputs/stays-out.ts'
import type { AgentPackage } from '../../../src/packages/package.ts'
import type { Engine } from '../../../src/engines/engine.ts'

const PATHS = {
  workspace: '/workspace',
  home: '/home/agent',
  config: '/config',
  tmp: '/tmp',
  packageRoot: '/package',
  node: '/bin/node',
  shim: '/shim/shim.js',
  hooks: '/hooks',
}

const HOOKS = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'exit 2' }] }] }

async function load(settings: object | null, local?: object): Promise<AgentPackage> {
  await using fixture = await createFixture({
    '.claude/skills/a/SKILL.md': '---\nname: a\ndescription: d\n---\nBody\n',
    ...(settings === null ? {} : { '.claude/settings.json': JSON.stringify(settings) }),
    ...(local === undefined ? {} : { '.claude/settings.local.json': JSON.stringify(local) }),
  })
  const pkg = await loadPackage(fixture.path.replace(/\/$/, ''))
  expect(worthNaming(listPackageFiles(pkg).leftOut)).toEqual([])
  return pkg
}

function installed(engine: Engine, pkg: AgentPackage): ReturnType<Engine['install']> {
  return engine.install({ package: pkg, target: null, skills: [], paths: PATHS, environment: {}, network: false })
}

function settingsIn(pkg: AgentPackage): unknown {
  const file = installed(claudeCode, pkg).files.find(({ to }) => to === '.claude/settings.json')
  return file === undefined ? null : JSON.parse(file.content)
}

test('what a project denies is denied in its sessions', async () => {
  const pkg = await load({ permissions: { deny: ['Read(./secret/**)'], allow: ['Bash'] } })
  expect(settingsIn(pkg)).toEqual({ permissions: { deny: ['Read(./secret/**)'] } })
  expect(pkg.findings).toEqual([])
})

test('variables of a project are in its sessions, and none leads past the gateway', async () => {
  const env = { MY_FLAG: 'yes', DEBUG: 1, HOME: '/x', ANTHROPIC_BASE_URL: 'http://a.example', CLAUDE_CODE_X: '1' }
  const pkg = await load({ env, hooks: HOOKS })
  expect(pkg.settings?.env).toEqual({ MY_FLAG: 'yes', DEBUG: '1' })
  expect(settingsIn(pkg)).not.toHaveProperty('env')
  expect(pkg.findings.map(({ message }) => message)).toEqual([
    'sessions run without env.HOME, env.ANTHROPIC_BASE_URL, env.CLAUDE_CODE_X',
  ])
  const session = buildEnvironment({
    env: { DEBUG: '2' },
    settingsEnv: pkg.settings?.env ?? {},
    paths: PATHS,
    confined: true,
    gateway: { baseUrl: 'http://127.0.0.1:1', socket: null, token: 't', credential: 'api-key' },
  })
  expect(session).toMatchObject({ MY_FLAG: 'yes', DEBUG: '2', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' })
})

test('hooks that a project disables do not run, and a case about one says so', async () => {
  const pkg = await load({ disableAllHooks: true, hooks: HOOKS })
  expect(pkg.hookGroups).toEqual([])
  expect(settingsIn(pkg)).toEqual({ permissions: { deny: [] } })
  expect(pkg.findings.map(({ field, message }) => [field, message])).toEqual([
    ['disableAllHooks', 'no hook runs in sessions'],
  ])
  expect(checkTarget({ kind: 'hook', name: 'pre-tool-use' }, pkg)).toContain('disableAllHooks is true')
})

test('hooks run where they are not disabled', async () => {
  const pkg = await load({ disableAllHooks: false, hooks: HOOKS })
  expect(checkTarget({ kind: 'hook', name: 'pre-tool-use' }, pkg)).toBeNull()
  expect(pkg.findings).toEqual([])
})

test('one notice names what sessions do not have', async () => {
  const pkg = await load({ $schema: 's', model: 'opus', permissions: { defaultMode: 'plan', ask: ['Bash'] } }, {})
  expect(pkg.findings).toMatchObject([
    {
      severity: 'warning',
      part: null,
      message:
        "sessions run without permissions.defaultMode, permissions.ask, model, .claude/settings.local.json (one person's)",
    },
  ])
})

test('settings of one person alone are named too', async () => {
  const pkg = await load(null, { hooks: HOOKS })
  expect(pkg.hookGroups).toEqual([])
  expect(pkg.findings).toHaveLength(1)
  expect(settingsIn(pkg)).toBeNull()
})

test('an engine without such settings says what it lacks', async () => {
  const pkg = await load({ permissions: { deny: ['WebFetch'] }, env: { MY_FLAG: 'yes' } })
  expect(installed(codex, pkg).warnings[0]).toContain(
    'Codex has no such settings, so sessions run without permissions.deny, env.MY_FLAG.',
  )
})
