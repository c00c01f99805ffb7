import { bash } from '../package-run.ts'
import { aamPackage, type AamCase } from './aam.ts'
import type { RedPackage } from './red-package.ts'

/** Runs a script of the package's fixtures. */
function runs(script: string, expected: object = {}): AamCase {
  return { files: [`fixtures/${script}`], expected, turns: [{ tools: [bash(`sh fixtures/${script}`)] }, 'Done.'] }
}

/** Writes a file whose name a hook of the package looks at. */
function writes(name: string): AamCase {
  return { turns: [{ tools: [bash(`echo ${name} > ${name}.txt`)] }, 'Done.'] }
}

const HOOKS = JSON.stringify({
  version: 1,
  hooks: {
    'pre-tool-use': [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'sh "${PACKAGE_ROOT}/hooks/guard.sh"' }] }],
  },
})

const GUARD = `case "$(cat)" in
*'echo opened'*) echo "no such file" >&2; exit 2 ;;
*'echo reworded'*) echo "by policy" >&2; exit 2 ;;
*'echo denied'*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"by rule"}}' ;;
*'echo blocked'*) echo "never" >&2; exit 2 ;;
esac
`

const WORDS = (command: string): string =>
  JSON.stringify({ version: 1, hooks: { 'session-start': [{ hooks: [{ type: 'command', command }] }] } })

/** Packages in which a script, a fixture or a hook changes behind the recording. */
export const DRIFT: readonly RedPackage[] = [
  {
    about: 'a result of a tool that differs is drift',
    folder: 'recorded/drift',
    files: aamPackage(
      'claude-code',
      {
        text: runs('text.sh'),
        flag: runs('flag.sh'),
        fixture: {
          files: ['fixtures/name.txt'],
          turns: [{ tools: [{ name: 'Read', input: { file_path: '${WORKSPACE}/fixtures/name.txt' } }] }, 'Done.'],
        },
        check: runs('check.sh', { 'files-created': ['made.txt'] }),
        unstable: runs('unstable.sh'),
        same: runs('same.sh'),
      },
      {
        'evals/fixtures/text.sh': 'echo one\n',
        'evals/fixtures/flag.sh': 'echo one; exit 0\n',
        'evals/fixtures/name.txt': 'World\n',
        'evals/fixtures/check.sh': 'echo x > made.txt; echo one\n',
        'evals/fixtures/unstable.sh': 'echo one; date +%N\n',
        'evals/fixtures/same.sh': 'echo one # as before\n',
      },
    ),
    edits: [
      { file: 'evals/fixtures/text.sh', from: 'one', to: 'two' },
      { file: 'evals/fixtures/flag.sh', from: 'exit 0', to: 'exit 3' },
      { file: 'evals/fixtures/name.txt', from: 'World', to: 'Mars' },
      { file: 'evals/fixtures/check.sh', from: 'echo x > made.txt', to: 'true' },
      { file: 'evals/fixtures/same.sh', from: 'as before', to: 'as after' },
    ],
    // A check that fails comes before drift.
    red: { text: 'errored drifted', flag: 'errored drifted', fixture: 'errored drifted', check: 'failed' },
    green: ['unstable', 'same'],
  },
  {
    about: 'a hook that decides otherwise is drift',
    folder: 'recorded/hooks',
    files: aamPackage(
      'claude-code',
      { opened: writes('opened'), reworded: writes('reworded'), denied: writes('denied'), blocked: writes('blocked') },
      { 'hooks/hooks.json': HOOKS, 'hooks/guard.sh': GUARD },
    ),
    edits: [
      { file: 'hooks/guard.sh', from: 'echo "no such file" >&2; exit 2', to: 'exit 0' },
      { file: 'hooks/guard.sh', from: 'by policy', to: 'by law' },
      { file: 'hooks/guard.sh', from: '"deny"', to: '"allow"' },
    ],
    red: { opened: 'errored drifted', reworded: 'errored drifted', denied: 'errored drifted' },
    green: ['blocked'],
  },
  {
    about: 'other words of a hook are no silent change',
    folder: 'recorded/hook-words',
    files: aamPackage(
      'claude-code',
      { words: { turns: ['Hello.'] } },
      { 'hooks/hooks.json': WORDS('echo "Be brief."') },
    ),
    edits: [{ file: 'hooks/hooks.json', from: 'Be brief.', to: 'Be long.' }],
    red: { words: ['errored drifted', 'errored stale'] },
    green: [],
  },
  {
    about: 'other words of a hook are no silent change: a new hook',
    folder: 'recorded/new-hook',
    files: aamPackage('claude-code', { words: { turns: ['Hello.'] } }),
    edits: [{ file: 'hooks/hooks.json', text: WORDS('echo "Be brief."') }],
    red: { words: ['errored drifted', 'errored stale'] },
    green: [],
  },
  {
    about: 'other words of a hook are no silent change: its script with the same words',
    folder: 'recorded/same-words',
    files: aamPackage(
      'claude-code',
      { words: { turns: ['Hello.'] } },
      { 'hooks/hooks.json': WORDS('echo "Be brief."') },
    ),
    edits: [{ file: 'hooks/hooks.json', from: 'echo \\"Be', to: ': again; echo \\"Be' }],
    red: {},
    green: ['words'],
  },
]
