// @module-tag claude-code
import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { readReports, verdicts } from '../support/eval-project.ts'
import { describeEvals, scenarioFile, write } from '../support/package-run.ts'
import type { FileTree } from 'fs-fixture'
import type { FinishedProcess } from '../support/running-process.ts'

const PLUGINS = join(REPOSITORY, 'test/fixtures/plugins')
const ENVIRONMENT = { AGENT_EVALS_SANDBOX: 'prefer' }

function run(project: TestProject, ...args: string[]): Promise<FinishedProcess> {
  return project.agentEvals(args, { merged: true, env: ENVIRONMENT })
}

async function openPlugin(name: string, files: FileTree = {}): Promise<TestProject> {
  const project = await createProject(repositoryVitest(), {
    'package.json': '{ "private": true }\n',
    '.git/HEAD': '',
    ...files,
  })
  await cp(join(PLUGINS, name), project.root, { recursive: true })
  return project
}

const BLOCKED: FileTree = {
  'evals/cases/blocked.yaml': JSON.stringify({
    name: 'blocked',
    target: 'hook:PreToolUse',
    input: { prompt: 'Change generated/api.ts' },
    expected: { 'agent-blocked': true },
    judge: { criteria: 'It stops.' },
  }),
  'evals/scenarios/blocked.yaml': scenarioFile([{ tools: [write('${WORKSPACE}/generated/api.ts')] }, 'It is blocked.']),
  'evals/cases/denied.yaml': JSON.stringify({
    name: 'denied',
    target: 'hook:pre-tool-use',
    input: { prompt: 'Write secrets.json' },
    expected: { 'agent-blocked': true },
    judge: { criteria: 'It stops.' },
  }),
  'evals/scenarios/denied.yaml': scenarioFile([{ tools: [write('${WORKSPACE}/secrets.json')] }, 'It is denied.']),
}

const NOTE: FileTree = {
  'plugins/notes/evals/cases/note.yaml': JSON.stringify({
    name: 'note',
    input: { prompt: 'Note that the tests pass' },
    expected: { 'files-created': ['notes.md'] },
    judge: { criteria: 'It notes that.' },
  }),
  'plugins/notes/evals/scenarios/note.yaml': scenarioFile([
    { tools: [{ name: 'mcp__notes__add_note', input: { text: 'The tests pass.' } }] },
    'It is noted.',
  ]),
}

describeEvals('plugins of Claude Code, as they are', () => {
  test.for([
    ['safe-edits', BLOCKED, ['blocked PASS', 'denied PASS', 'hook-pre-tool-use PASS']],
    [
      'review-kit',
      {},
      [
        'agent-code-reviewer PASS',
        'command-review-kit-review PASS',
        'skill-review-style PASS',
        'I want a review or for feedback on a diff PASS',
        'Do you have something for review style? Please use it now PASS',
        'What is the capital of France? PASS',
        'Rename the variable x to count in src/index.js PASS',
      ],
    ],
    ['toolshed', NOTE, []],
    // Its folder has another name in each checkout.
    [
      'one-skill',
      {},
      [
        'skill-tidy-notes PASS',
        'Tidy notes, please PASS',
        'Do you have something for tidy notes? Please use it now PASS',
        'What is the capital of France? PASS',
        'Rename the variable x to count in src/index.js PASS',
        'Tidy mail, please PASS',
        'Do you have something for tidy mail? Please use it now PASS',
        'What is the capital of France? PASS',
        'Rename the variable x to count in src/index.js PASS',
      ],
    ],
  ] as const)('%s: init, run, lint, list and a recording', { tags: ['slow'] }, async ([name, files, expected]) => {
    await using project = await openPlugin(name, files)
    const before = await readFile(join(project.root, name === 'toolshed' ? MARKETPLACE : MANIFEST), 'utf8')
    expect((await run(project, 'init')).exitCode).toBe(0)

    const recorded = await run(project, 'run', '--record')
    expect(recorded.all).toContain('no model called')
    expect(recorded.exitCode, recorded.all).toBe(0)
    const [report] = await readReports(project)
    if (report !== undefined && expected.length > 0) expect(verdicts(report)).toEqual(expected)

    const lint = await run(project, 'lint')
    expect(lint.exitCode, lint.all).toBe(0)
    if (name === 'one-skill') expect(lint.all).toContain('nothing wrong')
    expect(await readFile(join(project.root, name === 'toolshed' ? MARKETPLACE : MANIFEST), 'utf8')).toBe(before)
    // That recordings are found where they lie in a plugin of each kind: one with servers, and one that is a skill.
    if (name !== 'toolshed' && name !== 'one-skill') return
    const listed = JSON.parse((await run(project, 'list', '--json')).all) as { cases: readonly { answers: string }[] }
    expect(new Set(listed.cases.map(({ answers }) => answers))).toEqual(new Set(['recording']))

    for (const folder of ['.', 'plugins/changelog', 'plugins/notes'])
      await rm(join(project.root, folder, 'evals/scenarios'), { recursive: true, force: true })
    const replayed = await run(project, 'run', '--source', 'replay')
    expect(replayed.exitCode, replayed.all).toBe(0)
  })

  test("a project's own .claude: its hook runs from where it is, its skill and its command are there", async () => {
    await using project = await createProject(repositoryVitest(), PROJECT)
    const ran = await run(project, 'run')
    expect(ran.exitCode, ran.all).toBe(0)
    const [report] = await readReports(project)
    expect(report === undefined ? [] : verdicts(report)).toEqual(['command PASS', 'guarded PASS', 'skill PASS'])
  })

  test('the free tests run native hooks, in either spelling of the event', async () => {
    await using project = await openPlugin('safe-edits', FREE_TESTS)
    const ran = await run(project, 'test')
    expect(ran.exitCode, ran.all).toBe(0)
    expect(ran.all).toContain('4 passed (4)')
  })
})

