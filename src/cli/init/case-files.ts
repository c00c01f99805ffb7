import { DEFAULT_ENGINE } from '../../engines/default-engine.ts'
import { join } from 'node:path'
import { schemaPath, yamlText, type NewFile } from './new-file.ts'
import { formatJson } from '../../json.ts'
import type { FirstCase } from './first-cases.ts'

/** The files of a package's first cases: their configuration, and a case and a scenario for each. */
export function caseFiles(packageRoot: string, cases: readonly FirstCase[]): readonly NewFile[] {
  if (cases.length === 0) return []
  const config = join(packageRoot, 'evals', 'eval-config.json')
  return [
    { file: config, text: configText(config) },
    ...cases.flatMap((one) => {
      const file = join(packageRoot, 'evals', 'cases', `${one.name}.yaml`)
      const scenario = join(packageRoot, 'evals', 'scenarios', `${one.name}.yaml`)
      return [
        { file, text: caseText(file, one) },
        { file: scenario, text: scenarioText(scenario, { ...one, isJudged: true }) },
      ]
    }),
  ]
}

/** A scenario: calls of tools, a last message, and the verdict of a judge that quotes it, where one is asked. */
export function scenarioText(
  file: string,
  { calls, answer, isJudged }: Pick<FirstCase, 'answer' | 'calls'> & { readonly isJudged: boolean },
): string {
  return lines(
    `# yaml-language-server: $schema=${schemaPath(file, 'scenario')}`,
    '# Answers of the model, written in advance, so that the case runs without a key. Tools, hooks and files are real.',
    '# Remove this file, or run with --live, to ask a model.',
    'turns:',
    ...calls.flatMap(({ tool, input }) => [
      '  - tools:',
      `      - name: ${tool}`,
      '        input:',
      ...Object.entries(input).map(([key, value]) => `          ${key}: ${yamlText(value)}`),
    ]),
    `  - text: ${yamlText(answer)}`,
    ...(isJudged
      ? [
          "# The judge's answer: a list with one verdict for each statement of the criteria.",
          'judge:',
          '  - - verdict: pass',
          '      reason: The quoted sentence shows it.',
          `      quote: ${yamlText(answer)}`,
        ]
      : []),
  )
}

function configText(file: string): string {
  const config = {
    $schema: schemaPath(file, 'eval-config'),
    version: 1,
    engine: DEFAULT_ENGINE,
    timeout: 120,
    sandbox: { network: false },
  }
  return formatJson(config)
}

function caseText(file: string, one: FirstCase): string {
  const { workspaceFile } = one
  return lines(
    `# yaml-language-server: $schema=${schemaPath(file, 'eval-case')}`,
    `name: ${one.name}`,
    `description: ${yamlText(one.description)}`,
    one.target === null ? '# target: skill:<name>, hook:<event> or agent:<name>' : `target: ${one.target}`,
    'input:',
    `  prompt: ${yamlText(one.prompt)}`,
    ...(workspaceFile === undefined
      ? []
      : [
          '  workspace-files:',
          `    - path: ${workspaceFile.path}`,
          '      content: |',
          `        ${workspaceFile.content}`,
        ]),
    'expected:',
    '  contains:',
    `    - ${yamlText(one.contains)}`,
    ...(one.filesCreated === undefined ? [] : ['  files-created:', `    - ${one.filesCreated}`]),
    ...(one.hint === undefined ? [] : [`  # ${one.hint}`]),
    'judge:',
    '  criteria: >',
    `    ${one.criteria}`,
  )
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
