import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FsFixture } from 'fs-fixture'
import { parse } from 'yaml'
import { REPOSITORY } from './repository.ts'
import { startProcess, type FinishedProcess } from './running-process.ts'

/** A step of a workflow of GitHub. */
export interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
}

/** A workflow of GitHub. */
export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly if?: string
        readonly needs?: string
        readonly permissions?: object
        readonly strategy?: { readonly matrix: object }
        readonly steps: readonly Step[]
      }
    >
  >
}

/** Reads a workflow of the docs. */
export async function readWorkflow(name: string): Promise<Workflow> {
  return parse(await readFile(join(REPOSITORY, 'docs/ci', name), 'utf8')) as Workflow
}

/** The step of a name. */
export function stepOf({ jobs }: Workflow, job: string, name: string): Step {
  const step = jobs[job]?.steps.find((one) => one.name === name)
  if (step === undefined) throw new Error(`The job ${job} has no step ${name}.`)
  return step
}

/** Runs a step as the runner of GitHub does. */
export async function runStep(
  project: FsFixture,
  step: Step,
  secrets: Readonly<Record<string, string>> = {},
): Promise<FinishedProcess> {
  await project.writeFile('step.sh', step.run ?? '')
  await project.writeFile('summary.md', '')
  return startProcess('bash', ['-e', project.getPath('step.sh')], {
    cwd: project.path,
    env: {
      PATH: process.env['PATH'],
      HOME: project.getPath('home'),
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_STEP_SUMMARY: project.getPath('summary.md'),
      AGENT_EVALS_ENGINES: REPOSITORY,
      ...secrets,
    },
  }).finished
}
