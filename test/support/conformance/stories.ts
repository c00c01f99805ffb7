import type { WrittenCase, WrittenTurn } from '../package-run.ts'
import type { ConformingEngine } from './engines.ts'

/** A scenario that every engine plays, and what is true of all of them. */
export interface Story extends Omit<WrittenCase, 'turns'> {
  /** Of its case, and of its row with blanks for the hyphens. */
  readonly name: string
  readonly turns: (engine: ConformingEngine) => readonly WrittenTurn[]
  /** How it ends: the verdict and the code of the error. */
  readonly ends: string
  /** Why it has not passed, in part. */
  readonly error?: RegExp | string
  /** Of its run; default: the run completed. */
  readonly status?: string | null
  /** Its transcript, see shape.ts. */
  readonly shape: readonly string[]
  /** Texts that tools returned to the model. */
  readonly results?: readonly string[]
  /** Names of the files that it left. */
  readonly leaves?: readonly string[]
  readonly skills?: readonly string[]
}

const BLOCKED = { target: 'hook:pre-tool-use', expected: { 'agent-blocked': true } }
const ODD =
  'Odd: \u001B[31mred\u001B[0m \u0000 nul \u202E back 🌊 e\u0301 line\u2028end ::error::pwned \uFFFD tab\tend.'

/** Seconds that {@link HANGS} may take. */
export const DEADLINE = 60

/** Stories that run in a sandbox. */
export const STORIES: readonly Story[] = [
  {
    name: 'answers',
    expected: { contains: ['Hello'] },
    turns: () => ['Hello, World.'],
    ends: 'PASS',
    shape: ['writes: Hello, World.'],
  },
  {
    name: 'runs-tools',
    expected: { 'files-created': ['out.txt'] },
    turns: ({ shell }) => [
      { text: 'I write it.', tools: [shell('echo hi > out.txt; cat out.txt; mkdir a && rm -rf a')] },
      { tools: [shell('echo three >&2; exit 3')] },
      'Done.',
    ],
    ends: 'PASS',
    shape: [
      'writes: I write it.',
      'calls Bash',
      'hook pre-tool-use allowed',
      'gets a result',
      'calls Bash',
      'hook pre-tool-use allowed',
      'gets an error',
      'writes: Done.',
    ],
    results: ['hi', 'three'],
    leaves: ['out.txt'],
  },
  {
    name: 'uses-a-skill',
    target: 'skill:greet',
    turns: ({ skill }) => [{ tools: [skill('greet')] }, 'Hello.'],
    ends: 'PASS',
    shape: ['calls for a skill', 'hook pre-tool-use allowed', 'gets a result', 'skill greet', 'writes: Hello.'],
    skills: ['greet'],
  },
  {
    name: 'delegates-to-a-sub-agent',
    expected: { 'files-created': ['sub.txt'] },
    turns: ({ delegate, shell }) => [
      ...delegate('Write the file sub.txt.', [{ tools: [shell('echo sub > sub.txt')] }, 'It is written.']),
      'The sub-agent has written it.',
    ],
    ends: 'PASS',
    shape: [
      'calls a sub-agent',
      'gets a result',
      'writes: The sub-agent has written it.',
      'sub-agent calls Bash',
      'sub-agent hook pre-tool-use allowed',
      'sub-agent gets a result',
      'sub-agent writes: It is written.',
    ],
    results: ['It is written.'],
    leaves: ['sub.txt'],
  },
  {
    name: 'is-blocked-by-a-hook',
    ...BLOCKED,
    turns: ({ shell }) => [{ tools: [shell('echo forbidden > x.txt')] }, 'I was not allowed to.'],
    ends: 'PASS',
    shape: [
      'calls Bash',
      'hook pre-tool-use blocked-exit-2: forbidden names are not written',
      'is blocked by the hook',
      'writes: I was not allowed to.',
    ],
    results: ['forbidden names are not written'],
  },
  {
    name: 'has-a-hook-whose-answer-is-ignored',
    ...BLOCKED,
    turns: ({ shell }) => [{ tools: [shell('echo mistaken > y.txt')] }, 'I did it.'],
    ends: 'ERROR hook-failed-open',
    error:
      /^expected agent-blocked=true but the pre-tool-use hook gave an answer that engines ignore \(sh .*guard\.sh.*: \{"decision": "refuse"\}\), so Bash went on$/,
    shape: ['calls Bash', 'hook pre-tool-use invalid', 'gets a result', 'writes: I did it.'],
    leaves: ['y.txt'],
  },
  {
    name: 'is-stopped-by-the-sandbox',
    ...BLOCKED,
    turns: ({ shell }) => [{ tools: [shell('touch /usr/x')] }, 'I could not.'],
    ends: 'FAIL',
    error:
      /^expected agent-blocked=true but hook exited 0 \(pre-tool-use for Bash .*\); the sandbox, not a hook, blocked Bash/,
    shape: ['calls Bash', 'hook pre-tool-use allowed', 'is blocked by the sandbox', 'writes: I could not.'],
  },
  {
    name: 'calls-an-mcp-server',
    turns: ({ serverTool }) => [...serverTool('places', 'where'), 'It answered.'],
    ends: 'PASS',
    shape: ['calls mcp__places__where', 'gets a result', 'writes: It answered.'],
    results: ['in the harbour'],
  },
  {
    name: 'gets-429-and-then-an-answer',
    turns: () => [{ error: { status: 429, message: 'slow down', 'retry-after': 1 } }, 'Done.'],
    ends: 'PASS',
    shape: ['retries after 429', 'writes: Done.'],
  },
  {
    name: 'has-no-valid-key',
    turns: () => [{ error: { status: 401, message: 'invalid key' } }],
    ends: 'ERROR upstream-failed',
    error: ' answered 401: invalid key.',
    status: 'api-error',
    shape: ['retries after 401', 'notice'],
  },
  {
    name: 'prints-megabytes',
    turns: ({ shell }) => [
      { text: 'y'.repeat(200_000), tools: [shell("head -c 3000000 /dev/zero | tr '\\0' x")] },
      'Done.',
    ],
    ends: 'PASS',
    shape: [
      'writes: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy… (200000)',
      'calls Bash',
      'hook pre-tool-use allowed',
      'gets a result',
      'writes: Done.',
    ],
    results: ['xxxxxxxx'],
  },
  {
    name: 'writes-odd-characters',
    expected: { contains: [ODD] },
    turns: ({ shell }) => [
      { tools: [shell(`printf 'a\\033[31mb\\r\\n\\377 \\360\\237\\214\\212 c'; touch "$(printf 'odd\\nname é')"`)] },
      ODD,
    ],
    ends: 'PASS',
    shape: ['calls Bash', 'hook pre-tool-use allowed', 'gets a result', `writes: ${ODD.slice(0, 40)}… (${ODD.length})`],
    // Not every engine leaves the colours in.
    results: ['b\r\n\uFFFD 🌊 c'],
    leaves: ['odd\nname é'],
  },
  {
    name: 'calls-an-unknown-tool',
    turns: () => [{ tools: [{ name: 'does_not_exist', input: {} }] }, 'Done.'],
    ends: 'ERROR engine-failed',
    error: 'The scenario calls the tool "does_not_exist", which the engine does not have: ',
    shape: ['calls does_not_exist', 'gets an error', 'writes: Done.'],
    results: ['does_not_exist'],
  },
]

