import type { ErrorCode } from '../../errors.ts'
import type { ExplainedError } from './error-groups.ts'

/** Codes of what is wrong with the machine, with files and with options. */
export const MACHINE_ERRORS: Readonly<Record<MachineErrorCode, ExplainedError>> = {
  'sandbox-unavailable': {
    group: 'Machine',
    meaning: 'No sandbox works here, and this run may not go without one.',
    fix: 'Install bubblewrap (Linux) or sandbox-runtime (macOS). To run unconfined, use --sandbox prefer or --sandbox none.',
  },
  'resource-limit': {
    group: 'Machine',
    meaning: 'The session used more memory, disk space or files than it may. The message names limit and use.',
    fix: 'Look in the transcript for the command that took it, and give the agent a smaller task.',
  },
  'workspace-failed': {
    group: 'Machine',
    meaning: 'The workspace of the run could not be made, read or compared.',
    fix: 'Check disk space, permissions and TMPDIR. The message names the path.',
  },
  'scaffold-failed': {
    group: 'Machine',
    meaning: 'The scaffold script of a plugin eval failed, so its workspace is not complete.',
    fix: 'Correct the script. It runs in the sandbox, without a network, for at most 120 seconds.',
  },
  'untrusted-plugin': {
    group: 'Machine',
    meaning: 'The plugin or suite is outside of your repository, and its evals run its code.',
    fix: 'Read the plugin first. If you trust it, run with --trust-plugin.',
  },
  'script-not-started': {
    group: 'Machine',
    meaning: 'The script of a free test did not start.',
    fix: 'Check that the file exists, is executable, and that its interpreter is installed.',
  },
  'report-unwritable': {
    group: 'Machine',
    meaning: 'The report, the page or the run folder cannot be written.',
    fix: 'Name another file with -o, or check permissions and disk space.',
  },
  'unsafe-path': {
    group: 'Files and options',
    meaning: 'A path leads out of the workspace or the package, or through a link.',
    fix: 'Use a relative path below the folder that the message names.',
  },
  'missing-input': {
    group: 'Files and options',
    meaning: 'A fixture, a rubric, a skill or another input of the case does not exist.',
    fix: 'Correct the path in the case. The message shows where it was looked for.',
  },
  'invalid-check': {
    group: 'Files and options',
    meaning: 'A check of the case cannot be made, such as one with a broken JSON schema. The message has its line.',
    fix: 'Correct the check. Nothing was spent.',
  },
  'invalid-suite': {
    group: 'Files and options',
    meaning: 'A case file has mistakes. The message lists all of them with line and column.',
    fix: 'Correct the file. npx vitest-agent-evals lint checks every file without a run.',
  },
  'invalid-options': {
    group: 'Files and options',
    meaning: 'An option, a flag or an environment variable has an unknown name or an invalid value.',
    fix: 'Correct it. docs/options.md lists all options.',
  },
  'invalid-report': {
    group: 'Files and options',
    meaning: 'The file is not an eval report, or a newer version wrote it.',
    fix: 'Name a file in evals/reports, or update this package.',
  },
  'no-match': {
    group: 'Files and options',
    meaning: 'No case, file, run or report has this name. The message has the nearest names.',
    fix: 'Correct the name. npx vitest-agent-evals list shows all cases.',
  },
  'project-name-taken': {
    group: 'Files and options',
    meaning: 'The Vitest configuration already has a project called evals or assert.',
    fix: 'Rename the project of this plugin with the option name or assertName.',
  },
}

type MachineErrorCode = Extract<
  ErrorCode,
  | 'invalid-options'
  | 'invalid-report'
  | 'invalid-check'
  | 'invalid-suite'
  | 'missing-input'
  | 'no-match'
  | 'project-name-taken'
  | 'report-unwritable'
  | 'resource-limit'
  | 'sandbox-unavailable'
  | 'scaffold-failed'
  | 'script-not-started'
  | 'unsafe-path'
  | 'untrusted-plugin'
  | 'workspace-failed'
>
