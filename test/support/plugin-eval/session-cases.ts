import { historyOf } from './history.ts'
import { calls, file, judge, regex, says, used, writes, type ParityCases } from './parity-case.ts'

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const HISTORY = historyOf('EARLIER-QUESTION', 'EARLIER-ANSWER')

// The key of the call, as Claude Code 2.1.330 wrote it.
const PLAYED = '78f8227c81d0ada0746d5d95720416e5ff2086cce59119503bef772002928198'

/** Every field of a case, mocks, and what breaks. */
export const SESSION_CASES: ParityCases = {
  image: {
    turns: [says('drawn')],
    yaml: { context: { scaffold_script: 'setup.sh' } },
    graders: {
      picture: judge('VOTES:PPP It is a dot.', 'focus: {source: file, path: dot.png}'),
      refused: judge('VOTES:FPF It is a circle.', 'focus: {source: file, path: dot.png}'),
      pattern: regex('.', 'target: {source: file, path: dot.png}'),
    },
    files: { 'setup.sh': 'cp "$(dirname "$0")/dot.png" dot.png\n', 'dot.png': DOT },
  },
  scaffold: {
    turns: [calls('Read', { file_path: 'data.txt' }), writes('new.txt'), says('ok')],
    yaml: { context: { scaffold_script: 'steps/setup.sh' } },
    graders: {
      content: regex('scaffolded', 'target: {source: file, path: data.txt}'),
      read: regex('scaffolded', 'target: trace'),
      listed: regex('^new\\.txt$', 'target: files'),
      created: file('data.txt'),
      binary: regex('b', 'target: {source: file, path: bin.dat}'),
      shown: judge('VOTES:PPP It is readable.', 'focus: {source: file, path: bin.dat}'),
      nothing: judge('VOTES:PPP Nothing changed.', 'focus: files'),
    },
    files: { 'steps/setup.sh': 'echo scaffolded > data.txt; printf "a\\000b" > bin.dat\n' },
  },
  history: {
    turns: [says('${SEES:EARLIER-ANSWER} ${MODEL}')],
    yaml: { context: { history_file: 'history.jsonl' } },
    graders: {
      resumed: regex('^yes claude-haiku-4-5'),
      trace: regex('EARLIER-ANSWER', 'target: trace'),
      skill: used('Skill', 'max: 0', 'min: 0'),
    },
    files: { 'history.jsonl': HISTORY },
  },
  'add-dirs': {
    turns: [calls('Read', { file_path: '${CASE}/more/extra.txt' }), says('ok')],
    yaml: { context: { add_dirs: ['more'] } },
    graders: { content: regex('extra content', 'target: trace') },
    files: { 'more/extra.txt': 'extra content\n' },
  },
  execution: {
    turns: [says('${MODEL} ${SEES:APPENDED-TEXT}')],
    yaml: { execution: { model: 'claude-opus-4-5', append_system_prompt: 'APPENDED-TEXT' } },
    graders: { model: regex('^claude-opus-4-5'), appended: regex('yes$') },
  },
  'front-matter': {
    turns: [says('${MODEL} ${SEES:APPENDED-TEXT}')],
    front:
      'model: claude-haiku-4-5\nappend_system_prompt: APPENDED-TEXT\ndescription: one\ntags: [fields]\nexpected_outcome: two',
    yaml: { execution: { model: 'claude-opus-4-5' } },
    graders: { model: regex('^claude-haiku-4-5'), appended: regex('yes$') },
  },
  'env-of-hook': {
    turns: [says('${SEES:MODE=fast}')],
    yaml: { plugins: ['../../extra'], execution: { env: { EVAL_MODE: 'fast' } } },
    graders: { mode: regex('yes') },
  },
  'other-plugin': {
    turns: [says('hello ${SEES:demo:hello} bye ${SEES:extra:bye}')],
    yaml: { plugins: ['../../extra'] },
    graders: { plugin: regex('hello no bye yes'), none: regex('hello no bye no') },
  },
  'several-plugins': {
    turns: [calls('Skill', { skill: 'extra:bye' }), says('hello ${SEES:demo:hello} bye ${SEES:extra:bye}')],
    yaml: { plugins: ['../..', '../../extra'] },
    graders: {
      plugins: regex('hello yes bye yes'),
      used: used('Skill', 'arm: both'),
      body: regex('Wave and say bye', 'target: trace'),
    },
  },
  'yaml-alone': {
    turns: [says('hello')],
    yaml: {
      runs: 1,
      execution: { prompt: 'CASE:yaml-alone go.', max_turns: 3 },
      graders: [
        { type: 'regex', name: 'hello', pattern: 'hello' },
        { type: 'tool_order', name: 'order', before: 'Read', after: { tool: 'Write', input_match: 'x' }, weight: 3 },
      ],
    },
    graders: {},
  },
  grouped: {
    folder: 'group/deeper/grouped',
    turns: [says('hello')],
    graders: { hello: regex('hello') },
  },
  'not-allowed': {
    turns: [calls('Bash', { command: 'touch a.txt', description: 'Create it' }), says('ok')],
    front: 'allowed_tools: [Read]',
    graders: { none: file('a.txt', 'exists: false'), tried: used('Bash') },
  },
  disallowed: {
    turns: [writes('a.txt'), says('ok')],
    front: 'allowed_tools: [Write]\ndisallowed_tools: [Write]',
    graders: { none: file('a.txt', 'exists: false') },
  },
  'eval-folder': {
    turns: [
      calls('Read', { file_path: '${CASE}/answers.md' }),
      calls('Grep', { pattern: 'zz-criteria', path: '${CASE}', output_mode: 'content' }),
      calls('Glob', { pattern: '**/answers.md', path: '${CASE}' }),
      says('ok'),
    ],
    graders: {
      read: regex('zz-criteria are here', 'match: not_contains', 'target: trace'),
      tried: used('Read'),
    },
    files: { 'answers.md': 'The zz-criteria are here.\n' },
  },
  'mock-calls': {
    turns: {
      with: [
        calls('mcp__plugin_demo_tracker__create', { project: 'CORE', title: 'Bug' }),
        calls('mcp__plugin_demo_tracker__close', { id: '7' }),
        says('filed'),
      ],
      without: [calls('mcp__plugin_demo_tracker__create', { project: 'CORE' }), says('no tool')],
    },
    graders: {
      filed: regex('"project":"CORE".*"output":"filed Bug"', 'target: mock_calls'),
      failed: regex('"isError":true,"verdict":"tool_error"', 'target: mock_calls'),
      judged: judge('VOTES:PPP A bug was filed.', 'focus: mock_calls'),
      used: used('mcp__plugin_demo_tracker__create'),
      says: regex('filed'),
    },
    files: {
      'mocks/tracker/create.md': '---\nexpect: { project: CORE }\n---\nfiled {{input.title}}\n',
      'mocks/tracker/close.md': '---\nerror: true\n---\nno issue {{input.id}}\n',
      'mocks/tracker/_tools.json': JSON.stringify({
        tools: [{ name: 'create', description: 'Creates.', inputSchema: { type: 'object', properties: {} } }],
      }),
    },
  },
  'mock-alone': {
    turns: [calls('mcp__wiki__read', { page: 'home' }), says('ok')],
    graders: { read: regex('the page home', 'target: mock_calls'), used: used('mcp__wiki__read') },
    files: { 'mocks/wiki/read.md': 'the page {{input.page}}\n' },
  },
  'mock-none': {
    turns: [says('ok')],
    graders: { calls: regex('.', 'target: mock_calls', 'match: not_contains'), says: regex('ok') },
  },
  'mock-abort': {
    turns: {
      with: [calls('mcp__plugin_demo_tracker__create', { project: 'OTHER' }), says('filed')],
      without: [says('filed')],
    },
    graders: { says: regex('filed'), judged: judge('VOTES:PPP It was filed.') },
    files: { 'mocks/tracker/create.md': '---\nexpect: { project: CORE }\n---\nfiled\n' },
  },
  'mock-played': {
    turns: {
      with: [calls('mcp__plugin_demo_tracker__create', { project: 'CORE' }), says('filed')],
      without: [says('nothing')],
    },
    graders: { answer: regex('PLAYED-ISSUE-12', 'target: mock_calls'), says: regex('filed') },
    files: {
      // What `claude plugin eval` recorded when a model played the server.
      [`mocks/.replay/tracker/create-${PLAYED}.json`]: JSON.stringify({
        input: { project: 'CORE' },
        output: 'PLAYED-ISSUE-12',
        verdict: 'ok',
        recordedAt: '2026-11-23T01:48:23.241Z',
        model: null,
      }),
      'mocks/tracker/_server.md': '---\ntype: agent\ntools: [create]\n---\nPLAYS:tracker You are an issue tracker.\n',
    },
  },
  'broken-pattern': {
    turns: [says('hello')],
    graders: { hello: regex('hello'), broken: regex('(') },
    differs: 'an invalid pattern fails the grader there; here the run is errored and has no score',
  },
  'api-error': {
    turns: [{ error: { status: 400, message: 'This model is broken.' } }],
    graders: { none: regex('x', 'match: not_contains') },
    differs: 'a run that the API ended scores 0 there; here it is errored and has no score',
  },
  'broken-judge': {
    turns: [says('hello')],
    graders: { hello: regex('hello'), broken: judge('VOTES:--- Nothing is answered.') },
    differs: 'a judge that does not answer fails the grader there; here the run is errored and has no score',
  },
}
