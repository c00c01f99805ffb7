import { calls, file, order, regex, says, used, writes, type ParityCase, type ParityCases } from './parity-case.ts'

const CREATE = 'mcp__plugin_demo_tracker__create'
const FILED = calls(CREATE, { project: 'CORE', list: [1, { a: 'b' }], empty: '', path: '../secret' })
const MOCKED = { with: [FILED, says('filed')], without: [says('nothing')] }
const ANSWER = { answer: regex('"output":"filed', 'target: mock_calls'), says: regex('filed') }
const BROKEN_MOCK = 'a mistake in a mock makes the run score 0 there; here the case is errored and has no score'
const BROKEN_PATTERN = 'an invalid pattern fails the grader there; here the run is errored and has no score'
const READ_NUMBER = 'the result names the number as it was read; scores are equal'
const BROKEN_PATH = 'a path of the case that cannot be used makes the run score 0 there; here the case is errored'

/** A case whose mock of one tool has this text. */
function mocked(text: string, more: Partial<ParityCase> = {}): ParityCase {
  return { turns: MOCKED, graders: ANSWER, files: { 'mocks/tracker/create.md': text }, ...more }
}

/** Cases that load and are odd: what both runners make of them. */
export const ODD_CASES: ParityCases = {
  'flags-twice': { turns: [says('hi')], graders: { a: regex('hi', 'flags: ii') }, differs: BROKEN_PATTERN },
  'flags-against': { turns: [says('hi')], graders: { a: regex('hi', 'flags: uv') }, differs: BROKEN_PATTERN },
  'flags-global': {
    turns: [says('hi hi')],
    graders: { g: regex('hi', 'flags: g', 'match: "count:2"'), y: regex('hi', 'flags: y', 'match: "count:2"') },
  },
  'count-huge': {
    turns: [says('hi')],
    graders: { a: regex('hi', 'match: "count:99999999999999999999"') },
    differs: READ_NUMBER,
  },
  'count-zero': {
    turns: [says('hi')],
    graders: { a: regex('hi', 'match: "count:0"'), b: regex('x', 'match: "count:0"') },
  },
  'count-leading-zero': {
    turns: [says('hi')],
    graders: { a: regex('hi', 'match: "count:01"') },
    differs: READ_NUMBER,
  },
  'pattern-lines': { turns: [says('one\ntwo')], graders: { a: regex('one\ntwo'), b: regex('one\r\ntwo') } },
  'target-file-odd': {
    turns: [writes('sub/a.txt'), says('ok')],
    graders: {
      folder: regex('.', 'target: {source: file, path: sub}'),
      dot: regex('hi', 'target: {source: file, path: ./sub/a.txt}'),
      twice: regex('hi', 'target: {source: file, path: sub/../sub/a.txt}'),
      outside: regex('.', 'target: {source: file, path: ../../../../etc/hostname}'),
      absolute: regex('.', 'target: {source: file, path: /etc/hostname}'),
      empty: regex('.', 'target: {source: file, path: ""}'),
      glob: regex('hi', 'target: {source: file, path: "sub/*.txt"}'),
    },
  },
  'file-exists-odd': {
    turns: [writes('sub/a.txt'), says('ok')],
    graders: {
      empty: file(''),
      'not-empty': file('', 'exists: false'),
      absolute: file('/etc/hostname'),
      outside: file('../**'),
      dot: file('./sub/a.txt'),
      slash: file('sub/'),
      all: file('**'),
      not: file('!sub/a.txt'),
    },
  },
  'tool-used-odd': {
    turns: [calls('Read', { file_path: 'x' }), says('ok')],
    graders: { between: used('Read', 'min: 3', 'max: 1'), zero: used('Read', 'min: 0') },
  },
  'tool-used-unknown': {
    turns: [calls('Read', { file_path: 'x' }), says('ok')],
    graders: { empty: used('""'), star: used('"*"'), pattern: used('R.*') },
    differs: 'a name that no tool has fails the grader there; here the run is errored and has no score',
  },
  'input-pattern': {
    turns: [calls('Read', { file_path: 'x' }), says('ok')],
    graders: { broken: used('Read', 'input_match: "("') },
    differs: BROKEN_PATTERN,
  },
  'order-same-tool': {
    turns: [calls('Read', { file_path: 'x' }), says('ok')],
    graders: { once: order('Read', 'Read') },
  },
  'baseline-missing': {
    turns: [says('ok')],
    graders: { base: ['type: baseline\nbaseline_file: none.jsonl', 'VOTES:PPP As good.'] },
  },
  'baseline-outside': {
    turns: [says('ok')],
    graders: { base: ['type: baseline\nbaseline_file: ../../plugin.json', 'VOTES:PPP As good, outside.'] },
  },
  'judge-empty-criteria': {
    turns: [says('ok')],
    graders: { a: ['type: llm\ncriteria: ""'], ok: regex('ok') },
    differs: 'this judge gives no verdict: a fail there; here the run is errored and has no score',
  },
  'weights-tiny': {
    turns: [says('ok')],
    graders: { a: regex('ok', 'weight: 1e-300'), b: regex('no', 'weight: 1e300') },
  },
  'crlf-files': { turns: [says('ok')], front: 'runs: 1\r', graders: { a: ['type: regex\r', 'ok\r'] } },
  'bom-grader': { turns: [says('ok')], graders: {}, files: { 'graders/a.md': '\uFEFF---\ntype: regex\n---\nok\n' } },
  'prompt-dashes': {
    turns: [says('ok')],
    yaml: {
      execution: { prompt: '--version CASE:prompt-dashes go.' },
      graders: [{ type: 'regex', name: 'a', pattern: 'ok' }],
    },
    graders: {},
  },
  'env-refused': { turns: [says('ok')], front: 'env: { PATH: x }', graders: { a: regex('ok') }, differs: BROKEN_PATH },
  'add-dirs-missing': {
    turns: [says('ok')],
    yaml: { context: { add_dirs: ['none'] } },
    graders: { a: regex('ok') },
    differs: BROKEN_PATH,
  },
  'add-dirs-outside': {
    turns: [says('ok')],
    yaml: { context: { add_dirs: ['../..'] } },
    graders: { a: regex('ok') },
    differs: BROKEN_PATH,
  },
  'history-missing': {
    turns: [says('ok')],
    yaml: { context: { history_file: 'none.jsonl' } },
    graders: { a: regex('ok') },
    differs: BROKEN_PATH,
  },
  'history-empty': {
    turns: [says('ok')],
    yaml: { context: { history_file: 'h.jsonl' } },
    graders: { a: regex('ok') },
    files: { 'h.jsonl': '' },
    differs: BROKEN_PATH,
  },
  'scaffold-missing': {
    turns: [says('ok')],
    yaml: { context: { scaffold_script: 'none.sh' } },
    graders: { a: regex('ok') },
    differs: BROKEN_PATH,
  },
  'scaffold-fails': {
    turns: [says('ok')],
    yaml: { context: { scaffold_script: 's.sh' } },
    graders: { a: regex('ok') },
    files: { 's.sh': 'exit 3\n' },
    differs: BROKEN_PATH,
  },
  'scaffold-outside': {
    turns: [says('ok')],
    yaml: { context: { scaffold_script: '../../x.sh' } },
    graders: { a: regex('ok') },
    differs: BROKEN_PATH,
  },
  'mock-template': mocked(
    'filed {{input.project}} {{ input.list }} {{input.list.1.a}} {{input.none}} {{input.empty}} {{other}} {{input}} {{input.}}\n',
  ),
  'mock-fixture-missing': mocked('filed {{file:none.txt}}\n'),
  'mock-fixture': mocked('filed {{file:data/one.txt}}\n', {
    files: {
      'mocks/tracker/create.md': 'filed {{file:data/{input.project}.txt}}\n',
      'mocks/tracker/data/CORE.txt': 'data of CORE',
    },
  }),
  'mock-fixture-outside': mocked('filed {{file:../../prompt.md}}\n'),
  'mock-fixture-field-outside': mocked('filed {{file:{input.path}}}\n'),
  'mock-crlf': mocked('---\r\nexpect: { project: CORE }\r\n---\r\nfiled\r\ntwo\r\n'),
  'mock-empty': mocked('', {
    graders: { answer: regex('"output":""', 'target: mock_calls'), says: regex('filed') },
    differs: 'mock_calls has the empty answer; there it has the words that Claude Code puts in its place',
  }),
  'mock-unknown-key': mocked('---\nexpects: { project: CORE }\n---\nfiled\n', { differs: BROKEN_MOCK }),
  'mock-bad-yaml': mocked('---\nexpect: [\n---\nfiled\n', { differs: BROKEN_MOCK }),
  'mock-guard-pattern': mocked('---\nexpect: { project: "/(/" }\n---\nfiled\n', { differs: BROKEN_MOCK }),
  'mock-bad-type': mocked('---\ntype: script\n---\nfiled\n', { differs: BROKEN_MOCK }),
  'mock-template-placeholder': mocked('TODO: replace with the canned result this tool should return\n', {
    differs: BROKEN_MOCK,
  }),
  'mock-tools-json': mocked('', {
    files: { 'mocks/tracker/create.md': 'filed\n', 'mocks/tracker/_tools.json': '{' },
    differs: BROKEN_MOCK,
  }),
  'mock-tools-shape': mocked('', {
    files: { 'mocks/tracker/create.md': 'filed\n', 'mocks/tracker/_tools.json': '{"tools": [{"title": "create"}]}' },
    differs: BROKEN_MOCK,
  }),
  'mock-tools-other': mocked('', {
    files: { 'mocks/tracker/create.md': 'filed\n', 'mocks/tracker/_tools.json': '{"tools": [{"name": "other"}]}' },
  }),
  'mock-server-fixed': mocked('', {
    files: { 'mocks/tracker/_server.md': '---\ntools: [create]\n---\nfiled\n' },
    differs: BROKEN_MOCK,
  }),
  'mock-server-no-tools': mocked('', {
    files: { 'mocks/tracker/_server.md': '---\ntype: agent\n---\nPLAYS:tracker\n' },
    differs: BROKEN_MOCK,
  }),
  'mock-empty-folder': mocked('', {
    turns: [says('filed')],
    graders: { says: regex('filed') },
    files: { 'mocks/tracker/notes.txt': 'none' },
  }),
  'mock-replay-broken': mocked('', {
    files: {
      'mocks/tracker/_server.md': '---\ntype: agent\ntools: [create]\n---\nPLAYS:tracker\n',
      'mocks/.replay/tracker/create-0.json': '{',
    },
    differs: 'a missing answer of a played server is asked for there; here the call ends the run',
  }),
}
