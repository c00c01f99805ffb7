import type { FileTree } from 'fs-fixture'
import { agreeingVerdict, undecidedKinds } from '../model-judge.ts'
import { startFaultyApi, type ApiAnswer, type ApiRequest, type FaultyApi } from '../faulty-api.ts'
import { createPackage, runEvals, type PackageRun, type WrittenCase } from '../package-run.ts'
import type { Fault } from './faults.ts'
import type { TestProject } from '../project.ts'
import { variablesOf, type InstalledEngine } from './matrix.ts'

/** The answer of the model if nothing goes wrong. */
export const ANSWER = 'All done.'

/** Runs a case for each fault, all at once, against an API that has it. `timeout` is in seconds. */
export function runFaults(engine: InstalledEngine, faults: readonly Fault[], timeout: number): Promise<PackageRun> {
  const cases = faults.map(({ name }): [string, WrittenCase] => [
    `f-${name}`,
    { prompt: `This is case-${name}.`, expected: { contains: [ANSWER] } },
  ])
  const asked = new Map<string, number>()
  return runLive(engine, Object.fromEntries(cases), { timeout, concurrency: 4 }, ({ body }) => {
    const name = /case-([a-z0-9-]+)\./.exec(body)?.[1] ?? ''
    const before = asked.get(name) ?? 0
    asked.set(name, before + 1)
    const fault = faults.find((one) => one.name === name)
    return fault?.answers[before] ?? fault?.answers.at(-1) ?? { status: 404, type: 'none', message: name }
  })
}

/** Runs cases one after the other against an API whose account has enough for one of them. */
export function runOutOfCredit(engine: InstalledEngine): Promise<PackageRun> {
  let answered = 0
  const cases = ['a', 'b', 'c', 'd'].map((name): [string, WrittenCase] => [name, { expected: { contains: [ANSWER] } }])
  return runLive(engine, Object.fromEntries(cases), { concurrency: 1 }, () => {
    answered += 1
    return answered === 1 ? { text: ANSWER } : { isBroke: true }
  })
}

/** A live run, and how many requests the API saw of it. */
export interface CountedRun {
  readonly run: PackageRun
  readonly requests: number
}

/** Runs cases against an API that refuses the credential whatever is asked. */
export async function runRefused(engine: InstalledEngine, status: 401 | 403, cases: number): Promise<CountedRun> {
  const all = Array.from({ length: cases }, (_, index): [string, WrittenCase] => [`case-${index}`, CHECKED])
  const refused: ApiAnswer = { status, type: 'permission_error', message: 'no access' }
  await using api = await startFaultyApi(() => refused, status)
  const run = await runAgainst(api, engine, Object.fromEntries(all), { concurrency: 2 })
  return { run, requests: api.count() }
}

const CHECKED: WrittenCase = { expected: { contains: [ANSWER] } }

async function runLive(
  engine: InstalledEngine,
  cases: Readonly<Record<string, WrittenCase>>,
  options: object,
  script: (request: ApiRequest) => ApiAnswer,
): Promise<PackageRun> {
  await using api = await startFaultyApi((request) => agreement(request) ?? script(request))
  return await runAgainst(api, engine, cases, options)
}

/** Runs cases live against such an API. */
export async function runAgainst(
  api: Pick<FaultyApi, 'url'>,
  engine: InstalledEngine,
  cases: Readonly<Record<string, WrittenCase>>,
  options: object,
  variables: Readonly<Record<string, string>> = modelOf(engine),
): Promise<PackageRun> {
  await using project = await createLive(engine, cases, options)
  return await runEvals(project, await liveVariables(api, engine, variables))
}

/** A project whose cases have no scenario. */
export function createLive(
  engine: InstalledEngine,
  cases: Readonly<Record<string, WrittenCase>>,
  options: object,
  files: FileTree = {},
): Promise<TestProject> {
  return createPackage({
    cases,
    files,
    options: JSON.stringify({ sandbox: 'prefer', ...options, engines: { [engine.name]: engine.path } }),
    workers: 'default',
  })
}

/** Variables by which its runs ask such an API. */
export async function liveVariables(
  api: Pick<FaultyApi, 'url'>,
  engine: InstalledEngine,
  variables: Readonly<Record<string, string>> = modelOf(engine),
): Promise<Readonly<Record<string, string>>> {
  return {
    AGENT_EVALS_ENGINE: engine.name,
    AGENT_EVALS_SOURCE: 'live',
    // A request that breaks off is charged what was expected of it, and these break off by the dozen.
    AGENT_EVALS_MAX_COST_USD: '1000',
    AGENT_EVALS_JUDGE: 'anthropic:claude-sonnet-4-5',
    ...variables,
    ...(await variablesOf([engine])),
    ANTHROPIC_BASE_URL: api.url,
    OPENAI_BASE_URL: `${api.url}/v1`,
    ANTHROPIC_API_KEY: 'sk-real-1234567890',
    OPENAI_API_KEY: 'sk-real-0987654321',
  }
}

function modelOf({ liveModel }: InstalledEngine): Readonly<Record<string, string>> {
  return liveModel === null ? {} : { AGENT_EVALS_MODEL: liveModel }
}

/** The answer of a judge that agrees; `null` when the request is not the judge's. */
export function agreement({ body }: Pick<ApiRequest, 'body'>): { readonly text: string } | null {
  const nonce = /nonce: ([0-9a-f]{32})/.exec(body)?.[1]
  if (nonce === undefined) return null
  const verdicts = [agreeingVerdict(ANSWER)]
  return { text: undecidedKinds(body, nonce) ?? JSON.stringify({ nonce, verdicts, orders: '' }) }
}
