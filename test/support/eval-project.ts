import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import type { Report, ReportCase } from '../../src/report/report.ts'
import type { TestProject } from './project.ts'

/** The configuration of the README, for machines with and without bubblewrap. */
export const CONFIG = config("{ sandbox: 'prefer' }")

/** A vitest.config.ts with the plugin. */
export function config(options: string, rest = ''): string {
  return [
    "import { agentEvals } from 'vitest-agent-evals'",
    "import { defineConfig } from 'vitest/config'",
    `export default defineConfig({ plugins: [agentEvals(${options})]${rest === '' ? '' : `, ${rest}`} })`,
    '',
  ].join('\n')
}

/** A package without cases. */
export const PACKAGE: Readonly<Record<string, string>> = {
  'vitest.config.ts': CONFIG,
  'package.agent.json': '{ "name": "sample", "version": "1.2.3" }\n',
}

/** The same for the engine that only asks. A case takes milliseconds: for tests of what becomes of a run, not of its agent. */
export const DIRECT_PACKAGE: Readonly<Record<string, string>> = {
  ...PACKAGE,
  'vitest.config.ts': config("{ engine: 'messages', model: 'claude-haiku-4-5', judge: 'claude-sonnet' }"),
}

/** A case that asks for a greeting; `rest` is further YAML at the top level. */
export function greeting(name: string, rest = 'expected:\n  contains:\n    - Hello\n'): string {
  return `name: ${name}\ninput:\n  prompt: Say hello.\n${rest}judge:\n  criteria: It greets.\n`
}

/** A scenario whose model says one thing, of which the judge approves. */
export function saying(text: string): string {
  const verdict = { verdict: 'pass', reason: 'It greets.', quote: text }
  return JSON.stringify({ turns: [text], judge: [[verdict]] })
}

/** A scenario whose every request is answered by an error of the API. */
export function refusing(status: number): string {
  return JSON.stringify({ turns: [{ error: { status, message: 'no' } }] })
}

/** Cases with scenarios in which the model says `Hello, World`, unless another text is given. */
export function greetings(cases: Readonly<Record<string, string>>): FileTree {
  return Object.fromEntries(
    Object.entries(cases).flatMap(([name, text]) => [
      [`evals/cases/${name}.yaml`, greeting(name)],
      [`evals/scenarios/${name}.yaml`, saying(text)],
    ]),
  )
}

/** The reports of a package, oldest first. */
export async function readReports(project: TestProject, folder = 'evals/reports'): Promise<readonly Report[]> {
  const names = await readdir(join(project.root, folder)).catch((): string[] => [])
  return Promise.all(
    names
      .toSorted()
      .map(async (name) => JSON.parse(await readFile(join(project.root, folder, name), 'utf8')) as Report),
  )
}

/** The only report of a package. */
export async function readReport(project: TestProject, folder?: string): Promise<Report> {
  const reports = await readReports(project, folder)
  const [report] = reports
  if (report === undefined || reports.length > 1) throw new Error(`There are ${reports.length} reports, not one.`)
  return report
}

/** What a report says of its cases, one line each. */
export function verdicts({ cases }: Report): readonly string[] {
  return cases.map(({ name, verdict, error_code }: ReportCase) =>
    [name, verdict, ...(error_code === null ? [] : [error_code])].join(' '),
  )
}

/** Without what most tests are not about: that no sandbox works on this machine, and what runs meanwhile on a slow one. */
export function withoutMachine(output: string): string {
  return output.replaceAll(/^agent-evals: (?:no sandbox \(|\d+ running[,:]).*\n/gim, '')
}

/** Names of run folders and reports, which are times, as `<time>`; without what only this machine says. */
export function withoutTimes(output: string): string {
  return withoutMachine(output)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:-\d{3})?Z(?:-[0-9a-f]{6})?/g, '<time>')
    .replaceAll(/bubblewrap|not enforced: none \([^)]*\)/g, '<sandbox>')
}