const MANIFEST = '.claude-plugin/plugin.json'
const MARKETPLACE = '.claude-plugin/marketplace.json'

const JUDGED = { judge: { criteria: 'It does so.' } }

const PROJECT: FileTree = {
  'package.json': '{ "private": true }\n',
  '.git/HEAD': '',
  '.claude/settings.json': JSON.stringify({
    permissions: { deny: ['Bash(rm:*)'] },
    hooks: {
      PreToolUse: [
        { matcher: 'Write', hooks: [{ type: 'command', command: 'sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh' }] },
        { matcher: 'Write', hooks: [{ type: 'command', command: 'node tools/guard/check.mjs' }] },
      ],
    },
  }),
  '.claude/hooks/guard.sh': 'cat > /dev/null\nexit 0\n',
  'tools/guard/check.mjs': "import { code } from './code.mjs'\nconsole.error('not here')\nprocess.exit(code)\n",
  'tools/guard/code.mjs': 'export const code = 2\n',
  '.claude/skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets\n---\nGREETING-BODY\n',
  '.claude/commands/team/hello.md': 'COMMAND-BODY for $ARGUMENTS\n',
  'evals/cases/guarded.yaml': JSON.stringify({
    name: 'guarded',
    target: 'hook:PreToolUse',
    input: { prompt: 'Write a file' },
    expected: { 'agent-blocked': true },
    ...JUDGED,
  }),
  'evals/scenarios/guarded.yaml': scenarioFile([{ tools: [write('${WORKSPACE}/x.md')] }, 'I stop.']),
  'evals/cases/skill.yaml': JSON.stringify({
    name: 'skill',
    target: 'skill:greet',
    input: { prompt: 'Hi' },
    ...JUDGED,
  }),
  'evals/scenarios/skill.yaml': scenarioFile([{ tools: [{ name: 'Skill', input: { skill: 'greet' } }] }, 'Hello.']),
  'evals/cases/command.yaml': JSON.stringify({ name: 'command', input: { prompt: '/team:hello Ada' }, ...JUDGED }),
  'evals/scenarios/command.yaml': scenarioFile(['Hello, Ada.']),
}

const FREE_TESTS: FileTree = {
  'hooks/tests/cases/blocks.yaml': JSON.stringify({
    name: 'blocks',
    event: 'PreToolUse',
    input: { fixture: 'fixtures/write.json', overrides: { 'toolInput.file_path': 'generated/api.ts' } },
    expected: { 'exit-code': 2, 'stderr-contains': ['generated/api.ts is generated'] },
  }),
  'hooks/tests/cases/allows.yaml': JSON.stringify({
    name: 'allows',
    event: 'pre-tool-use',
    input: { fixture: 'fixtures/write.json' },
    expected: { 'exit-code': 0 },
  }),
  'hooks/tests/fixtures/write.json': JSON.stringify({
    hookEventName: 'pre-tool-use',
    toolName: 'Write',
    toolInput: { file_path: 'src/app.ts', content: 'x' },
  }),
}
