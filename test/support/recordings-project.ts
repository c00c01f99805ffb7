import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { FileTree } from 'fs-fixture'
import type { Recording } from '../../src/recordings/recording.ts'
import type { ReportCase } from '../../src/report/report.ts'
import type { TestProject } from './project.ts'
import { config, readReports } from './eval-project.ts'

/** A package in which each case sees other parts: a skill's body, an agent's prompt, a command, an MCP tool, a hook. */
export const PARTS: FileTree = {
  'vitest.config.ts': config(
    "{ sandbox: 'prefer', ...(process.env.TEST_CLAUDE ? { engines: { 'claude-code': process.env.TEST_CLAUDE } } : {}) }",
  ),
  'package.agent.json': '{ "name": "parts", "version": "1.0.0" }\n',
  'skills/greet/SKILL.md': [
    '---',
    'name: greet',
    'description: Greets whoever is named in a file.',
    '---',
    '# Greet',
    '',
    'Run the script of this skill with the file.',
    'Say what it printed, and nothing else.',
    '',
  ].join('\n'),
  // Its second line is another one on every day and kernel.
  'skills/greet/scripts/greet.sh':
    'mkdir -p out\necho greeted > out/log.txt\necho "Hello, $(cat "$1")"\necho "said on $(date +%F) by Linux $(uname -r)"\n',
  'rules/polite/RULE.md': '---\nname: polite\napply:\n  mode: always\n---\nAlways stay polite to every reader.\n',
  'agents/critic/agent.yaml':
    'name: critic\ndescription: Criticises a greeting that somebody wrote.\nsystem_prompt: prompt.md\ntools:\n  - shell\n',
  'agents/critic/prompt.md': 'You are the critic of greetings.\nName one weakness of each greeting you are shown.\n',
  'commands/wave.md': '---\nname: wave\ndescription: Waves at somebody.\n---\nWave at the reader with both hands.\n',
  'mcp/servers.json': '{ "servers": { "tally": { "command": "node", "args": ["${PACKAGE_ROOT}/mcp/tally.mjs"] } } }\n',
  'mcp/tally.mjs': [
    "import { createInterface } from 'node:readline'",
    "const description = 'Counts the letters of a word.'",
    "const tool = { name: 'count', description, inputSchema: { type: 'object', properties: { word: { type: 'string' } } } }",
    'const methods = {',
    '  initialize: ({ protocolVersion }) => ({',
    "    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tally', version: '1.0.0' },",
    '  }),',
    "  'tools/list': () => ({ tools: [tool] }),",
    "  'tools/call': (call) => ({ content: [{ type: 'text', text: String(call.arguments.word.length) }] }),",
    '}',
    'for await (const line of createInterface({ input: process.stdin })) {',
    '  const { id, method, params } = JSON.parse(line)',
    '  if (id === undefined) continue',
    '  const known = methods[method]',
    "  const answer = known ? { result: known(params ?? {}) } : { error: { code: -32601, message: 'Method not found' } }",
    "  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))",
    '}',
    '',
  ].join('\n'),
  'hooks/hooks.json': JSON.stringify({
    version: 1,
    hooks: {
      'pre-tool-use': [
        { matcher: 'Write', hooks: [{ type: 'command', command: 'sh "${PACKAGE_ROOT}/hooks/guard.sh"' }] },
      ],
    },
  }),
  'hooks/guard.sh': 'if grep -q forbidden; then echo "forbidden names are not written" >&2; exit 2; fi\n',
  'evals/fixtures/name.txt': 'World\n',
  ...caseOf(
    'skill',
    'Greet the name in fixtures/name.txt.',
    [
      { tools: [{ name: 'Skill', input: { skill: 'greet' } }] },
      {
        tools: [
          {
            name: 'Bash',
            input: { command: 'sh .claude/skills/greet/scripts/greet.sh fixtures/name.txt', description: 'Greet' },
          },
          { name: 'Read', input: { file_path: '${WORKSPACE}/fixtures/name.txt' } },
        ],
      },
      { tools: [{ name: 'Write', input: { file_path: '${WORKSPACE}/out/greeting.txt', content: 'Hello, World\n' } }] },
      'Hello, World',
    ],
    'Hello, World',
    { 'files-created': ['out/log.txt'] },
  ),
  ...caseOf(
    'delegate',
    'Have the critic look at the greeting Hi.',
    [
      {
        tools: [
          critic('Look at the greeting Hi.', 'It is short.'),
          critic('Look at the greeting Hi.', 'It is short.'),
          { name: 'Bash', input: { command: 'cat fixtures/name.txt', description: 'Show' } },
        ],
      },
      'The critic says: It is short.',
    ],
    'It is short',
  ),
  ...caseOf('command', '/wave', ['I wave with both hands.'], 'wave'),
  ...caseOf(
    'tool',
    'How long is the word World?',
    [
      { tools: [{ name: 'ToolSearch', input: { query: 'select:mcp__tally__count', max_results: 1 } }] },
      { tools: [{ name: 'mcp__tally__count', input: { word: 'World' } }] },
      'It has 5 letters.',
    ],
    '5',
  ),
  ...caseOf(
    'hook',
    'Write a file that is called forbidden.txt.',
    [
      { tools: [{ name: 'Write', input: { file_path: '${WORKSPACE}/forbidden.txt', content: 'x\n' } }] },
      'I was not allowed to write it.',
    ],
    'not allowed',
  ),
}

