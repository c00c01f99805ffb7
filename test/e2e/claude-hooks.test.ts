// @module-tag claude-code
// @module-tag slow
import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EVERY_SPELLING, spellingsOf } from '../support/hook-payloads.ts'
import { claudeFolder } from '../support/other-engines.ts'
import { REPOSITORY } from '../support/repository.ts'
import {
  bash,
  createPackage,
  describeEvals,
  runEvals,
  write,
  type PackageRun,
  type WrittenCase,
} from '../support/package-run.ts'
import { verdicts } from '../support/eval-project.ts'
import { keptText } from '../support/kept-text.ts'

/** Keeps what a hook is told in a file of the workspace. */
const KEEP = 'cat >> "$CLAUDE_PROJECT_DIR/payloads.jsonl"; echo >> "$CLAUDE_PROJECT_DIR/payloads.jsonl"'

const EVENTS = [
  'pre-prompt',
  'session-start',
  'session-end',
  'stop',
  'sub-agent-end',
  'notification',
  'permission-request',
]

const DENIAL = {
  hookSpecificOutput: {
    hookEventName: 'pre-tool-use',
    permissionDecision: 'deny',
    permissionDecisionReason: 'by policy',
  },
}

const HOOKS = {
  version: 1,
  hooks: {
    ...Object.fromEntries(EVENTS.map((event) => [event, [group('', KEEP)]])),
    'pre-tool-use': [
      group('Agent', KEEP),
      group('Write', 'sh "${PACKAGE_ROOT}/hooks/decide.sh" ${file}', 1),
      group('Read', 'sh "${PACKAGE_ROOT}/hooks/gone.sh"'),
    ],
    'post-tool-use': [group('Agent', KEEP)],
  },
}

function group(matcher: string, command: string, timeout = 30): object {
  return { matcher, hooks: [{ type: 'command', command, timeout }] }
}

const DECIDE = `
case $(basename "$1") in
  allowed) exit 0 ;;
  exit-2) echo "blocked: protected path" >&2; exit 2 ;;
  json) echo '${JSON.stringify(DENIAL)}' ;;
  exit-1) echo oops >&2; exit 1 ;;
  timeout) sleep 30 ;;
esac
`

function writing(name: string, blocked?: boolean): WrittenCase {
  return {
    target: 'hook:pre-tool-use',
    ...(blocked === undefined ? {} : { expected: { 'agent-blocked': blocked } }),
    turns: [{ tools: [write(`\${WORKSPACE}/${name}`)] }, 'done'],
  }
}

const CASES: Readonly<Record<string, WrittenCase>> = {
  'a-blocks-by-exit': writing('exit-2', true),
  'b-blocks-by-json': writing('json', true),
  'c-fails': writing('exit-1', true),
  'd-times-out': writing('timeout', false),
  'e-is-missing': {
    target: 'hook:pre-tool-use',
    files: ['fixtures/a.txt'],
    turns: [{ tools: [{ name: 'Read', input: { file_path: '${WORKSPACE}/fixtures/a.txt' } }] }, 'done'],
  },
  'f-allows': writing('allowed', false),
  'g-lets-through': writing('allowed', true),
  'h-blocks-too-much': writing('exit-2', false),
  'i-never-runs': { target: 'hook:pre-compact', turns: ['done'] },
  'j-fires-all': {
    turns: [
      {
        tools: [
          {
            name: 'Agent',
            input: { description: 'd', prompt: 'p', subagent_type: 'general-purpose' },
            turns: ['sub'],
          },
        ],
      },
      'done',
    ],
  },
}

const ANSWERING = {
  PreToolUse: [
    answering('Write', { permissionDecision: 'deny', permissionDecisionReason: 'by policy' }),
    answering('Read', { permissionDecision: 'deny' }),
    answering('WebFetch', { permissionDecision: 'ask', permissionDecisionReason: 'ask first' }),
    { matcher: 'Bash', hooks: [{ ...hookOf('echo no >&2; exit 2'), async: true }] },
  ],
  PostToolUse: [{ matcher: 'Bash', hooks: [{ ...hookOf('touch "$CLAUDE_PROJECT_DIR/ran"; exit 7'), async: true }] }],
  // The session ends while it runs.
  Stop: [{ hooks: [{ ...hookOf('sleep 60; exit 2'), async: true }] }],
}

