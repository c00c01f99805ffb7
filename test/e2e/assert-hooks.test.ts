// @module-tag no-engine
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createPackage } from '../support/assert-project.ts'

const HOOKS = JSON.stringify({
  version: 1,
  hooks: {
    'pre-tool-use': [
      {
        matcher: 'Write|Edit',
        hooks: [{ type: 'command', command: 'node "${PACKAGE_ROOT}/hooks/scripts/guard.mjs"' }],
      },
      {
        hooks: [
          { type: 'command', command: 'echo one >&2' },
          { type: 'command', command: 'echo two >&2; exit 2' },
          { type: 'command', command: 'echo three >&2' },
        ],
      },
    ],
    stop: [{ hooks: [{ type: 'prompt', prompt: 'Is it done?' }] }],
  },
})

const BLIND = `let text = ''
for await (const chunk of process.stdin) text += chunk
const event = JSON.parse(text)
if (event.toolName === 'Write' && event.toolInput.file_path.startsWith('/etc/')) {
  console.error('blocked')
  process.exit(2)
}
`

const BLOCKS = `name: blocks-etc
event: pre-tool-use
input:
  fixture: fixtures/write.json
  overrides:
    toolInput.file_path: /etc/passwd
expected:
  exit-code: 2
  stderr-contains: [blocked]
`

const FILES = {
  'hooks/hooks.json': HOOKS,
  'hooks/scripts/guard.mjs': BLIND,
  'hooks/tests/fixtures/write.json':
    '{"hookEventName": "stop", "toolName": "Write", "toolInput": {"file_path": "a.txt"}}',
  'hooks/tests/cases/blocks.yaml': BLOCKS,
}

describe('tests of hooks', () => {
  const major = repositoryVitest()

  test('what a hook printed is shown once for each test that failed', async () => {
    const hooks = { 'pre-tool-use': [{ hooks: [{ type: 'command', command: 'sh "${PACKAGE_ROOT}/hooks/guard.sh"' }] }] }
    await using project = await createPackage(major, {
      ...FILES,
      'hooks/hooks.json': JSON.stringify({ version: 1, hooks }),
      'hooks/guard.sh': 'echo out of luck\necho out of order >&2\nexit 1\n',
    })
    const run = await project.run(['run'])
    expect(run.all).toMatch(/Tests +2 failed \(2\)/)
    expect([run.all.match(/out of luck/g), run.all.match(/out of order/g)].map((found) => found?.length)).toEqual([
      2, 2,
    ])
  })

  test('a script that reads only toolName fails its native sibling, which names tool_name', async () => {
    await using project = await createPackage(major, FILES)
    const run = await project.run(['run'])
    expect(run.exitCode).toBe(1)
    expect(run.all).toMatch(/Tests +1 failed \| 1 passed \(2\)/)
    expect(run.all).toMatch(
      /FAIL {2}\|assert\| hooks\/tests\/cases\/blocks\.yaml:1\S* > blocks-etc \(claude-code payload\)/,
    )
    expect(run.all).toContain('expected exit code 2 but got 0')
    expect(run.all).toContain(
      'Claude Code sends `hook_event_name` for `hookEventName`, `tool_name` for `toolName`, `tool_input` for `toolInput`',
    )
  })

  test('a package for codex is asked in its shape too', async () => {
    const both = BLIND.replace('event.toolName ===', '(event.toolName ?? event.tool_name) ===').replace(
      'event.toolInput.',
      '(event.toolInput ?? event.tool_input).',
    )
    await using project = await createPackage(major, {
      ...FILES,
      'package.agent.json': '{"name": "sample", "version": "1.0.0", "engines": {"claude-code": "*", "codex": "*"}}',
      'hooks/scripts/guard.mjs': both,
    })
    const run = await project.run(['run'])
    expect(run.all).toMatch(/Tests +1 failed \| 2 passed \(3\)/)
    expect(run.all).toMatch(/FAIL {2}\|assert\| hooks\/tests\/cases\/blocks\.yaml:1\S* > blocks-etc \(codex payload\)/)
  })

  test('groups run in order up to the first that blocks; prompts are skipped; the matcher is checked', async () => {
    await using project = await createPackage(major, {
      ...FILES,
      'hooks/tests/cases/blocks.yaml': `name: order
event: pre-tool-use
hook-index: 1
input:
  fixture: fixtures/write.json
expected:
  exit-code: 2
  stderr-contains: [one, two]
  not-contains: [three]
`,
      'hooks/tests/cases/prompt.yaml': 'name: prompt\nevent: stop\n',
      'hooks/tests/cases/mismatch.yaml': `name: mismatch
event: pre-tool-use
input:
  fixture: fixtures/write.json
  overrides:
    toolName: NotebookEdit
`,
    })
    const run = await project.run(['run', '--reporter=verbose'])
    expect(run.all).toMatch(/Tests +2 failed \| 2 passed \| 2 skipped \(6\)/)
    expect(run.all).toContain('the group has no hook that is a command, and others need a model or a network')
    expect(run.all).toContain('its matcher "Write|Edit" does not match "NotebookEdit"')
    expect(run.all).toMatch(/Write\|Edit[^]+Received|- Write\|Edit/)
  })
})
