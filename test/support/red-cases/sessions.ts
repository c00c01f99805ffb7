import { aamPackage, shellPackage, type AamCase } from './aam.ts'
import { skill, use, doing } from '../skill-project.ts'
import type { RedPackage } from './red-package.ts'

const HELLO: Partial<AamCase> = {
  expected: { contains: ['Hello'] },
  judge: [[{ verdict: 'pass', reason: 'It greets.', quote: 'Hello' }]],
}
const shell = (prompt: string): AamCase => ({ ...HELLO, prompt, turns: [] })

const touches = (path: string): AamCase => shell(`touch ${path} 2>/dev/null && echo Hello || echo Refused`)

/** In the command lines of what the sessions leave running. */
export const LEFT_RUNNING = `4399.${process.pid}`

/** How sessions end, what they reach, and what triggers. */
export const SESSIONS: readonly RedPackage[] = [
  {
    about: 'a session that does not end is errored',
    folder: 'played/deadline',
    files: shellPackage(
      { late: shell('echo Hello; sleep 60'), 'in-time': shell('sleep 1; echo Hello') },
      {},
      { timeout: 6 },
    ),
    red: { late: 'errored timed-out' },
    green: ['in-time'],
  },
  {
    about: 'a session that breaks is errored',
    folder: 'played/api',
    files: aamPackage('claude-code', {
      down: { turns: [{ error: { status: 401, message: 'no' } }] },
      once: { turns: [{ error: { status: 429, message: 'slow down', 'retry-after': 1 } }, 'Done.'] },
      unknown: { turns: [{ tools: [{ name: 'DoesNotExist', input: {} }] }, 'Done.'] },
    }),
    red: { down: 'errored upstream-failed', unknown: 'errored engine-failed' },
    green: ['once'],
  },
  {
    about: 'a process that a session leaves is killed',
    folder: 'played/leftovers',
    files: shellPackage({
      leaves: shell(
        `(setsid sleep ${LEFT_RUNNING} >/dev/null 2>&1 &); (trap '' TERM; sleep ${LEFT_RUNNING} >/dev/null 2>&1) & echo Hello`,
      ),
    }),
    red: {},
    green: ['leaves'],
  },
  {
    about: 'a session writes in its workspace only',
    folder: 'played/writes',
    files: shellPackage({
      outside: touches('/usr/planted'),
      above: touches('../planted'),
      home: touches('"$HOME/../planted"'),
      inside: touches('planted'),
    }),
    red: {
      outside: 'failed',
      above: 'failed',
      home: 'failed',
    },
    green: ['inside'],
  },
  {
    about: 'a trigger query is decided by the use of its skill',
    folder: 'played/triggers',
    files: {
      'skills/notes/SKILL.md': skill('notes', 'Writes notes.'),
      'skills/letters/SKILL.md': skill('letters', 'Writes letters.'),
      'skills/notes/evals/triggers.json': JSON.stringify([
        { id: 'fires', query: 'fires', should_trigger: true },
        { id: 'silent', query: 'silent', should_trigger: true },
        { id: 'sibling', query: 'sibling', should_trigger: true },
        { id: 'wrongly', query: 'wrongly', should_trigger: false },
        { id: 'rightly', query: 'rightly', should_trigger: false },
      ]),
      'evals/scenarios/fires.yaml': doing([use('notes')]),
      'evals/scenarios/silent.yaml': doing([]),
      'evals/scenarios/sibling.yaml': doing([use('letters')]),
      'evals/scenarios/wrongly.yaml': doing([use('notes')]),
      'evals/scenarios/rightly.yaml': doing([]),
    },
    red: { silent: 'failed', sibling: 'failed', wrongly: 'failed' },
    green: ['fires', 'rightly'],
  },
  {
    about: 'a skill that the session was not offered is no rate of 0',
    folder: 'played/not-offered',
    files: {
      'skills/notes/SKILL.md': skill('notes', 'Writes notes.').replace(
        '---\n\n',
        'disable-model-invocation: true\n---\n\n',
      ),
      'skills/notes/evals/triggers.json': JSON.stringify([{ id: 'asks', query: 'asks', should_trigger: true }]),
      'evals/scenarios/asks.yaml': doing([]),
    },
    red: { asks: 'errored skill-not-offered' },
    green: [],
  },
  {
    about: 'a plugin eval is decided by the weights of its graders',
    folder: 'played/plugin',
    files: pluginFiles(),
    red: {
      'below-threshold': 'failed',
      'no-match': 'failed',
      'a-match': 'failed',
      'a-file': 'failed',
      'no-tool': 'failed',
      'wrong-order': 'failed',
      'fails-by-judge': 'failed',
      'half-by-judge': 'failed',
      'judge-errs': 'errored scenario-exhausted',
    },
    green: ['at-threshold', 'all'],
  },
]

/** Share of the weights that passes a plugin eval. */
export const THRESHOLD = 0.75

function pluginFiles(): RedPackage['files'] {
  const found = (weight: number): string => `---\ntype: regex\nweight: ${weight}\n---\nHello\n`
  const absent = (weight: number): string => `---\ntype: regex\nweight: ${weight}\n---\nGoodbye\n`
  const llm = '---\ntype: llm\n---\nIt says goodbye.\n'
  const none = '---\ntype: regex\nmatch: not_contains\n---\n'
  const used = (tool: string): string => `---\ntype: tool_used\ntool: ${tool}\narm: both\n---\n`
  const order = (before: string, after: string): string =>
    `---\ntype: tool_order\nbefore: ${before}\nafter: ${after}\narm: both\n---\n`
  const file = (path: string): string => `---\ntype: file_exists\npath: ${path}\n---\n`
  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'at-threshold': { a: found(3), b: absent(1) },
    'below-threshold': { a: found(2), b: absent(1) },
    'no-match': { a: absent(1) },
    'a-match': { a: `${none}Hello\n` },
    'a-file': { a: file('other.txt') },
    'no-tool': { a: used('WebFetch') },
    'wrong-order': { a: order('Read', 'Write') },
    'fails-by-judge': { a: llm },
    'half-by-judge': { a: found(1), b: llm },
    'judge-errs': { a: llm },
    all: { a: found(1), b: `${none}Goodbye\n`, c: file('a.txt'), d: used('Write'), e: order('Write', 'Read') },
  }
  const turns = [
    { tools: [{ name: 'Write', input: { file_path: '${WORKSPACE}/a.txt', content: 'a' } }] },
    { tools: [{ name: 'Read', input: { file_path: '${WORKSPACE}/a.txt' } }] },
    'Hello.',
  ]
  const fail = [{ verdict: 'fail', reason: 'It does not.', quote: 'Hello.' }]
  const judgeOf = (name: string): readonly unknown[] =>
    name === 'judge-errs' ? Array(3).fill('{') : [fail, fail, fail]
  return Object.fromEntries([
    ['.claude-plugin/plugin.json', '{"name":"greeter","version":"1.0.0"}'],
    ...Object.entries(cases).flatMap(([name, graders]) => [
      [`evals/${name}/prompt.md`, `---\nruns: 1\nallowed_tools: [Write, Read]\n---\nGo: ${name}.\n`],
      ...Object.entries(graders).map(([id, text]) => [`evals/${name}/graders/${id}.md`, text]),
      [`evals/scenarios/${name}.yaml`, JSON.stringify({ turns, judge: judgeOf(name) })],
    ]),
  ])
}
