// @module-tag no-engine
import type { FileTree } from 'fs-fixture'
import { beforeAll, describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { CONFIG } from '../support/assert-project.ts'
import { createProject } from '../support/project.ts'
import type { FinishedProcess } from '../support/running-process.ts'

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

const FIXTURE = '{"hookEventName": "stop", "toolName": "Write", "toolInput": {"file_path": "a.txt"}}'

/** A package in a folder of its own. */
function packageAt(folder: string, files: FileTree): FileTree {
  const all: FileTree = {
    'package.agent.json': `{"name": "${folder}", "version": "1.0.0"}`,
    'hooks/hooks.json': HOOKS,
    'hooks/scripts/guard.mjs': BLIND,
    'hooks/tests/fixtures/write.json': FIXTURE,
    'hooks/tests/cases/blocks.yaml': BLOCKS,
    ...files,
  }
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`${folder}/${path}`, text]))
}

const PRINTS = { 'pre-tool-use': [{ hooks: [{ type: 'command', command: 'sh "${PACKAGE_ROOT}/hooks/guard.sh"' }] }] }

const PACKAGES: FileTree = {
  'vitest.config.ts': CONFIG,
  ...packageAt('prints', {
    'hooks/hooks.json': JSON.stringify({ version: 1, hooks: PRINTS }),
    'hooks/guard.sh': 'echo out of luck\necho out of order >&2\nexit 1\n',
  }),
  ...packageAt('blind', {}),
  ...packageAt('codex', {
    'package.agent.json': '{"name": "codex", "version": "1.0.0", "engines": {"claude-code": "*", "codex": "*"}}',
    'hooks/scripts/guard.mjs': BLIND.replace('event.toolName ===', '(event.toolName ?? event.tool_name) ===').replace(
      'event.toolInput.',
      '(event.toolInput ?? event.tool_input).',
    ),
  }),
  ...packageAt('groups', {
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
  }),
}

describe('tests of hooks', () => {
  let run: FinishedProcess

  beforeAll(async () => {
    await using project = await createProject(repositoryVitest(), PACKAGES)
    run = await project.run(['run', '--reporter=verbose'])
  })

  /** How many tests of a package's hooks passed, failed and were skipped. */
  const counts = (folder: string): readonly number[] =>
    ['✓', '×', '↓'].map((mark) => run.all.split(`\n ${mark} |assert| ${folder}/hooks/`).length - 1)

  test('what a hook printed is shown once for each test that failed', () => {
    expect(counts('prints'), run.all).toEqual([0, 2, 0])
    // The list above it, which only this reporter has, repeats messages.
    const [, failures = ''] = run.all.split(' Failed Tests ')
    const printed = [failures.match(/out of luck/g), failures.match(/out of order/g)]
    expect(printed.map((found) => found?.length)).toEqual([2, 2])
  })

  test('a script that reads only toolName fails its native sibling, which names tool_name', () => {
    expect(run.exitCode).toBe(1)
    expect(counts('blind'), run.all).toEqual([1, 1, 0])
    expect(run.all).toMatch(
      /FAIL {2}\|assert\| blind\/hooks\/tests\/cases\/blocks\.yaml:1\S* > blocks-etc \(claude-code payload\)/,
    )
    expect(run.all).toContain('expected exit code 2 but got 0')
    expect(run.all).toContain(
      'Claude Code sends `hook_event_name` for `hookEventName`, `tool_name` for `toolName`, `tool_input` for `toolInput`',
    )
  })

  test('a package for codex is asked in its shape too', () => {
    expect(counts('codex'), run.all).toEqual([2, 1, 0])
    expect(run.all).toMatch(
      /FAIL {2}\|assert\| codex\/hooks\/tests\/cases\/blocks\.yaml:1\S* > blocks-etc \(codex payload\)/,
    )
  })

  test('groups run in order up to the first that blocks; prompts are skipped; the matcher is checked', () => {
    expect(counts('groups'), run.all).toEqual([2, 2, 2])
    expect(run.all).toContain('the group has no hook that is a command, and others need a model or a network')
    expect(run.all).toContain('its matcher "Write|Edit" does not match "NotebookEdit"')
    expect(run.all).toMatch(/Write\|Edit[^]+Received|- Write\|Edit/)
  })
})
