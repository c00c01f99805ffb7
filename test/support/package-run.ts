import { agreeingVerdict, undecidedKinds } from './model-judge.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { describe, test } from 'vitest'
import type { Report, ReportCase, ReportRun } from '../../src/report/report.ts'
import type { TranscriptEvent } from '../../src/transcript/transcript.ts'
import { claudeExecutable } from './engines.ts'
import { repositoryVitest, type VitestMajor } from './majors.ts'
import { createProject, type TestProject, type Workers } from './project.ts'
import type { FinishedProcess } from './running-process.ts'
import { config, readReports } from './eval-project.ts'
import type { ReceivedRequest, Turn } from './messages-server.ts'

/** A case of a package, and what the model says in it. */
export interface WrittenCase {
  readonly target?: string
  readonly prompt?: string
  /** Messages of the user, one after the other, in the place of `prompt`. */
  readonly prompts?: readonly string[]
  readonly files?: readonly string[]
  readonly workspaceFiles?: readonly (string | { readonly path: string; readonly content: string })[]
  readonly expected?: Readonly<Record<string, unknown>>
  /** Turns of the scenario; a case without any has no scenario. */
  readonly turns?: readonly WrittenTurn[]
}

/** What the model says, or the tools it calls. */
export type WrittenTurn =
  | string
  | { readonly text?: string; readonly tools: readonly WrittenTool[] }
  | { readonly error: { readonly status: number; readonly message: string; readonly 'retry-after'?: number } }

export interface WrittenTool {
  readonly name: string
  readonly input: object
  readonly turns?: readonly WrittenTurn[]
}

export interface WrittenPackage {
  readonly cases: Readonly<Record<string, WrittenCase>>
  /** Fields of eval-config.json beside `version` and `engine`. */
  readonly config?: object
  /** Options of the plugin, as text. */
  readonly options?: string
  readonly files?: FileTree
  /** What runs it, by default the repository's own Vitest. */
  readonly major?: VitestMajor
  readonly workers?: Workers
}

/** A run of a package's evals that has ended. */
export interface PackageRun {
  readonly finished: FinishedProcess
  readonly report: Report
  case(name: string): ReportCase
  /** The only run of a case. */
  run(name: string): ReportRun
  transcript(name: string): Promise<readonly TranscriptEvent[]>
  /** What the tools of a case answered, in order. */
  toolResults(name: string): Promise<readonly string[]>
}

/** A `describe` whose tests start the real CLI through Vitest: without it they are one skipped test that says why. */
export function describeEvals(name: string, define: () => void): void {
  describe(name, { tags: ['claude-code'] }, () => {
    if (claudeExecutable() !== null) return define()
    test('needs claude', ({ skip }) => skip('the platform package of @anthropic-ai/claude-code is not installed'))
  })
}

/** Writes a package into a project of its own. */
export function createPackage(written: WrittenPackage): Promise<TestProject> {
  const { cases, files = {}, options = "{ sandbox: 'prefer' }" } = written
  const evalConfig = { version: 1, engine: 'claude-code', ...written.config }
  const tree: FileTree = {
    'vitest.config.ts': config(options),
    'package.agent.json': '{ "name": "sample", "version": "1.2.3" }\n',
    'evals/eval-config.json': JSON.stringify(evalConfig),
    ...Object.fromEntries(
      Object.entries(cases).flatMap(([name, one]) => [
        [`evals/cases/${name}.yaml`, caseFile(name, one)],
        ...(one.turns === undefined ? [] : [[`evals/scenarios/${name}.yaml`, scenarioFile(one.turns)]]),
      ]),
    ),
    ...files,
  }
  return createProject(written.major ?? repositoryVitest(), tree, written.workers)
}

/** Runs the evals of a package once and reads its report. */
export async function runEvals(project: TestProject, env: Readonly<Record<string, string>> = {}): Promise<PackageRun> {
  const before = await readReports(project)
  const finished = await project.run(['run', '--project', 'evals'], { merged: true, env })
  return readRun(project, finished, before.length)
}

/** What a finished run left; `earlier` is the number of reports there were before it. */
export async function readRun(project: TestProject, finished: FinishedProcess, earlier = 0): Promise<PackageRun> {
  const reports = await readReports(project)
  const report = reports[earlier]
  if (report === undefined || reports.length > earlier + 1)
    throw new Error(`The run wrote ${reports.length - earlier} reports, not one.\n${finished.all}`)
  const caseOf = (name: string): ReportCase => {
    const found = report.cases.find((one) => one.name === name)
    if (found === undefined) throw new Error(`The report has no case ${name}.\n${finished.all}`)
    return found
  }
  const runOf = (name: string): ReportRun => {
    const [run] = caseOf(name).runs
    if (run === undefined) throw new Error(`${name} has not run: ${caseOf(name).error}\n${finished.all}`)
    return run
  }
  const transcript: PackageRun['transcript'] = async (name) => {
    const text = await readFile(join(project.root, runOf(name).folder ?? '', 'transcript.jsonl'), 'utf8')
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TranscriptEvent]))
  }
  return {
    finished,
    report,
    case: caseOf,
    run: runOf,
    transcript,
    toolResults: async (name) =>
      (await transcript(name)).flatMap((event) => (event.kind === 'tool-result' ? [event.text] : [])),
  }
}

/** A call of Bash. */
export function bash(command: string): WrittenTool {
  return { name: 'Bash', input: { command, description: 'Run it' } }
}

/** A call of Write; paths in the workspace begin with `${WORKSPACE}`. */
export function write(path: string, content = 'x'): WrittenTool {
  return { name: 'Write', input: { file_path: path, content } }
}

/** The answer of a judge that agrees, with words that the agent said; `null` when the request is not the judge's. */
export function agreeing({ body, index }: ReceivedRequest, quote: string): Turn | null {
  const nonce = /nonce: ([0-9a-f]{32})/.exec(JSON.stringify(body.messages))?.[1]
  if (nonce === undefined) return null
  const kinds = undecidedKinds(JSON.stringify(body.messages), nonce)
  const answer = kinds === null ? { nonce, verdicts: [agreeingVerdict(quote)], orders: '' } : JSON.parse(kinds)
  // The CLI as a judge answers by a tool, and once more when that is done.
  const isCli = body.tools?.some(({ name }) => name === 'StructuredOutput') === true
  if (!isCli) return { text: JSON.stringify(answer) }
  return index === 0 ? { tools: [{ name: 'StructuredOutput', input: answer }] } : { text: 'done' }
}

// JSON is YAML, so that no text needs quoting.
function caseFile(name: string, written: WrittenCase): string {
  const {
    target,
    prompts,
    prompt = prompts === undefined ? 'Go.' : undefined,
    files,
    workspaceFiles,
    expected,
  } = written
  const value = {
    name,
    target,
    input: { prompt, files, 'workspace-files': workspaceFiles },
    turns: prompts?.map((one) => ({ prompt: one })),
    expected,
    judge: { criteria: 'It does as it was told.' },
  }
  return JSON.stringify(value, null, 2)
}

/** A scenario. The judge is not what its case is about: it quotes the last words and agrees. */
export function scenarioFile(turns: readonly WrittenTurn[]): string {
  const last = turns.at(-1)
  const quote = typeof last === 'string' ? last : ''
  return JSON.stringify({ turns, judge: [[{ verdict: 'pass', reason: 'It did.', quote }]] }, null, 2)
}
