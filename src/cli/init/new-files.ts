import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { WrittenCall } from '../../engines/engine.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { createFile, foldersUpwards, refuseLeaving } from '../../lib/files.ts'
import { formatJson } from '../../lib/json.ts'
import { pathFrom } from '../../packages/package-root.ts'

/** A file that `init` writes unless it is there. */
export interface NewFile {
  /** Absolute path. */
  readonly file: string
  readonly text: string
}

/** A file that was to be written. */
export interface Written {
  readonly file: string
  /** Whether it was not there before. */
  readonly isNew: boolean
}

/** Writes files that are not there, and none through a link that leads out of the root. */
export function writeAll(root: string, files: readonly NewFile[]): readonly Written[] {
  return files.map(({ file, text }) => {
    try {
      refuseLeaving(root, dirname(file))
      mkdirSync(dirname(file), { recursive: true })
      // Atomic, and never over a file that is there, also when it came to be a moment ago.
      return { file, isNew: createFile(file, text) }
    } catch (error) {
      throw new AgentEvalsError('report-unwritable', `Cannot write ${file}: ${messageOf(error)}`, { cause: error })
    }
  })
}

/** A case with the answers of its model and its judge. */
export interface FirstCase {
  readonly name: string
  readonly description: string
  readonly target: string | null
  readonly prompt: string
  /** Lines below `input:`. */
  readonly workspaceFile?: { readonly path: string; readonly content: string }
  /** Lines below `expected:`. */
  readonly expected: readonly string[]
  /** What a judge is asked; `null` where checks decide. */
  readonly criteria: string | null
  readonly calls: readonly WrittenCall[]
  /** The last message. */
  readonly answer: string
}

/** Absolute path of the configuration of a package's cases. */
export function configPath(packageRoot: string): string {
  return join(packageRoot, 'evals', 'eval-config.json')
}

/** The files of a package's first cases: their configuration, and a case and a scenario for each. */
export function caseFiles(packageRoot: string, cases: readonly FirstCase[], engine: string): readonly NewFile[] {
  if (cases.length === 0) return []
  const config = configPath(packageRoot)
  const $schema = schemaPath(config, 'eval-config')
  const text = formatJson({ $schema, version: 1, engine, timeout: 120, sandbox: { network: false } })
  return [
    { file: config, text },
    ...cases.flatMap((one) => {
      const file = join(packageRoot, 'evals', 'cases', `${one.name}.yaml`)
      const scenario = join(packageRoot, 'evals', 'scenarios', `${one.name}.yaml`)
      return [{ file, text: caseText(file, one) }, scenarioFile(scenario, { ...one, isJudged: one.criteria !== null })]
    }),
  ]
}

function caseText(file: string, one: FirstCase): string {
  const { workspaceFile, expected, criteria } = one
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
    ...(expected.length === 0 ? [] : ['expected:', ...expected.map((line) => `  ${line}`)]),
    ...(criteria === null
      ? [
          '# A judge reads the rest, where there is more to say:',
          '# judge:',
          '#   criteria: What must be true of the result.',
        ]
      : ['judge:', '  criteria: >', `    ${criteria}`]),
  )
}

/** What a scenario holds: calls of tools, a last message, and the verdict of a judge that quotes it, where one is asked. */
interface Scenario {
  readonly calls: readonly WrittenCall[]
  readonly answer: string
  readonly isJudged: boolean
}

/** A scenario at an absolute path. */
export function scenarioFile(file: string, { calls, answer, isJudged }: Scenario): NewFile {
  const text = lines(
    `# yaml-language-server: $schema=${schemaPath(file, 'scenario')}`,
    '# Answers of the model, written in advance, so that the case runs without a key. Tools, hooks and files are real.',
    '# Remove this file, or run with --live, to ask a model.',
    'turns:',
    ...calls.flatMap(({ tool, input }) => [
      '  - tools:',
      `      - name: ${tool}`,
      ...(typeof input === 'string'
        ? ['        input: |', ...input.split('\n').map((line) => `          ${line}`)]
        : ['        input:', ...Object.entries(input).map(([key, value]) => `          ${key}: ${yamlText(value)}`)]),
    ]),
    `  - text: ${yamlText(answer)}`,
    ...(isJudged
      ? [
          "# The judge's answers, one list for each time it is asked: a verdict for each sentence of the criteria.",
          'judge:',
          '  - - verdict: pass',
          '      reason: The quoted sentence shows it.',
          `      quote: ${yamlText(answer)}`,
        ]
      : []),
  )
  return { file, text }
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`
}

/** A value as YAML: JSON is YAML, so that no text needs other quotes. */
export function yamlText(value: string): string {
  return /^[A-Za-z][\w ,./'-]*$/.test(value) && !value.endsWith(' ') ? value : JSON.stringify(value)
}

// Path of one of the package's schemas from a file, as editors want it; the package may be installed further up.
function schemaPath(file: string, name: string): string {
  const folders = foldersUpwards(dirname(file))
  const isInstalled = (folder: string): boolean => existsSync(join(folder, INSTALLED))
  const home = folders.find(isInstalled) ?? folders.find((folder) => existsSync(join(folder, 'package.json')))
  const up = home === undefined ? '.' : pathFrom(dirname(file), home)
  return `${up === '' ? '.' : up}/${INSTALLED}/${name}.schema.json`
}

const INSTALLED = 'node_modules/vitest-agent-evals/schemas'
