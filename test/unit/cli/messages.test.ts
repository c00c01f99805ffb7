import { createFixture, type FileTree } from 'fs-fixture'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { gate } from '../../../src/cli/commands/gate.ts'
import { lint } from '../../../src/cli/commands/lint.ts'
import { list } from '../../../src/cli/commands/list.ts'
import { run } from '../../../src/cli/commands/run.ts'
import { readVitestArguments } from '../../../src/vitest/command/vitest-arguments.ts'
import { printed } from '../../support/printed.ts'

// What people get wrong, and what they are told.

// A run leaves its flags in the environment.
beforeEach(() => void vi.stubEnv('AGENT_EVALS_BUDGETS', undefined))
afterEach(() => void vi.unstubAllEnvs())

describe('flags', () => {
  test.for([
    [run, ['--budget', 'passrate=0.8'], '--budget passrate is not known. Did you mean `passRate`?'],
    [run, ['--budget', 'foo=1'], '--budget foo is not known. Known: costUsd, passRate.'],
    [run, ['--budget', 'passRate=80'], '--budget passRate is 80: must be less than 1.'],
    [gate, ['--budget', 'passrate=0.8', 'r.json'], '--budget passrate is not known. Did you mean `passRate`?'],
    [run, ['--html', 'page.html'], 'The file of --html comes after "=". Write --html=page.html.'],
    [
      list,
      ['--engine', 'claud'],
      'The engine "claud" is not supported. Did you mean "claude-code"? Use one of: claude-code, codex, copilot, messages.',
    ],
  ] as const)('$1', async ([command, argv, message]) => {
    await expect(printed(command, ...argv)).rejects.toThrow(expect.objectContaining({ message }))
  })

  test('--run, which Vitest needs and run does not, changes nothing', () => {
    expect(readVitestArguments(['--run', 'pdf'])).toEqual(readVitestArguments(['pdf']))
  })
})

const PLUGIN: FileTree = {
  '.claude-plugin/plugin.json': '{ "name": "p" }',
  'skills/notes/SKILL.md': '---\nname: notes\ndescription: Writes a note.\n---\nWrite a note.\n',
  'evals/eval-config.json': '{ "version": 1, "engine": "claude-code" }',
  'evals/fixtures/sample.pdf': '',
  'evals/cases/fine.yaml': 'name: fine\ninput:\n  prompt: Write a note.\njudge:\n  criteria: It is one.\n',
}
const hooks = (matcher: string, command: string): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: 'command', command }] }] } })
const QUOTED = 'sh "${CLAUDE_PLUGIN_ROOT}/guard.sh"'

describe('files', () => {
  test.for([
    [
      'events of Claude Code at the top level of hooks.json',
      'hooks/hooks.json',
      '{ "PreToolUse": [] }',
      '1:3 error events are read from the object "hooks" only; write { "hooks": { "PreToolUse": ... } }',
    ],
    [
      'events of the package format there',
      'hooks/hooks.json',
      '{ "version": 1, "pre-tool-use": [] }',
      '1:17 error events are read from the object "hooks" only; write { "version": 1, "hooks": { "pre-tool-use": ... } }',
    ],
    [
      'a comment in hooks.json',
      'hooks/hooks.json',
      '{\n  // The guard.\n  "hooks": {}\n}',
      '2:3 error comments are not allowed in JSON; remove it',
    ],
    [
      'a permission rule as a matcher',
      'hooks/hooks.json',
      hooks('Write|Bash(ls:*)', QUOTED),
      '1:36 warning "Bash(ls:*)" matches no tool: it is a permission rule, and a matcher sees only the name of the tool. Write "Bash", and look at the input in the hook',
    ],
    [
      'a path without quotes',
      'hooks/hooks.json',
      hooks('Write', 'sh ${CLAUDE_PLUGIN_ROOT}/guard.sh --all'),
      '1:81 warning ${CLAUDE_PLUGIN_ROOT}/guard.sh is not in double quotes, so the command breaks where the path has a blank; write "${CLAUDE_PLUGIN_ROOT}/guard.sh"',
    ],
    [
      'a fixture that is called almost so',
      'evals/cases/a.yaml',
      'name: a\ninput:\n  prompt: Go\n  files:\n    - fixtures/sampel.pdf\njudge:\n  criteria: It is.\n',
      '5:7 error fixtures/sampel.pdf does not exist below the folder of the evals. Did you mean "fixtures/sample.pdf"?',
    ],
    [
      'a key that is indented too far',
      'evals/cases/a.yaml',
      'name: a\ninput:\n  prompt: Go\n   files:\n    - fixtures/sample.pdf\n',
      '4:4 error indented deeper than the line above, so this is read as a part of its value; indent it like its neighbours',
    ],
    [
      'a key that is indented too little',
      'evals/cases/a.yaml',
      'name: a\ninput:\n    prompt: Go\n  files:\n    - fixtures/sample.pdf\n',
      '4:1 error all mapping items must start at the same column',
    ],
    [
      'an item that is indented too far',
      'evals/cases/a.yaml',
      'name: a\nexpected:\n  contains:\n    - one\n     - two\n  files-created:\n   - x: y\n     - z\n',
      '8:6 error indented deeper than the line above, so this is read as a part of its value; indent it like its neighbours',
    ],
  ] as const)('%s', async ([, file, text, message]) => {
    await using project = await createFixture({ ...PLUGIN, 'guard.sh': '', [file]: text })
    const { issues } = JSON.parse(await printed(lint, project.path, '--json')) as { readonly issues: readonly Found[] }
    const found = issues.filter((one) => one.file.endsWith(file))
    expect(found.map((one) => `${one.line}:${one.column} ${one.severity} ${one.message}`)).toEqual([message])
  })
})

interface Found {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly severity: string
  readonly message: string
}
