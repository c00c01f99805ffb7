import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, onTestFinished, test } from 'vitest'
import { hashSurroundings } from '../../../../src/case/prepare/surroundings.ts'
import type { AgentPackage } from '../../../../src/packages/package.ts'
import { createInputCache } from '../../../../src/session/inputs/input-cache.ts'
import { agentPackage } from '../../../support/agent-package.ts'
import { evalCase } from '../../../support/eval-case.ts'

type Request = Parameters<typeof hashSurroundings>[0]

const TREE = {
  'tools/hook.sh': '#!/bin/sh\n',
  'tools/server.js': '',
  'tools/filter.sh': '',
  'package/run.sh': '#!/bin/sh\n',
  'engine/engine.mjs': "import { name } from './part.mjs'\nexport default { name }\n",
  'engine/part.mjs': "import old from './old.cjs'\nimport lib from 'lib'\nexport const name = old + lib\n",
  'engine/old.cjs': "module.exports = require('./older')\n",
  'engine/older.js': "module.exports = 'one'\n",
  'engine/node_modules/lib/package.json': '{"name": "lib", "version": "1.0.0"}',
  'engine/node_modules/lib/index.js': '',
  'engine/claude': 'one',
  'project/src/a.txt': 'a\n',
  'project/skills/notes/SKILL.md': '---\nname: notes\ndescription: Writes notes.\n---\n',
  'project/skills/notes/evals/evals.json': '[]',
}

interface Place {
  readonly root: string
  /** Hashes what is there now. */
  hash(change?: Partial<Request>, environment?: Record<string, string>): Promise<string>
  write(path: string, text: string): void
}

async function place(): Promise<Place> {
  const fixture = await createFixture(TREE)
  onTestFinished(() => fixture.rm())
  const root = fixture.path.replace(/\/$/, '')
  const pkg = packageAt(root)
  const dir = join(root, 'project/skills/notes')
  const skill = { name: 'notes', dir, evalsDir: join(dir, 'evals'), projectRoot: join(root, 'project') }
  return {
    root,
    write: (path, text) => writeFileSync(join(root, path), text),
    async hash(change = {}, environment = { PATH: '/usr/bin', TOKEN: 'one' }) {
      const inputs = createInputCache()
      const file = join(root, 'package/run.sh')
      await inputs.hash(file)
      return hashSurroundings(
        {
          engine: { engine: { name: 'mine' }, executable: join(root, 'engine/claude'), version: null },
          evalCase: evalCase({ id: 'a' }),
          inputs,
          package: pkg,
          projectCopy: true,
          sandbox: { backend: 'bubblewrap' },
          suite: { file: join(dir, 'evals/evals.json'), skill, config: {} },
          ...change,
        } as unknown as Request,
        [{ file, path: 'run.sh' }],
        evalCase({ id: 'a' }),
        { engineModules: { mine: join(root, 'engine/engine.mjs') } },
        environment,
      )
    },
  }
}

function packageAt(root: string): AgentPackage {
  const command = `FILTER=${root}/tools/filter.sh ${root}/tools/hook.sh --fast`
  return agentPackage(root, {
    hookGroups: [
      { event: 'session-start', index: 0, matcher: null, hooks: [{ type: 'command', command, timeout: 10 }] },
    ],
    mcpServers: [
      { name: 's', config: { command: 'node', args: [`${root}/tools/server.js`], env: { T: '${TOKEN:-none}' } } },
    ],
  })
}

test('the same surroundings have the same hash', async () => {
  const { hash } = await place()
  expect(await hash()).toBe(await hash())
})

test.for<readonly [string, string, string]>([
  ['the program of a hook', 'tools/hook.sh', '#!/bin/sh\nexit 1\n'],
  ['a program that a hook gets as a variable', 'tools/filter.sh', '#!/bin/sh\n'],
  ['the program of an MCP server', 'tools/server.js', 'process.exit(1)\n'],
  ['the module of an engine', 'engine/engine.mjs', 'export default {}\n'],
  ['a module that it loads', 'engine/part.mjs', "export const name = 'two'\n"],
  ['a module that it loads without the end of its name', 'engine/older.js', "module.exports = 'two'\n"],
  ['the entry of a package that it loads', 'engine/node_modules/lib/index.js', 'module.exports = 1\n'],
  ['its version', 'engine/node_modules/lib/package.json', '{"name": "lib", "version": "1.0.1"}'],
  ['the program of an engine without a version', 'engine/claude', 'other'],
  ['a file of the project that is copied', 'project/src/a.txt', 'b\n'],
  ['a new file of the project', 'project/src/b.txt', 'b\n'],
])('another hash follows from %s', async ([, path, text]) => {
  const { hash, write } = await place()
  const before = await hash()
  write(path, text)
  expect(await hash()).not.toBe(before)
})

test('a program of the same size that was written later is another one', async () => {
  const { hash, root } = await place()
  const before = await hash()
  utimesSync(join(root, 'tools/hook.sh'), 1, 1)
  expect(await hash()).not.toBe(before)
})

test('a file of the package that becomes a program, or is none any more, is another one', async () => {
  const { hash, root } = await place()
  const before = await hash()
  chmodSync(join(root, 'package/run.sh'), 0o755)
  expect(await hash()).not.toBe(before)
})

test('variables count where they are passed on', async () => {
  const { hash } = await place()
  const before = await hash()
  expect(await hash({}, { PATH: '/usr/bin', TOKEN: 'two' })).not.toBe(before)
  expect(await hash({}, { PATH: '/usr/bin', TOKEN: 'one', OTHER: 'x' })).toBe(before)
  // Inside bubblewrap every session has the same one.
  expect(await hash({}, { PATH: '/usr/bin:/nowhere', TOKEN: 'one' })).toBe(before)
  const outside = { sandbox: { backend: 'none' } } as Partial<Request>
  const unconfined = await hash(outside)
  expect(await hash(outside, { PATH: '/usr/bin:/nowhere', TOKEN: 'one' })).not.toBe(unconfined)
})

test('answers beside the project, and a project that is not copied, do not count', async () => {
  const { hash, write } = await place()
  const [before, without] = [await hash(), await hash({ projectCopy: false })]
  write('project/skills/notes/evals/evals.json', '[1]')
  expect(await hash()).toBe(before)
  write('project/src/a.txt', 'b\n')
  expect(await hash({ projectCopy: false })).toBe(without)
})

test('the arm of an earlier version has the project of that version', async () => {
  const { hash, root, write } = await place()
  const dir = join(root, 'earlier/skills/notes')
  mkdirSync(dir, { recursive: true })
  write('earlier/a.txt', 'a\n')
  const skill = { name: 'notes', dir, evalsDir: join(dir, 'evals'), projectRoot: join(root, 'earlier') }
  const asked = {
    suite: {
      file: 'evals.json',
      config: {},
      skill: { ...skill, projectRoot: join(root, 'project') },
      before: { packageRoot: join(root, 'earlier'), skill },
    },
  } as unknown as Partial<Request>
  const now = await hash(asked)
  write('project/src/a.txt', 'b\n')
  expect(await hash(asked)).toBe(now)
  write('earlier/a.txt', 'b\n')
  expect(await hash(asked)).not.toBe(now)
})
