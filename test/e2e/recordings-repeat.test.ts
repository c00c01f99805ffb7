// @module-tag claude-code
// @module-tag slow
import { trafficOf } from '../../src/engines/registry.ts'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInputCache } from '../../src/session/inputs/input-cache.ts'
import { startGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { runChecks } from '../../src/checks/checks.ts'
import { decideOutcome } from '../../src/report/results/decide-outcome.ts'
import { runRecorded, type RecordedOutcome } from '../../src/case/replay/run-recorded.ts'
import { decideSandbox } from '../../src/sandbox/decide.ts'
import { prepareRun } from '../../src/case/prepare/prepare-run.ts'
import { createSuiteCache, loadSuite } from '../../src/formats/load-suite.ts'
import { runOptionsOf } from '../../src/options/options.ts'
import type { RunSettings } from '../../src/options/settings.ts'
import { resolveOptions } from '../../src/options/resolve-options.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { PARTS, runCases, states } from '../support/recordings-project.ts'

const major = repositoryVitest()

let project: TestProject
let gateway: Gateway

beforeAll(async () => {
  project = await createProject(major, PARTS)
  expect(states(await runCases(project, 'record', { args: ['delegate'] }))).toEqual(['delegate passed'])
  gateway = await startGateway({ concurrency: 2, maxCostUsd: 0, environment: {}, traffic: trafficOf() })
})
afterAll(async () => {
  await gateway?.close()
  await project?.[Symbol.asyncDispose]()
})

test(
  'two sub-agents with the same prompt and a tool beside them replay 20 times the same',
  { tags: ['claude-code'] },
  async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, replay))
    const seen = outcomes.map(({ run, replay: findings }) => ({
      status: run.status,
      message: run.finalMessage,
      requests: run.requests,
      findings,
    }))
    expect(seen).toEqual(
      seen.map(() => ({
        status: 'completed',
        message: 'The critic says: It is short.',
        requests: 6,
        findings: { stale: [], drift: [], incompatible: [], unseen: [] },
      })),
    )
  },
)

async function replay(): Promise<RecordedOutcome> {
  const cache = createSuiteCache()
  const suite = await loadSuite(join(project.root, 'evals/cases/delegate.yaml'), { root: project.root, cache })
  const [evalCase] = suite.cases
  if (evalCase === undefined) throw new Error('The case was not read.')
  const prepared = await prepareRun({
    label: 'delegate',
    engineName: 'claude-code',
    suite,
    evalCase,
    settings: await settings(),
    packages: cache,
    inputs: createInputCache(),
    signal: new AbortController().signal,
  })
  if ('skipped' in prepared) throw new Error(prepared.skipped)
  return runRecorded(prepared, (run) => decideOutcome(runChecks(evalCase.checks, run, null), null, run))
}

async function settings(): Promise<RunSettings> {
  return {
    ...runOptionsOf(resolveOptions({}, {})),
    root: project.root,
    runFolder: join(project.root, '.vitest/agent-evals/run'),
    controlSocket: gateway.controlSocket,
    project: 'evals',
    cwd: project.root,
    command: 'npx vitest run --project evals',
    sandbox: await decideSandbox('prefer', { environment: process.env }),
    source: 'replay',
    cache: null,
    triggers: 'full',
    liveBlockedReason: null,
    onMissingAnswers: 'errored',
    trial: null,
    engineVersions: {},
    quarantine: [],
  }
}
