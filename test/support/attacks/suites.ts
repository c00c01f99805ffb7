import { engines } from '../../../src/engines/registry.ts'
import type { FileTree } from 'fs-fixture'

/** A package whose files try to break promise 6 of SECURITY.md: they may cost their own cases alone. */
export interface SuiteAttack {
  /** What is tried. */
  readonly name: string
  readonly files: FileTree
  /** Each case of the report, and its mistakes. */
  readonly says: readonly string[]
}

const CASE = { prompt: 'Say hello.', expected: 'contains: [Hello]', criteria: 'It greets.' }

/** An AAM case; each part can be replaced, and `rest` is further YAML. */
function yaml(part: Partial<typeof CASE> & { name?: string; rest?: string } = {}): string {
  const { name = 'bad', prompt, expected, criteria, rest = '' } = { ...CASE, ...part }
  return `name: ${name}\ninput:\n  prompt: ${prompt}\nexpected:\n  ${expected}\njudge:\n  criteria: ${criteria}\n${rest}`
}

function bad(content: string | Buffer): FileTree {
  return { 'evals/cases/bad.yaml': content }
}

function config(json: string): FileTree {
  return { 'evals/eval-config.json': json, 'evals/cases/bad.yaml': yaml() }
}

const LAUGHS = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`)
const SKILL = '---\nname: pdf-tools\ndescription: Reads PDF files.\n---\nRead it.\n'

/** Hostile suites and configurations that need no special file. */
export const SUITE_ATTACKS: readonly SuiteAttack[] = [
  {
    name: 'billion laughs',
    says: [
      'bad ERROR invalid-suite',
      'cases/bad.yaml:1:5 anchors and aliases are not supported (&a0); write the value out, or quote the text',
    ],
    files: bad(['a0: &a0 lol', ...LAUGHS, yaml()].join('\n')),
  },
  {
    name: 'one alias',
    says: [
      'bad ERROR invalid-suite',
      'cases/bad.yaml:8:14 anchors and aliases are not supported (*elsewhere); write the value out, or quote the text',
    ],
    files: bad(yaml({ rest: 'description: *elsewhere\n' })),
  },
  {
    name: '5,000 brackets',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:39 nested deeper than 32 levels; write it flatter'],
    files: bad(`name: ${'['.repeat(5000)}`),
  },
  {
    name: '5,000 levels of blocks',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:1 the file is larger than 256 KiB'],
    files: bad(Array.from({ length: 5000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')),
  },
  {
    name: '200,000 keys',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:1 the file is larger than 256 KiB'],
    files: bad(Array.from({ length: 200_000 }, (_, n) => `k${n}: 1`).join('\n')),
  },
  {
    name: 'a scalar of 5 MB',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:1 the file is larger than 256 KiB'],
    files: bad(yaml({ prompt: 'x'.repeat(5_000_000) })),
  },
  {
    name: 'a function',
    says: [
      'bad ERROR invalid-suite',
      'cases/bad.yaml:3:11 tags are not supported (!!js/function); remove it, or quote the text',
    ],
    files: bad(yaml({ prompt: '!!js/function "function () {}"' })),
  },
  {
    name: 'binary',
    says: [
      'bad ERROR invalid-suite',
      'cases/bad.yaml:3:11 tags are not supported (!!binary); remove it, or quote the text',
    ],
    files: bad(yaml({ prompt: '!!binary aGVsbG8=' })),
  },
  {
    name: 'a key twice',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:8:1 the key "name" is duplicated; keep one of them'],
    files: bad(yaml({ rest: 'name: again\n' })),
  },
  {
    name: 'a tab',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:3:1 a tab is used as indentation; use spaces'],
    files: bad('name: bad\ninput:\n\tprompt: x\n'),
  },
  {
    name: 'an open quote',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:7 this quote is never closed'],
    files: bad('name: "bad\ninput:\n  prompt: x\n'),
  },
  {
    name: 'two documents',
    says: [
      'bad ERROR invalid-suite',
      'cases/bad.yaml:8:1 a second document starts here; one file contains one document',
    ],
    files: bad(`${yaml()}---\n${yaml()}`),
  },
  {
    name: 'a list',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:1 expected one case, got a list; write one file per case'],
    files: bad('- name: bad\n'),
  },
  {
    name: 'an empty file',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:1 no case in the file: it is empty or contains only comments'],
    files: bad(''),
  },
  {
    name: 'only a comment',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:1 no case in the file: it is empty or contains only comments'],
    files: bad('# nothing\n'),
  },
  {
    name: 'Latin-1',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:3:14 not valid UTF-8; save the file as UTF-8'],
    files: bad(Buffer.from(yaml({ prompt: 'caf\u00e9' }), 'latin1')),
  },
  {
    name: 'UTF-16',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:1 not valid UTF-8, but UTF-16; save the file as UTF-8'],
    files: bad(Buffer.from(`\ufeff${yaml()}`, 'utf16le')),
  },
  {
    name: 'NUL',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:3:12 a NUL character is not allowed; remove it or escape it'],
    files: bad(yaml({ prompt: 'a\0b' })),
  },
  {
    name: 'only a byte order mark',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:1 no case in the file: it is empty or contains only comments'],
    files: bad('\ufeff'),
  },
  {
    name: '__proto__',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:8:1 "__proto__" is not a field; remove it'],
    files: bad(yaml({ rest: '__proto__:\n  polluted: true\n' })),
  },
  {
    name: 'constructor',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:8:1 constructor: unknown field. Remove it.'],
    files: bad(yaml({ rest: 'constructor: x\n' })),
  },
  {
    name: 'a slip',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:5:3 expected.contians: unknown field. Did you mean "contains"?'],
    files: bad(yaml({ expected: 'contians: [Hello]' })),
  },
  {
    name: 'wrong types',
    says: [
      'bad ERROR invalid-suite',
      'cases/bad.yaml:5:13 expected.contains: expected a list, got a number; write a list: ["5"]',
      'cases/bad.yaml:6:18 expected.agent-blocked: expected true or false, got a string; write true',
    ],
    files: bad(yaml({ expected: 'contains: 5\n  agent-blocked: "yes"' })),
  },
  {
    name: 'timeout as text',
    says: [
      'bad ERROR invalid-suite',
      'eval-config.json:1:47 timeout: expected a number, got a string; remove the quotes',
    ],
    files: config('{"version":1,"engine":"claude-code","timeout":"120"}'),
  },
  {
    name: 'no time',
    says: ['bad ERROR invalid-suite', 'eval-config.json:1:47 timeout: must be more than 0 and at most 86400 seconds'],
    files: config('{"version":1,"engine":"claude-code","timeout":0}'),
  },
  {
    name: 'all the time',
    says: ['bad ERROR invalid-suite', 'eval-config.json:1:47 timeout: must be more than 0 and at most 86400 seconds'],
    files: config('{"version":1,"engine":"claude-code","timeout":99999999999999999999}'),
  },
  {
    name: 'a name that climbs',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:7 name: must be 1 to 64 characters of a-z, 0-9 and -'],
    files: bad(yaml({ name: '../x' })),
  },
  {
    name: 'a name with a blank',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:7 name: must be 1 to 64 characters of a-z, 0-9 and -'],
    files: bad(yaml({ name: 'A B' })),
  },
  {
    name: 'a long name',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:7 name: must be 1 to 64 characters of a-z, 0-9 and -'],
    files: bad(yaml({ name: 'x'.repeat(65) })),
  },
  {
    name: 'no name',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:1 name: missing; expected a string'],
    files: bad(yaml().replace('name: bad\n', '')),
  },
  {
    name: 'one name twice',
    says: [
      'a ERROR invalid-suite',
      'cases/a.yaml:1:7 name: "twin" is also the name of the case at evals/cases/b.yaml:1:7; rename one',
      'b ERROR invalid-suite',
      'cases/b.yaml:1:7 name: "twin" is also the name of the case at evals/cases/a.yaml:1:7; rename one',
    ],
    files: { 'evals/cases/a.yaml': yaml({ name: 'twin' }), 'evals/cases/b.yaml': yaml({ name: 'twin' }) },
  },
  {
    name: 'an engine nobody knows',
    says: [
      'bad ERROR unsupported-engine',
      `The engine "cursor" is not supported: its CLI connects only to its vendor's servers, so no run of it can be recorded or replayed. Use one of: ${Object.keys(engines).join(', ')}.`,
    ],
    files: config('{"version":1,"engine":"cursor"}'),
  },
  {
    name: 'another version',
    says: ['bad ERROR invalid-suite', 'eval-config.json:1:12 version: expected 1, got 2'],
    files: config('{"version":2,"engine":"claude-code"}'),
  },
  {
    name: 'no version',
    says: ['bad ERROR invalid-suite', 'eval-config.json:1:1 version: missing; expected 1'],
    files: config('{"engine":"claude-code"}'),
  },
  {
    name: 'a target that climbs',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:8:9 target: the package has no skill "../../x".'],
    files: bad(yaml({ rest: 'target: skill:../../x\n' })),
  },
  {
    name: 'a target that is not there',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:8:9 target: the package has no skill "pdf-tool".'],
    files: bad(yaml({ rest: 'target: skill:pdf-tool\n' })),
  },
  {
    name: 'two skills of one name',
    says: [
      'bad ERROR invalid-suite',
      'cases/bad.yaml:8:9 target: two skills of the package are called "pdf-tools"; rename one of them',
      ...['a', 'b'].map(
        (folder) => `skills/${folder}/SKILL.md:2:7 name: differs from the folder's name "${folder}", which engines use`,
      ),
      'skills/a/SKILL.md:1:1 two skills are called "pdf-tools"; the other one is in the folder "b"',
      'skills/b/SKILL.md:1:1 two skills are called "pdf-tools"; the other one is in the folder "a"',
    ],
    files: {
      'skills/a/SKILL.md': SKILL,
      'skills/b/SKILL.md': SKILL,
      'evals/cases/bad.yaml': yaml({ rest: 'target: skill:pdf-tools\n' }),
    },
  },
  {
    name: 'variables that are ours',
    says: [
      'bad ERROR invalid-suite',
      'eval-config.json:1:44 env.PATH: is reserved: it would change the agent or its sandbox; choose another name',
      'eval-config.json:1:56 env.LD_PRELOAD: is reserved: it would change the agent or its sandbox; choose another name',
      'eval-config.json:1:74 env.NODE_OPTIONS: is reserved: it would change the agent or its sandbox; choose another name',
      'eval-config.json:1:93 env.ANTHROPIC_BASE_URL: is reserved: it would change the agent or its sandbox; choose another name',
      'eval-config.json:1:118 env.A=B: not a variable name; use A-Z, 0-9 and _, not starting with a digit',
      'eval-config.json:1:128 env.: not a variable name; use A-Z, 0-9 and _, not starting with a digit',
    ],
    files: config(
      '{"version":1,"engine":"claude-code","env":{"PATH":"/x","LD_PRELOAD":"/x","NODE_OPTIONS":"x","ANTHROPIC_BASE_URL":"x","A=B":"1","":"x"}}',
    ),
  },
  {
    name: 'writable paths outside',
    says: [
      'bad ERROR invalid-suite',
      'eval-config.json:1:66 sandbox.writable-paths.0: the path is absolute; write it relative',
      'eval-config.json:1:70 sandbox.writable-paths.1: the path leaves the folder with ".."',
      'eval-config.json:1:75 sandbox.writable-paths.2: the path starts with "~"; write it relative',
      'eval-config.json:1:79 sandbox.writable-paths.3: the path is absolute; write it relative',
      'eval-config.json:1:86 sandbox.writable-paths.4: the path is empty',
    ],
    files: config('{"version":1,"engine":"claude-code","sandbox":{"writable-paths":["/","..","~","/etc",""]}}'),
  },
  {
    name: 'a writable path that the agent reads as its own configuration',
    says: [
      'bad FAIL',
      'expected the output to contain "Hello" but it does not',
      'eval-config.json:1:66 sandbox.writable-paths.0: lets the agent change its own configuration or repository (.git)',
      'eval-config.json:1:74 sandbox.writable-paths.1: lets the agent change its own configuration or repository (.claude)',
    ],
    files: {
      ...config('{"version":1,"engine":"claude-code","sandbox":{"writable-paths":[".git/",".claude/"]}}'),
      'evals/scenarios/bad.yaml': 'turns:\n  - text: Good bye\n',
    },
  },
  {
    name: 'no prompt',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:3:11 input.prompt: must not be empty'],
    files: bad(yaml({ prompt: '""' })),
  },
  {
    name: 'no criteria',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:7:13 judge.criteria: must not be empty: the judge needs it'],
    files: bad(yaml({ criteria: '""' })),
  },
  {
    name: 'criteria of 1 MB',
    says: ['bad ERROR invalid-suite', 'cases/bad.yaml:1:1 the file is larger than 256 KiB'],
    files: bad(yaml({ criteria: 'x'.repeat(1_100_000) })),
  },
  {
    name: 'a text that is always there',
    says: [
      'bad ERROR invalid-suite',
      'cases/bad.yaml:5:14 expected.contains.0: must not be empty: every output contains it',
    ],
    files: bad(yaml({ expected: 'contains: [""]' })),
  },
  {
    name: 'evals.json with hostile ids',
    says: [
      '../../x ERROR invalid-suite',
      'evals.2.timeout expected a number, got a string; remove the quotes (line 1).',
      '1 pdf-tools: a SKIP',
      '',
      '1 pdf-tools: a (2) ERROR invalid-suite',
      'evals.1.id the id "1" is also at line 1; rename one (line 1).',
      'Copies of the project leave out 1 file or folder: node_modules/ (folder of dependencies).',
    ],
    files: {
      'skills/pdf-tools/SKILL.md': SKILL,
      'skills/pdf-tools/evals/evals.json': JSON.stringify({
        skill_name: 'pdf-tools',
        evals: [
          { id: 1, prompt: 'a', expected_output: 'b', expectations: ['c'] },
          { id: 1, prompt: 'a', expected_output: 'b', expectations: [] },
          { id: '../../x', prompt: 'a', expected_output: 'b', timeout: '5' },
        ],
      }),
    },
  },
  {
    name: 'triggers.json without what it needs',
    says: [
      'eval-1 ERROR invalid-suite',
      '0.query must not be empty (line 1).',
      'read it ERROR invalid-suite',
      '1.should_trigger missing; expected true or false (line 1).',
    ],
    files: {
      'skills/pdf-tools/SKILL.md': SKILL,
      'skills/pdf-tools/evals/triggers.json': '[{"query":"","should_trigger":true},{"query":"read it"}]',
    },
  },
  {
    name: '10,000 queries',
    says: ['triggers ERROR invalid-suite', 'skills/pdf-tools/evals/triggers.json:1:1 the file is larger than 256 KiB'],
    files: {
      'skills/pdf-tools/SKILL.md': SKILL,
      'skills/pdf-tools/evals/triggers.json': JSON.stringify(
        Array.from({ length: 10_000 }, (_, n) => ({ query: `read ${n}`, should_trigger: true })),
      ),
    },
  },
  {
    name: 'a comma too many',
    says: ['bad ERROR invalid-suite', 'eval-config.json:1:36 remove the comma before "}"'],
    files: config('{"version":1,"engine":"claude-code",}'),
  },
  {
    name: 'a comment',
    says: ['bad ERROR invalid-suite', 'eval-config.json:1:14 comments are not allowed in JSON; remove it'],
    files: config('{"version":1,/* so */"engine":"claude-code"}'),
  },
  {
    name: 'a deep configuration',
    says: ['bad ERROR invalid-suite', 'eval-config.json:1:43 nested deeper than 32 levels; write it flatter'],
    files: config(`{"version":${'['.repeat(5000)}`),
  },
  {
    name: '2 MB',
    says: ['bad ERROR invalid-suite', 'eval-config.json:1:1 the file is larger than 256 KiB'],
    files: config(`{"version":1,"engine":"claude-code","x":"${'x'.repeat(2_100_000)}"}`),
  },
]
