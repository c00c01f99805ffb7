import type { WrittenCase, WrittenTurn } from '../package-run.ts'
import type { ConformingEngine } from './engines.ts'

/** One story that every engine is told. What stands here is true of each of them. */
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
  /** Texts that the model was told by its tools. */
  readonly told?: readonly string[]
  /** Names of the files that it left. */
  readonly leaves?: readonly string[]
  readonly skills?: readonly string[]
}

const BLOCKED = { target: 'hook:pre-tool-use', expected: { 'agent-blocked': true } }
const ODD =
  'Odd: \u001B[31mred\u001B[0m \u0000 nul \u202E back 🌊 e\u0301 line\u2028end ::error::pwned \uFFFD tab\tend.'

/** Seconds that a story may take. */
export const DEADLINE = 25

/** Stories that are told in a sandbox, answered by scenarios. */
export const STORIES: readonly Story[] = [
  {
    name: 'answers',
    expected: { contains: ['Hello'] },
    turns: () => ['Hello, World.'],
    ends: 'PASS',
    shape: ['says: Hello, World.'],
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
      'says: I write it.',
      'calls Bash',
      'hook pre-tool-use allowed',
      'is told',
      'calls Bash',
      'hook pre-tool-use allowed',
      'is told an error',
      'says: Done.',
    ],
    told: ['hi', 'three'],
    leaves: ['out.txt'],
  },
  {
    name: 'uses-a-skill',
    target: 'skill:greet',
    turns: ({ skill }) => [{ tools: [skill('greet')] }, 'Hello.'],
    ends: 'PASS',
    shape: ['calls for a skill', 'hook pre-tool-use allowed', 'is told', 'skill greet', 'says: Hello.'],
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
      'is told',
      'says: The sub-agent has written it.',
      'sub-agent calls Bash',
      'sub-agent hook pre-tool-use allowed',
      'sub-agent is told',
      'sub-agent says: It is written.',
    ],
    told: ['It is written.'],
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
      'says: I was not allowed to.',
    ],
    told: ['forbidden names are not written'],
  },
  {
    name: 'has-a-hook-whose-answer-is-ignored',
    ...BLOCKED,
    turns: ({ shell }) => [{ tools: [shell('echo mistaken > y.txt')] }, 'I did it.'],
    ends: 'ERROR hook-failed-open',
    error:
      /^expected agent-blocked=true but the pre-tool-use hook gave an answer that engines ignore \(sh .*guard\.sh.*: decision is "refuse".*\), so Bash went on$/,
    shape: ['calls Bash', 'hook pre-tool-use invalid', 'is told', 'says: I did it.'],
    leaves: ['y.txt'],
  },
  {
    name: 'is-stopped-by-the-sandbox',
    ...BLOCKED,
    turns: ({ shell }) => [{ tools: [shell('touch /usr/x')] }, 'I could not.'],
    ends: 'FAIL',
    error:
      /^expected agent-blocked=true but hook exited 0 \(pre-tool-use for Bash .*\); the sandbox, not a hook, blocked Bash/,
    shape: ['calls Bash', 'hook pre-tool-use allowed', 'is blocked by the sandbox', 'says: I could not.'],
  },
  {
    name: 'calls-an-mcp-server',
    turns: ({ serverTool }) => [...serverTool('places', 'where'), 'It told me.'],
    ends: 'PASS',
    shape: ['calls mcp__places__where', 'is told', 'says: It told me.'],
    told: ['in the harbour'],
  },
  {
    name: 'is-told-429-and-then-answered',
    turns: () => [{ error: { status: 429, message: 'slow down', 'retry-after': 1 } }, 'Done.'],
    ends: 'PASS',
    shape: ['retries after 429', 'says: Done.'],
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
    name: 'prints-very-much',
    turns: ({ shell }) => [
      { text: 'y'.repeat(200_000), tools: [shell("head -c 3000000 /dev/zero | tr '\\0' x")] },
      'Done.',
    ],
    ends: 'PASS',
    shape: [
      'says: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy… (200000)',
      'calls Bash',
      'hook pre-tool-use allowed',
      'is told',
      'says: Done.',
    ],
    told: ['xxxxxxxx'],
  },
  {
    name: 'says-odd-characters',
    expected: { contains: [ODD] },
    turns: ({ shell }) => [
      { tools: [shell(`printf 'a\\033[31mb\\r\\n\\377 \\360\\237\\214\\212 c'; touch "$(printf 'odd\\nname é')"`)] },
      ODD,
    ],
    ends: 'PASS',
    shape: ['calls Bash', 'hook pre-tool-use allowed', 'is told', `says: ${ODD.slice(0, 40)}… (${ODD.length})`],
    // Not every engine leaves the colours in.
    told: ['b\r\n\uFFFD 🌊 c'],
    leaves: ['odd\nname é'],
  },
  {
    name: 'calls-what-is-no-tool',
    turns: () => [{ tools: [{ name: 'does_not_exist', input: {} }] }, 'Done.'],
    ends: 'ERROR engine-failed',
    error: 'The run ended well, but its only call was refused: ',
    shape: ['calls does_not_exist', 'is told an error', 'says: Done.'],
    told: ['does_not_exist'],
  },
  {
    name: 'hangs',
    // The largest file is run first, and this story takes longest.
    prompt: 'Wait. '.repeat(1000),
    turns: ({ waitFor }) => [{ tools: [waitFor('tail -f /dev/null')] }, 'Never said.'],
    ends: 'ERROR timed-out',
    error: new RegExp(
      `^The run did not end within its ${DEADLINE} s\\. Still running: Bash .*Raise \`timeout\` if it needs longer\\.`,
    ),
    status: 'timed-out',
    shape: ['calls Bash', 'hook pre-tool-use allowed'],
  },
]

/** Stories that are told without a sandbox. */
export const UNCONFINED_STORIES: readonly Story[] = [
  {
    name: 'is-denied-by-its-permissions',
    ...BLOCKED,
    turns: ({ forbidden }) => [{ tools: [forbidden] }, 'I may not.'],
    ends: 'FAIL',
    error:
      /^expected agent-blocked=true but hook exited 0 \(pre-tool-use for .*\); the permission system, not a hook, blocked /,
    shape: ['calls what it may not', 'hook pre-tool-use allowed', 'is blocked by the permission', 'says: I may not.'],
  },
  {
    name: 'is-refused-all-it-calls',
    turns: ({ forbidden }) => [{ tools: [forbidden] }, { tools: [forbidden] }, 'Done.'],
    ends: 'ERROR engine-failed',
    error: 'The run ended well, but all of its 2 calls were refused: ',
    shape: [
      'calls what it may not',
      'hook pre-tool-use allowed',
      'is blocked by the permission',
      'calls what it may not',
      'hook pre-tool-use allowed',
      'is blocked by the permission',
      'says: Done.',
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
    'Never said.',
  ],
  ends: 'ERROR interrupted',
  error: 'The case was started and did not end: the run was interrupted, killed, or out of memory.',
  // What is lost has no run.
  status: null,
  shape: [],
}
