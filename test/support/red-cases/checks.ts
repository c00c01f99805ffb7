import { bash, write, type WrittenTurn } from '../package-run.ts'
import { skill } from '../skill-project.ts'
import { aamPackage, engineNamed, shellPackage, type AamCase } from './aam.ts'
import type { RedPackage } from './red-package.ts'

const TOTAL = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } }
const WORDS = { type: 'object', properties: { total: { type: 'string' } } }
const EMPTY = { ...TOTAL, required: ['sum'] }

/** What a session says and leaves, and for each kind of check an expectation that it misses and one that it meets. */
const SCRIPT = `printf '{"total": 3}' > out.json; echo 'Hello, World'`
const BY_OUTPUT: Readonly<Record<string, readonly [missed: unknown, met: unknown]>> = {
  contains: [['Goodbye'], ['Hello']],
  'not-contains': [['Hello'], ['Goodbye']],
  matches: ['^Goodbye', '^Hello'],
  'not-matches': ['^Hello', '^Goodbye'],
  'files-created': [['other.json'], ['out.json']],
  'file-contains': [
    { path: 'out.json', text: 'sum' },
    { path: 'out.json', text: 'total' },
  ],
  'file-not-contains': [
    { path: 'out.json', text: 'total' },
    { path: 'out.json', text: 'sum' },
  ],
  'json-schema': [
    { path: 'out.json', schema: WORDS },
    { path: 'out.json', schema: TOTAL },
  ],
  script: [check('sum'), check('total')],
  'max-seconds': [0.000_001, 600],
}

/** A script of the author that exits with 1 and its verdict where the result lacks the word. */
function check(word: string): object {
  return { run: `sh checks/look.sh ${word}`, files: ['checks/look.sh'] }
}

const LOOK = `if grep -q "$1" "$WORKSPACE/out.json"; then echo '{"pass": true, "reason": "It is there."}'; else echo '{"pass": false, "reason": "It is not."}'; exit 1; fi
`

const CALLS: readonly WrittenTurn[] = [
  { tools: [bash('printf hello')] },
  { tools: [write('${WORKSPACE}/out.json', '{ "total": 3 }')] },
  { tools: [engineNamed('claude-code').skill('notes')] },
  'Total: 3',
]
const BY_CALLS: Readonly<Record<string, readonly [missed: unknown, met: unknown]>> = {
  'skill-used': ['letters', 'notes'],
  'skill-not-used': ['notes', 'letters'],
  'tool-called': [
    { tool: 'Bash', times: 2 },
    { tool: 'Bash', input: { command: 'printf hello' }, times: 1 },
  ],
  'tools-in-order': [
    ['Write', 'Bash'],
    ['Bash', 'Write'],
  ],
  'no-tool': ['Bash', 'WebFetch'],
  'max-turns': [2, 4],
  'hook-ran': [
    { event: 'PreToolUse', matcher: 'Bash', times: 2 },
    { event: 'PreToolUse', matcher: 'Bash', times: 1 },
  ],
  'hook-output': [{ contains: ['Be brief.'] }, { contains: ['Be polite.'] }],
}

const HOOKS = JSON.stringify({
  version: 1,
  hooks: {
    'pre-tool-use': [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }],
    'session-start': [{ hooks: [{ type: 'command', command: 'echo "Be polite."' }] }],
  },
})

function missing(table: typeof BY_CALLS, one: Omit<AamCase, 'expected'>): Readonly<Record<string, AamCase>> {
  return Object.fromEntries(
    Object.entries(table).map(([kind, [missed]]) => [`${kind}-missed`, { ...one, expected: { [kind]: missed } }]),
  )
}

function redOf(table: typeof BY_CALLS): RedPackage['red'] {
  return Object.fromEntries(Object.keys(table).map((kind) => [`${kind}-missed`, 'failed']))
}

function meeting(table: typeof BY_CALLS): object {
  return Object.fromEntries(Object.entries(table).map(([kind, [, met]]) => [kind, met]))
}

const SAYS: AamCase = {
  prompt: SCRIPT,
  turns: [],
  judge: [[{ verdict: 'pass', reason: 'It did.', quote: 'Hello, World' }]],
}

/** Each kind of check once missed and once met. */
export const CHECKS: readonly RedPackage[] = [
  {
    about: 'a check that is missed',
    folder: 'played/checks',
    files: shellPackage(
      {
        ...missing(BY_OUTPUT, SAYS),
        met: { ...SAYS, expected: meeting(BY_OUTPUT) },
        'script-breaks': { ...SAYS, expected: { script: { ...check('total'), run: 'exit 7' } } },
        'script-exits-1': { ...SAYS, expected: { script: { ...check('total'), run: 'exit 1' } } },
        'schema-breaks': { ...SAYS, expected: { 'json-schema': { schema: { type: 'objekt' } } } },
        'no-json': { ...SAYS, expected: { 'json-schema': { schema: EMPTY } } },
      },
      { 'evals/checks/look.sh': LOOK },
    ),
    red: {
      ...redOf(BY_OUTPUT),
      'script-breaks': 'errored workspace-failed',
      'script-exits-1': 'failed',
      'schema-breaks': 'errored invalid-check',
      'no-json': 'failed',
    },
    green: ['met'],
  },
  {
    about: 'a check of calls, skills and hooks that is missed',
    folder: 'played/calls',
    files: aamPackage(
      'claude-code',
      { ...missing(BY_CALLS, { turns: CALLS }), met: { expected: meeting(BY_CALLS), turns: CALLS } },
      {
        'skills/notes/SKILL.md': skill('notes', 'Writes notes.'),
        'skills/letters/SKILL.md': skill('letters', 'Writes letters.'),
        'hooks/hooks.json': HOOKS,
      },
    ),
    red: redOf(BY_CALLS),
    green: ['met'],
  },
]
