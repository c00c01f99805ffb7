// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { readReports } from '../support/eval-project.ts'
import { scenarioFile } from '../support/package-run.ts'
import type { FileTree } from 'fs-fixture'

const CALLS = '---\ntype: regex\ntarget: mock_calls\narm: both\n---\n'

// A server that must never be started: it would leave a file.
const SERVER = { mcpServers: { tracker: { command: 'sh', args: ['-c', 'touch "$HOME/started"; exit 1'] } } }
const TOOL = 'mcp__plugin_greeter_tracker__create_issue'

function prose(name: string, prompt: string, graders: Readonly<Record<string, string>>): FileTree {
  return {
    [`evals/${name}/prompt.md`]: prompt,
    ...Object.fromEntries(Object.entries(graders).map(([path, text]) => [`evals/${name}/graders/${path}.md`, text])),
  }
}

// Files of the skill are readable, those of the evals are not.
const PEEK =
  "find / -path /proc -prune -o '(' -name SKILL.md -path '*greet*' -o -path '*peeks*' -o -path '*staged*' ')' -exec sh -c 'cat $1 >/dev/null && echo seen $(basename $1)' - {} ';' 2>/dev/null; true"

const FILES: FileTree = {
  'package.json': '{ "private": true }\n',
  '.git/HEAD': '',
  '.claude-plugin/plugin.json': '{"name":"greeter","version":"1.0.0"}',
  '.mcp.json': JSON.stringify(SERVER),
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n',
  'evals/mocks/tracker/create_issue.md': '---\nexpect: { project: CORE }\n---\n{"id": "{{input.title}}-1"}\n',
  'evals/mocks/tracker/_tools.json': JSON.stringify({
    tools: [{ name: 'create_issue', description: 'Creates.', inputSchema: { type: 'object', properties: {} } }],
  }),
  ...prose('mocked', '---\nruns: 1\n---\nFile it.\n', { filed: `${CALLS}"project":"CORE".*Bug-1` }),
  'evals/scenarios/mocked.yaml': scenarioFile([
    { tools: [{ name: TOOL, input: { project: 'CORE', title: 'Bug' } }] },
    'Filed.',
  ]),
  ...prose('wrong-project', '---\nruns: 1\n---\nFile it.\n', { says: '---\ntype: regex\n---\nFiled\n' }),
  'evals/scenarios/wrong-project.yaml': scenarioFile([
    { tools: [{ name: TOOL, input: { project: 'OTHER', title: 'Bug' } }] },
    'Filed.',
  ]),
  ...prose('denied', '---\nruns: 1\n---\nWrite it.\n', {
    none: '---\ntype: file_exists\npath: a.txt\nexists: false\n---\n',
  }),
  'evals/scenarios/denied.yaml': scenarioFile([
    { tools: [{ name: 'Write', input: { file_path: '${WORKSPACE}/a.txt', content: 'a' } }] },
    'Denied.',
  ]),
  ...prose('allowed', '---\nruns: 1\nallowed_tools: [Write]\n---\nWrite it.\n', {
    file: '---\ntype: file_exists\npath: a.txt\n---\n',
  }),
  'evals/scenarios/allowed.yaml': scenarioFile([
    { tools: [{ name: 'Write', input: { file_path: '${WORKSPACE}/a.txt', content: 'a' } }] },
    'Written.',
  ]),
  'evals/staged/case.yaml': `schema_version: "1.1"
name: staged
runs: 1
context: { scaffold_script: setup.sh }
execution: { prompt: Read it., env: { EVAL_MODE: fast }, allowed_tools: [Bash] }
graders:
  - { type: regex, name: reads, target: trace, pattern: staged-by-the-script.*fast }
`,
  'evals/staged/setup.sh': 'echo staged-by-the-script > data.txt\n',
  'evals/scenarios/staged.yaml': scenarioFile([
    { tools: [{ name: 'Bash', input: { command: 'echo "$(cat data.txt) $EVAL_MODE"' } }] },
    'Read.',
  ]),
  ...prose('peeks', '---\nruns: 1\nallowed_tools: [Bash]\n---\nFind them.\n', {
    searched: '---\ntype: regex\ntarget: trace\n---\nseen SKILL[.]md\n',
    hidden: '---\ntype: regex\ntarget: trace\nmatch: not_contains\n---\nseen (?:hidden|prompt|setup)[.]\n',
  }),
  'evals/scenarios/peeks.yaml': scenarioFile([{ tools: [{ name: 'Bash', input: { command: PEEK } }] }, 'Nothing.']),
  ...prose('half', '---\ntags: [smoke]\n---\nGreet.\n', {
    one: '---\ntype: regex\n---\nHello\n',
    other: '---\ntype: regex\n---\nGoodbye\n',
  }),
  'evals/scenarios/half.yaml': scenarioFile(['Hello.']),
}

test('cases run with their mocks, their scaffold and the tools that they allow, and see no evals', async () => {
  await using project = await createProject(repositoryVitest(), FILES)
  const finished = await project.agentEvals(['run', '--ablation', 'none', '--scaffold'], {
    merged: true,
    env: { AGENT_EVALS_SANDBOX: 'prefer' },
  })
  const [report] = await readReports(project)
  const found = Object.fromEntries((report?.cases ?? []).map(({ name, verdict }) => [name, verdict]))
  const isSealed = report?.cases[0]?.sandbox?.enforced !== 'none'
  expect(found, finished.stdout).toEqual({
    mocked: 'PASS',
    'wrong-project': 'FAIL',
    denied: 'PASS',
    allowed: 'PASS',
    staged: 'PASS',
    // Without a sandbox an agent reads what its user can read.
    peeks: isSealed ? 'PASS' : 'FAIL',
    half: 'FAIL',
  })

  const options = ['--tag', 'smoke', '--threshold', '0.5', '--runs', '2', '--ablation', 'none']
  const again = await project.agentEvals(['run', ...options], { merged: true })
  const latest = (await readReports(project)).at(-1)
  const results = latest?.cases.map(({ name, verdict, runs }) => [name, verdict, runs.length])
  expect(results, again.stdout).toEqual([['half', 'PASS', 2]])
})