function critic(prompt: string, answer: string): object {
  const look = { name: 'Bash', input: { command: 'echo looking', description: 'Look' } }
  const input = { description: 'Criticise', prompt, subagent_type: 'critic' }
  return { name: 'Agent', input, turns: [{ tools: [look] }, answer] }
}

/** A case with a scenario of which the judge approves. */
export function caseOf(
  name: string,
  prompt: string,
  turns: readonly unknown[],
  contains: string,
  expected: Readonly<Record<string, unknown>> = {},
): FileTree {
  const written = {
    name,
    input: { prompt, files: ['fixtures/name.txt'] },
    expected: { contains: [contains], ...expected },
    judge: { criteria: 'The answer is polite.' },
  }
  const answer = turns.at(-1)
  const quote = typeof answer === 'string' ? answer : contains
  const judge = [[{ verdict: 'pass', reason: 'Nothing in it is rude.', quote }]]
  return {
    [`evals/cases/${name}.yaml`]: `${JSON.stringify(written, null, 2)}\n`,
    [`evals/scenarios/${name}.yaml`]: `${JSON.stringify({ turns, judge }, null, 2)}\n`,
  }
}

/** Runs the project's cases from this source, and returns what the report says of them by name. */
export async function runCases(
  project: TestProject,
  source: 'auto' | 'record' | 'replay',
  options: { readonly env?: Record<string, string>; readonly args?: readonly string[] } = {},
): Promise<ReadonlyMap<string, ReportCase>> {
  const before = (await readReports(project)).length
  const finished = await project.run(['run', '--project', 'evals', ...(options.args ?? [])], {
    env: { AGENT_EVALS_SOURCE: source, ...options.env },
  })
  return casesOf(project, before, finished.all)
}

/** What the newest report says of the cases, by name. */
export async function casesOf(
  project: TestProject,
  before: number,
  output: string,
): Promise<ReadonlyMap<string, ReportCase>> {
  const reports = await readReports(project)
  expect(reports.length, output).toBe(before + 1)
  const newest = reports.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1)).at(-1)
  return new Map(newest?.cases.map((one) => [one.name, one]))
}

/** One line a case: its name, and what is wrong with it. */
export function states(cases: ReadonlyMap<string, ReportCase>): readonly string[] {
  return [...cases.values()]
    .map(({ name, outcome, error_code: code }) => [name, outcome, ...(code === null ? [] : [code])].join(' '))
    .toSorted()
}

/** A recording of the project; throws when there is none. */
export async function recordingOf(project: TestProject, name: string): Promise<Recording> {
  return JSON.parse(await readFile(recordingPath(project, name), 'utf8')) as Recording
}

export function recordingPath(project: TestProject, name: string): string {
  return join(project.root, 'evals/recordings/cases', name, 'claude-code.1.json')
}

/** Another text at one place of a file. */
export interface Edit {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** Changes files of the project, runs `work`, and puts them back. */
export async function withEdits<T>(project: TestProject, edits: readonly Edit[], work: () => Promise<T>): Promise<T> {
  const originals = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const path = join(project.root, file)
    const text = await readFile(path, 'utf8')
    if (!text.includes(from)) throw new Error(`${file} does not hold ${JSON.stringify(from)}.`)
    if (!originals.has(path)) originals.set(path, text)
    await writeFile(path, text.replace(from, to))
  }
  try {
    return await work()
  } finally {
    for (const [path, text] of originals) await writeFile(path, text)
  }
}