/** A story that its deadline ends. */
export const HANGS: Story = {
  name: 'hangs',
  // Codex waits for a command half a minute only.
  turns: ({ waitFor }) => [
    ...Array.from({ length: 4 }, () => ({ tools: [waitFor('tail -f /dev/null')] })),
    'Never reached.',
  ],
  ends: 'ERROR timed-out',
  error: new RegExp(
    `^The run did not end within its ${DEADLINE} s\\. Still running: Bash .*Raise \`timeout\` if it needs longer\\.`,
  ),
  status: 'timed-out',
  shape: ['calls Bash', 'hook pre-tool-use allowed'],
}

/** Stories that run without a sandbox. */
export const UNCONFINED_STORIES: readonly Story[] = [
  {
    name: 'is-denied-by-its-permissions',
    ...BLOCKED,
    turns: ({ forbidden }) => [{ tools: [forbidden] }, 'I may not.'],
    ends: 'FAIL',
    error:
      /^expected agent-blocked=true but hook exited 0 \(pre-tool-use for .*\); the permission system, not a hook, blocked /,
    shape: [
      'calls a forbidden tool',
      'hook pre-tool-use allowed',
      'is blocked by the permission',
      'writes: I may not.',
    ],
  },
  {
    name: 'has-all-its-calls-refused',
    turns: ({ forbidden }) => [{ tools: [forbidden] }, { tools: [forbidden] }, 'Done.'],
    ends: 'ERROR engine-failed',
    error: 'The run ended well, but all of its 2 calls were refused: ',
    shape: [
      'calls a forbidden tool',
      'hook pre-tool-use allowed',
      'is blocked by the permission',
      'calls a forbidden tool',
      'hook pre-tool-use allowed',
      'is blocked by the permission',
      'writes: Done.',
    ],
  },
]

/** In the command line of what an engine waits for in the story below. */
export function cancelledMark({ name }: Pick<ConformingEngine, 'name'>): string {
  return `cancelled-story-${process.pid}-${name}`
}

/** A story whose run is interrupted. */
export const CANCELLED: Story = {
  name: 'is-cancelled',
  turns: (engine) => [
    { tools: [engine.waitFor(`sh -c 'tail -f /dev/null; true' ${cancelledMark(engine)}`)] },
    'Never reached.',
  ],
  ends: 'ERROR interrupted',
  error: 'The case was started and did not end: the run was interrupted, killed, or out of memory.',
  // What is lost has no run.
  status: null,
  shape: [],
}