function answering(matcher: string, hookSpecificOutput: object): object {
  const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', ...hookSpecificOutput } }
  return { matcher, hooks: [hookOf(`echo '${JSON.stringify(answer)}'`)] }
}

function hookOf(line: string): object {
  return { type: 'command', command: line }
}

function blocking(name: string, input: object): WrittenCase {
  return {
    target: 'hook:PreToolUse',
    expected: { 'agent-blocked': true },
    turns: [{ tools: [{ name, input }] }, 'done'],
  }
}

const ANSWERED: Readonly<Record<string, WrittenCase>> = {
  'a-denied': blocking('Write', write('${WORKSPACE}/x').input),
  'b-denied-without-reason': blocking('Read', { file_path: '/etc/hostname' }),
  'c-asked': blocking('WebFetch', { url: 'https://example.com', prompt: 'x' }),
  'd-async': blocking('Bash', bash('ls').input),
  'e-async-elsewhere': {
    expected: { 'hook-ran': { event: 'PostToolUse', times: 2 } },
    turns: [{ tools: [bash('ls')] }, { tools: [bash('until [ -e ran ]; do sleep 0.2; done; sleep 1')] }, 'done'],
  },
}

describeEvals('hooks of a package', () => {
  test('are recorded by what they decided, and decide their cases', async () => {
    await using project = await createPackage({
      cases: CASES,
      files: {
        'hooks/hooks.json': JSON.stringify({ ...HOOKS, hooks: { ...HOOKS.hooks, 'pre-compact': [group('', KEEP)] } }),
        'hooks/decide.sh': DECIDE,
        'evals/fixtures/a.txt': 'a',
      },
    })
    const run = await runEvals(project)

    expect(verdicts(run.report)).toEqual([
      'a-blocks-by-exit PASS',
      'b-blocks-by-json PASS',
      'c-fails ERROR hook-failed-open',
      'd-times-out ERROR hook-failed-open',
      'e-is-missing ERROR hook-failed-open',
      'f-allows PASS',
      'g-lets-through FAIL',
      'h-blocks-too-much FAIL',
      'i-never-runs FAIL',
      'j-fires-all PASS',
    ])
    expect(run.report.cases.flatMap(({ name }) => toolHooks(run, name))).toMatchInlineSnapshot(`
      [
        "a-blocks-by-exit: Write blocked-exit-2 (2) blocked: protected path",
        "b-blocks-by-json: Write denied-json (0) by policy",
        "c-fails: Write failed (1) oops",
        "d-times-out: Write timed-out (null) The hook gave no answer within 1 s. It ran \`sh <package>/hooks/decide.sh" \${file}\`. The sandbox closed the network; "sandbox": { "network": true } in eval-config.json opens it.",
        "e-is-missing: Read missing (2) sh: 0: cannot open <package>/hooks/gone.sh: No such file",
        "f-allows: Write allowed (0)",
        "g-lets-through: Write allowed (0)",
        "h-blocks-too-much: Write blocked-exit-2 (2) blocked: protected path",
        "j-fires-all: Agent allowed (0)",
        "j-fires-all: Agent allowed (0)",
      ]
    `)
    expect(
      run.report.cases.flatMap(({ name, error }) =>
        error === null ? [] : [`${name}: ${error.replace(/\S+(?=\/hooks\/)/, '<package>')}`],
      ),
    ).toMatchInlineSnapshot(`
      [
        "c-fails: expected agent-blocked=true but the pre-tool-use hook failed with exit code 1 (oops), so Write went on",
        "d-times-out: expected agent-blocked=false but the pre-tool-use hook timed out (The hook gave no answer within 1 s. It ran \`sh <package>/hooks/decide.sh" \${file}\`. The sandbox closed the network; "sandbox": { "network": true } in eval-config.json opens it.), so Write went on",
        "e-is-missing: the pre-tool-use hook could not be started (sh: 0: cannot open <package>/hooks/gone.sh: No such file), so Read was blocked by accident",
        "g-lets-through: expected agent-blocked=true but hook exited 0 (pre-tool-use for Write {"file_path":"/workspace/allowed","content":"x"})",
        "h-blocks-too-much: expected agent-blocked=false but hook blocked Write with exit code 2: blocked: protected path",
        "i-never-runs: expected a hook of pre-compact to run, but only hooks of session-start, pre-prompt, stop ran; look at its event and its matcher",
      ]
    `)
    // A check that could not be decided has a line of its own.
    const [before = ''] = (await readFile(join(project.root, 'evals/cases/c-fails.yaml'), 'utf8')).split(
      '"agent-blocked"',
    )
    expect(run.finished.all).toContain(` ❯ evals/cases/c-fails.yaml:${before.split('\n').length}:`)

    const payloads = keptText(join(project.root, run.run('j-fires-all').folder ?? ''), 'payloads.jsonl') ?? ''
    expect(spellingsOf(payloads)).toEqual(EVERY_SPELLING)
    expect(run.run('j-fires-all').hooks.map(({ event, decision }) => `${event} ${decision}`)).toEqual([
      'session-start allowed',
      'pre-prompt allowed',
      'pre-tool-use allowed',
      'post-tool-use allowed',
      'sub-agent-end allowed',
      'stop allowed',
      'session-end allowed',
    ])
  })

  test.for(['2.1.150', '2.1.197', 'the newest version'])(
    'decide by JSON, and not when async, on %s',
    async (version) => {
      const env = version.startsWith('2') ? { AGENT_EVALS_ENGINES: await claudeFolder(version) } : {}
      await using project = await createPackage({
        cases: ANSWERED,
        files: { 'hooks/hooks.json': JSON.stringify({ hooks: ANSWERING }) },
      })
      const run = await runEvals(project, env)

      expect(verdicts(run.report)).toEqual([
        'a-denied PASS',
        'b-denied-without-reason PASS',
        'c-asked PASS',
        'd-async FAIL',
        'e-async-elsewhere PASS',
      ])
      expect(run.case('d-async').error).toContain(
        'the hook decides nothing, because it is async (pre-tool-use for Bash',
      )
      expect(run.case('e-async-elsewhere').notices).toContain(
        'The post-tool-use hook failed with exit code 7 (exit code 7). It is async, so it decided nothing.',
      )
    },
  )

  test.for(['prefer', 'none'])('that are edited to allow turn their case, sandbox %s', async (sandbox) => {
    const hooks = join(REPOSITORY, 'example-package/hooks')
    const guard = await readFile(join(hooks, 'scripts/guard.mjs'), 'utf8')
    await using project = await createPackage({
      options: JSON.stringify({ sandbox }),
      cases: {
        'keeps-out-of-etc': {
          target: 'hook:pre-tool-use',
          expected: { 'agent-blocked': true },
          turns: [{ tools: [write('/etc/config.txt')] }, 'done'],
        },
      },
    })
    await cp(hooks, join(project.root, 'hooks'), { recursive: true })
    await project.files.writeFile('hooks/scripts/guard.mjs', guard.replace('exit(2)', 'exit(0)'))
    const run = await runEvals(project)
    const stopped = sandbox === 'none' ? '; the permission system, not a hook, blocked Write' : ''
    expect(run.case('keeps-out-of-etc')).toMatchObject({
      verdict: 'FAIL',
      deterministic_checks: { agent_blocked: 'FAIL' },
      error: expect.stringMatching(
        new RegExp(`^expected agent-blocked=true but hook exited 0 \\(pre-tool-use for Write .*\\)${stopped}$`),
      ),
    })
    expect(existsSync('/etc/config.txt')).toBe(false)
  })
})

function toolHooks(run: PackageRun, name: string): readonly string[] {
  return run
    .run(name)
    .hooks.filter(({ tool }) => tool !== null)
    .map(({ tool, decision, exit_code, reason }) =>
      `${name}: ${tool} ${decision} (${exit_code}) ${reason}`.replace(/\S+(?=\/hooks\/)/, '<package>').trimEnd(),
    )
}
