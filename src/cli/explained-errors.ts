import type { ErrorCode } from '../lib/errors.ts'

/** Every code once. `docs/troubleshooting.md` is generated from it. */
export const EXPLAINED_ERRORS: Readonly<Record<ErrorCode, ExplainedError>> = {
  'missing-answers': {
    group: 'Recordings',
    meaning: 'The case has no recording and no scenario, and a live run is not allowed here.',
    fix: 'Run the command in the message to record the case, or write a scenario. In CI, commit the recording.',
  },
  stale: {
    group: 'Recordings',
    meaning: 'A text that the model saw has changed since the recording. The message names the file.',
    fix: 'Undo the edit, or record the case again with the command in the message.',
  },
  drifted: {
    group: 'Recordings',
    meaning:
      'A tool result, or what a hook says, differs from what was recorded, because a script, a hook or a fixture answers differently. The message shows both texts.',
    fix: 'If the new result is right, record the case again. If it is a known difference between machines, use --drift warn.',
  },
  'recording-changed': {
    group: 'Recordings',
    meaning:
      'The recording or scenario differs from the one at the ref of --require-live, so the case must run live, and that is not possible here.',
    fix: 'Review it, and run the case with the command in the message and a key of the API.',
  },
  'recording-incompatible': {
    group: 'Recordings',
    meaning: 'This version of the engine sent a request that the recording does not contain.',
    fix: 'Record the case again with this version, or install the version that the recording names.',
  },
  'recording-invalid': {
    group: 'Recordings',
    meaning:
      'The recording file cannot be read, for example after a merge conflict, or has another version of the format.',
    fix: 'Restore the file from git, or record the case again.',
  },
  'recording-unwritable': {
    group: 'Recordings',
    meaning: 'The recording cannot be written to evals/recordings.',
    fix: 'Check the permissions of the folder and the free space of the disk, then record the case again.',
  },
  'not-replayable': {
    group: 'Recordings',
    meaning: 'A replay of the new recording ended differently from the live run. So the recording was not written.',
    fix: 'Read the difference in the message. Usually a script depends on time, network or chance. Make it repeatable and record again.',
  },
  'scenario-exhausted': {
    group: 'Recordings',
    meaning: 'The agent or the judge asked more often than the scenario has answers.',
    fix: 'Add a turn or a verdict to the scenario. A turn without tools ends the work of the agent.',
  },
  'invalid-scenario': {
    group: 'Recordings',
    meaning: 'A scenario has mistakes. The message lists them with line and column.',
    fix: 'Correct the file. schemas/scenario.schema.json gives completion in an editor.',
  },
  'unexpected-request': {
    group: 'Recordings',
    meaning:
      'The engine sent a request that the gateway refuses. It is not a model request, or makes the API reach something.',
    fix: 'Turn off the feature in the message.',
  },
  'engine-not-found': {
    group: 'Engine',
    meaning: 'The program of the engine is not in the option engines, AGENT_EVALS_ENGINES, node_modules or PATH.',
    fix: 'Install it with the command in the message.',
  },
  'engine-too-old': {
    group: 'Engine',
    meaning: 'The installed CLI is older than the oldest supported version.',
    fix: 'Update it with the command in the message.',
  },
  'unsupported-engine': {
    group: 'Engine',
    meaning: 'The name of the engine is unknown, or its CLI cannot be tested, as with cursor.',
    fix: 'Use claude-code, codex, copilot or messages, or define an engine of your own.',
  },
  'unsupported-vitest': {
    group: 'Files and options',
    meaning: 'This Vitest is older than 4.1, or needs a newer Node than the one that runs it.',
    fix: 'Update Vitest or Node with the command in the message.',
  },
  'engine-failed': {
    group: 'Engine',
    meaning: 'The CLI crashed, exited with an error, or had all its calls refused.',
    fix: 'Read the last lines of its output in the message. Run the CLI once in a terminal to see whether it starts.',
  },
  'no-output': {
    group: 'Engine',
    meaning:
      'The answer of the model was empty, and no changed file shows its work. The last answer to a trigger query must have words.',
    fix: 'Run the case again, or record it again. If it happens often, try another model.',
  },
  'timed-out': {
    group: 'Engine',
    meaning: 'The run did not end within its timeout. The message names what was running.',
    fix: 'Raise timeout in the case, in eval-config.json or with --timeout. Remove the wait if a tool or hook hangs.',
  },
  cancelled: {
    group: 'Engine',
    meaning: 'The run was stopped before it ended, for example by Ctrl-C or a restart in watch mode.',
    fix: 'Run the case again.',
  },
  interrupted: {
    group: 'Engine',
    meaning: 'The case had started when the whole run ended. Nothing is known about its result.',
    fix: 'Run again with --resume. Finished cases are reused.',
  },
  'no-credentials': {
    group: 'API and cost',
    meaning: 'A live run needs a key, and none of the variables in the message is set.',
    fix: 'Set one of the variables, or replay with --source replay.',
  },
  'no-model': {
    group: 'API and cost',
    meaning: 'No model is configured, and the engine has no default.',
    fix: 'Set --model, the option model, or the model of the agent.',
  },
  'unknown-price': {
    group: 'API and cost',
    meaning: 'The model has no known price, so the budget could not stop a live run.',
    fix: 'Add the price with the option prices, or accept the risk with --allow-unknown-cost.',
  },
  'budget-spent': {
    group: 'API and cost',
    meaning:
      'The budget is spent, counting what is expected of open requests, or an answer was cut at what it had left.',
    fix: 'Raise --max-cost-usd or --max-cost-usd-per-case, or run fewer cases.',
  },
  'judge-not-paid': {
    group: 'API and cost',
    meaning: 'The agent has run, and the budget had nothing left for its judge. The run is kept.',
    fix: 'Judge it with npx vitest-agent-evals rejudge REPORT; for a test in TypeScript, run it again with --resume.',
  },
  'spending-declined': {
    group: 'API and cost',
    meaning: 'A run asked whether it may spend, and the answer was no. Cases that need a model are skipped.',
    fix: 'Run again and answer y, or use --yes. --source replay plays only what is recorded.',
  },
  'credential-refused': {
    group: 'API and cost',
    meaning: 'The API refuses the credential. New work stops, and the other cases are skipped.',
    fix: 'Check that the key is valid and may use the model, then run again with --resume.',
  },
  'out-of-credit': {
    group: 'API and cost',
    meaning: 'The account at the API has no credit left. New work stops, and the other cases are skipped.',
    fix: 'Top up the account or raise its limit, then run again with --resume.',
  },
  'upstream-failed': {
    group: 'API and cost',
    meaning: 'The API refused, failed or broke off until the time of the run was up. The message has its last answer.',
    fix: 'Check the key and the status of the API. With rate limits, lower --concurrency or raise --timeout.',
  },
  'model-refused': {
    group: 'API and cost',
    meaning: 'The model declined to answer.',
    fix: 'Change the prompt, or use another model.',
  },
  'max-tokens': {
    group: 'API and cost',
    meaning: 'The answer of the model was cut off at its limit of tokens. The run did not continue after it.',
    fix: 'Ask for less in one answer, or use a model with a higher limit.',
  },
  'gateway-unavailable': {
    group: 'API and cost',
    meaning: 'A test cannot reach the gateway in the main process of Vitest.',
    fix: 'Add agentEvals() to the Vitest configuration. If it is there, the main process ended early: run again.',
  },
  'no-judge': {
    group: 'Judge',
    meaning: 'No judge can be asked: none has a credential, or the only one is the model of the agent.',
    fix: 'Set one of the keys in the message, or name a judge with --judge.',
  },
  'judge-failed': {
    group: 'Judge',
    meaning: 'The judge gave no usable answer twice, or left a statement undecided.',
    fix: 'Read the verdicts in the report. Make the statement decidable from the run, or use a stronger judge.',
  },
  'hook-failed-open': {
    group: 'Hooks and skills',
    meaning: 'A hook crashed, timed out or left no record of what it did, or a mod did not load or broke.',
    fix: 'Test the script of the hook alone with a case in hooks/tests, a mod with `claude plugin validate`.',
  },
  'records-differ': {
    group: 'Hooks and skills',
    meaning: 'What the gateway saw does not say how the session ended, or lacks a call that a mock answered.',
    fix: 'Run the case again. If it stays, look at the answer or call that the message names.',
  },
  'skill-not-offered': {
    group: 'Hooks and skills',
    meaning: 'The session did not offer the skill under test. The message lists the skills it offered.',
    fix: 'Check the name and description in the front matter, and whether the skill is disabled for the model.',
  },
  'baseline-contaminated': {
    group: 'Hooks and skills',
    meaning: 'The run without the skill used the skill, so it cannot be compared.',
    fix: 'Remove the copy of the skill that the message names, for example from an overlay.',
  },
  'sandbox-unavailable': {
    group: 'Machine',
    meaning: 'No sandbox works here, and this run may not go without one.',
    fix: 'Install bubblewrap (Linux) or sandbox-runtime (macOS). To run unconfined, use --sandbox prefer or --sandbox none.',
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
  'unknown-name': {
    group: 'Files and options',
    meaning:
      'A check, a matcher or a scenario names a skill, a tool or an MCP server that neither the package, the session nor any engine has.',
    fix: 'Correct the name; the message has the nearest one. For a server that did not start, start its command by hand.',
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
    meaning: 'The file is not an eval report, or another program or version 0.1 wrote it.',
    fix: 'Name a file in evals/reports, or run the evals again to write a new report.',
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

/** What an error code means, and how to fix it. */
export interface ExplainedError {
  readonly group: ErrorGroup
  readonly meaning: string
  readonly fix: string
}

/** Headings of the page on troubleshooting, in its order. */
export const ERROR_GROUPS = [
  'Recordings',
  'Engine',
  'API and cost',
  'Judge',
  'Hooks and skills',
  'Machine',
  'Files and options',
] as const

type ErrorGroup = (typeof ERROR_GROUPS)[number]
