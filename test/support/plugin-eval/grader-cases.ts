import { calls, file, judge, order, regex, says, used, writes, type ParityCases } from './parity-case.ts'
import type { Turn } from '../messages-server.ts'

const SKILL: Turn = calls('Skill', { skill: 'demo:hello' })
const TOOLS = [
  calls('Read', { file_path: 'x1' }),
  writes('a.txt'),
  calls('Edit', { file_path: 'a.txt', old_string: 'hi', new_string: 'ho' }),
  writes('b.txt'),
  calls('Read', { file_path: 'a.txt' }),
  says('ok'),
]
const EVENT = '{"type":"result","result":"the baseline"}\n'

/** Every grader and target, in both arms. */
export const GRADER_CASES: ParityCases = {
  'regex-match': {
    turns: [says('Hello WORLD hello\nline two hello aaa')],
    graders: {
      found: regex('hello'),
      cased: regex('HELLO'),
      absent: regex('zzz', 'match: not_contains'),
      present: regex('hello', 'match: not_contains'),
    },
  },
  'regex-count': {
    turns: [says('Hello WORLD hello\nline two hello aaa')],
    graders: {
      two: regex('hello', 'match: "count:2"'),
      one: regex('hello', 'match: "count:1"'),
      insensitive: regex('hello', 'match: "count:3"', 'flags: i'),
      overlapping: regex('aa', 'match: "count:1"'),
      none: regex('zzz', 'match: "count:0"'),
      empty: regex('x*', 'match: "count:0"'),
    },
  },
  'regex-flags': {
    turns: [says('Hello WORLD hello\nline two')],
    graders: {
      i: regex('WORLD HELLO', 'flags: i'),
      m: regex('^line', 'flags: m'),
      without: regex('^line'),
      s: regex('hello.line', 'flags: s'),
      y: regex('WORLD', 'flags: y'),
      u: regex('\\u{48}ello', 'flags: u'),
    },
  },
  'last-message': {
    turns: [{ text: 'early text', tools: [{ name: 'Read', input: { file_path: 'x' } }] }, says('final text')],
    graders: { final: regex('^final text$'), early: regex('early') },
  },
  'no-message': {
    turns: [calls('Read', { file_path: 'x' }), says('')],
    graders: { any: regex('.'), none: regex('.', 'match: not_contains'), read: used('Read') },
  },
  trace: {
    turns: [writes('a.txt'), says('ok')],
    graders: {
      call: regex('"name":"Write"', 'target: trace'),
      init: regex('^\\{"type":"system","subtype":"init"', 'target: trace'),
      result: regex('"type":"result"', 'target: trace'),
      prompt: regex('CASE:trace', 'target: trace'),
    },
  },
  files: {
    turns: [writes('b.txt'), writes('sub/deep/a.txt'), writes('.hidden.txt'), says('ok')],
    graders: {
      list: regex('^\\.hidden\\.txt\\nb\\.txt\\nsub/deep/a\\.txt$', 'target: files'),
      none: regex('zzz', 'target: files', 'match: not_contains'),
    },
  },
  'workspace-file': {
    turns: [writes('notes/x.md', 'alpha\nbeta'), says('ok')],
    graders: {
      content: regex('^beta$', 'flags: m', 'target: {source: file, path: notes/x.md}'),
      missing: regex('.', 'target: {source: file, path: nope.md}'),
      vacuous: regex('.', 'match: not_contains', 'target: {source: file, path: nope.md}'),
    },
  },
  'file-exists': {
    turns: [writes('root.txt'), writes('sub/b.txt'), writes('sub/x/y/c.txt'), says('ok')],
    graders: {
      star: file('*.txt'),
      deep: file('**/c.txt'),
      folder: file('sub'),
      absent: file('zzz', 'exists: false'),
      present: file('root.txt', 'exists: false'),
      braces: file('{root,z}.txt'),
      one: file('ro?t.txt'),
      anywhere: file('sub/**/b.txt'),
    },
  },
  'tool-used': {
    turns: TOOLS,
    graders: {
      any: used('Read'),
      three: used('Read', 'min: 3'),
      once: used('Read', 'max: 1'),
      never: used('Bash', 'min: 0', 'max: 0'),
      zero: used('Bash', 'max: 0'),
      cased: used('read'),
      input: used('Write', `input_match: 'b\\.txt'`),
      json: used('Write', `input_match: '"content":"hi"'`, 'min: 2'),
    },
  },
  'tool-order': {
    turns: TOOLS,
    graders: {
      right: order('Read', 'Write'),
      wrong: order('Write', 'Read'),
      never: order('Bash', 'Write'),
      same: order('Write', 'Write'),
      input: order('{tool: Edit}', '{tool: Write, input_match: "b.txt"}'),
    },
  },
  'refused-tools': {
    turns: [calls('WebFetch', { url: 'http://x', prompt: 'y' }), calls('Nope', {}), says('ok')],
    graders: { fetch: used('WebFetch'), unknown: used('Nope') },
  },
  weights: {
    turns: [says('hello')],
    graders: { a: regex('hello', 'weight: 3'), b: regex('zzz', 'weight: 2'), c: regex('hello', 'weight: 0.5') },
  },
  arms: {
    turns: { with: [SKILL, says('yes')], without: [says('no')] },
    graders: {
      says: regex('yes'),
      indicator: regex('zzz', 'arm: with-only'),
      skill: used('Skill', 'weight: 5'),
      both: used('Skill', 'arm: both', 'input_match: hello'),
    },
  },
  'indicators-alone': {
    turns: { with: [SKILL, says('yes')], without: [says('no')] },
    graders: { skill: used('Skill') },
  },
  judge: {
    turns: { with: [says('Good day to you.')], without: [says('bye')] },
    graders: {
      all: judge('VOTES:PPP It is polite.'),
      two: judge('VOTES:PFP It is polite, say two.'),
      one: judge('VOTES:FPF It is polite, says one.', 'weight: 2'),
    },
  },
  'judge-targets': {
    turns: [writes('a.txt', 'alpha'), says('ok')],
    graders: {
      files: judge('VOTES:PPP Files are there.', 'focus: files'),
      trace: judge('VOTES:FFF The trace is short.', 'focus: trace'),
      content: judge('VOTES:PPP The file says alpha.', 'focus: {source: file, path: a.txt}'),
      missing: judge('VOTES:PPP It is there.', 'focus: {source: file, path: nope.txt}'),
    },
  },
  'judge-empty': {
    turns: [calls('Read', { file_path: 'x' }), says('')],
    graders: { empty: judge('VOTES:PPP There is nothing.') },
  },
  baseline: {
    turns: [says('my answer')],
    graders: {
      good: ['type: baseline\nbaseline_file: base.jsonl', 'VOTES:PPF As good as before.'],
      bad: ['type: baseline\nbaseline_file: base.jsonl', 'VOTES:FFP Better than before.'],
      text: ['type: baseline\nbaseline_file: base.txt', 'VOTES:PPP Not read.'],
    },
    files: { 'base.jsonl': EVENT, 'base.txt': 'plain text\n' },
  },
  'max-turns': {
    turns: [
      { text: 'early text', tools: [{ name: 'Read', input: { file_path: 'x1' } }] },
      calls('Read', { file_path: 'x2' }),
      calls('Read', { file_path: 'x3' }),
    ],
    front: 'max_turns: 2',
    graders: { early: regex('early'), read: used('Read') },
  },
  'sub-agent': {
    turns: [
      calls('Agent', { description: 'd', prompt: 'CASE:child look', subagent_type: 'general-purpose' }),
      says('parent done'),
    ],
    graders: { agent: used('Agent'), read: used('Read'), order: order('Agent', 'Read'), last: regex('parent') },
  },
  repeated: {
    turns: [says('hello')],
    front: 'runs: 2',
    graders: { hello: regex('hello'), zzz: regex('zzz') },
  },
}
