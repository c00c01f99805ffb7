import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { config, readReport } from './eval-project.ts'
import type { Report, ReportCase } from '../../src/report/report.ts'
import type { TestProject } from './project.ts'

/** A project with two skills, of which `notes` is the one with evals. */
export const SKILLS: FileTree = {
  'vitest.config.ts': config("{ sandbox: 'prefer' }"),
  'skills/notes/SKILL.md': skill('notes', 'Writes release notes. Use it for release notes.'),
  'skills/letters/SKILL.md': skill('letters', 'Writes letters. Use it for letters.'),
}

/** The same with a query that uses the skill and one that calls nothing. */
export const TWO_QUERIES: FileTree = {
  ...SKILLS,
  'skills/notes/evals/triggers.json': JSON.stringify([
    { id: 'fires', query: 'Please do: fires', should_trigger: true },
    { id: 'talks', query: 'Please do: talks', should_trigger: false },
  ]),
  'evals/scenarios/fires.yaml': doing([use('notes')]),
  'evals/scenarios/talks.yaml': doing([]),
}

/** What lets each query ask a scripted model once. */
export function liveOnce({ url }: { readonly url: string }): NodeJS.ProcessEnv {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-api03-scripted',
    AGENT_EVALS_SOURCE: 'live',
    AGENT_EVALS_RUNS: '1',
    AGENT_EVALS_MAX_COST_USD: '1000',
  }
}

/** A SKILL.md. */
export function skill(name: string, description: string, body = 'Do it well.'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`
}

/**
 * A scenario whose model makes the calls one after the other and then says `done`; the judge passes `statements`, and
 * quotes what was done rather than what the agent claims.
 */
export function doing(calls: readonly ToolCall[], statements = 0): string {
  const verdict = { verdict: 'pass', reason: 'It was.', quote: quoteOf(calls[0]) }
  const judge = statements === 0 ? {} : { judge: [Array.from({ length: statements }, () => verdict)] }
  return JSON.stringify({ turns: [...calls.map((call) => ({ tools: [call] })), 'done'], ...judge })
}

function quoteOf(call: ToolCall | undefined): string {
  if (call === undefined) return 'No tool was called.'
  const { command, skill: name } = call.input
  return typeof command === 'string' ? JSON.stringify(command).slice(1, -1) : `skill used: ${String(name)}`
}

/** A call of a tool, as scenarios have it. */
export interface ToolCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly turns?: readonly unknown[]
}

/** A call that runs a command. */
export function bash(command: string): ToolCall {
  return { name: 'Bash', input: { command, description: 'look' } }
}

/** A call that uses a skill. */
export function use(name: string): ToolCall {
  return { name: 'Skill', input: { skill: name } }
}

/** Runs the project's evals to their end and reads the report. */
export async function runEvals(
  project: TestProject,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly exitCode: number | null; readonly all: string; readonly report: Report }> {
  const { exitCode, all } = await project.run(['run', '--project', 'evals', ...args], { merged: true, env })
  return {
    exitCode,
    all,
    report: await readReport(project).catch((cause: unknown) => {
      throw new Error(all, { cause })
    }),
  }
}

/** The case of a name. */
export function caseOf({ cases }: Report, name: string): ReportCase {
  const found = cases.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no case ${name}, only ${cases.map((one) => one.name).join(', ')}.`)
  return found
}

/** The transcript of a case's run, as text. */
export function transcriptOf(project: TestProject, { runs }: ReportCase, index = 1): Promise<string> {
  const folder = runs.find((run) => run.index === index)?.folder ?? ''
  return readFile(join(project.root, folder, 'transcript.jsonl'), 'utf8')
}
