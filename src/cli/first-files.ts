import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file of a new set of evals. */
export interface FirstFile {
  /** Relative to the folder. */
  readonly path: string
  /** What it holds, for the absolute path of the folder. */
  readonly text: (root: string) => string
}

/** The configuration of Vitest, for where there is none. */
export const VITEST_CONFIG: FirstFile = {
  path: 'vitest.config.ts',
  text: () =>
    [
      "import { agentEvals } from 'vitest-agent-evals'",
      "import { defineConfig } from 'vitest/config'",
      '',
      'export default defineConfig({ plugins: [agentEvals()] })',
      '',
    ].join('\n'),
}

/** A configuration, a case that passes, and the scenario that answers it. Editors complete them by their schemas. */
export const FIRST_FILES: readonly FirstFile[] = [
  {
    path: 'evals/eval-config.json',
    text: (root) =>
      `${JSON.stringify(
        {
          $schema: schemaPath(root, 'eval-config', 1),
          version: 1,
          engine: 'claude-code',
          timeout: 120,
          sandbox: { network: false, 'writable-paths': ['output/'] },
        },
        null,
        2,
      )}\n`,
  },
  {
    path: 'evals/cases/first-case.yaml',
    text: (root) =>
      [
        `# yaml-language-server: $schema=${schemaPath(root, 'eval-case', 2)}`,
        'name: first-case',
        'description: The agent sums up a file and saves the summary',
        '# target: skill:<name>, hook:<event> or agent:<name>',
        'input:',
        '  prompt: Sum up notes/meeting.md in one sentence and save it to output/summary.md',
        '  workspace-files:',
        '    - path: notes/meeting.md',
        '      content: |',
        '        The release is moved to Friday, because the tests on Windows are not done.',
        'expected:',
        '  contains:',
        '    - Friday',
        '  files-created:',
        '    - output/summary.md',
        'judge:',
        '  criteria: >',
        '    The summary must say that the release is moved to Friday, and why.',
        '',
      ].join('\n'),
  },
  {
    path: 'evals/scenarios/first-case.yaml',
    text: (root) =>
      [
        `# yaml-language-server: $schema=${schemaPath(root, 'scenario', 2)}`,
        '# What the model "says": the case runs without a key. The tools, hooks and files are real.',
        '# Remove this file, or run with --live, to ask a model.',
        'turns:',
        '  - tools:',
        '      - name: Read',
        '        input:',
        '          file_path: ${WORKSPACE}/notes/meeting.md',
        '  - tools:',
        '      - name: Write',
        '        input:',
        '          file_path: ${WORKSPACE}/output/summary.md',
        '          content: The release moves to Friday, since the tests on Windows are not done.',
        '  - text: The release moves to Friday, since the tests on Windows are not done. It is saved in output/summary.md.',
        'judge:',
        '  - verdicts:',
        '      - verdict: pass',
        '        reason: The summary names the day and the reason.',
        '        quote: The release moves to Friday',
        '',
      ].join('\n'),
  },
]

// Relative to the file, as editors want it; the package may be installed further up.
function schemaPath(root: string, name: string, depth: number): string {
  for (let folder = root, up = depth; ; folder = dirname(folder), up += 1) {
    const isHere = existsSync(join(folder, 'node_modules', 'vitest-agent-evals', 'schemas'))
    if (!isHere && folder !== dirname(folder)) continue
    return `${'../'.repeat(isHere ? up : depth)}node_modules/vitest-agent-evals/schemas/${name}.schema.json`
  }
}
