import { dirname, join, relative, resolve } from 'node:path'
import { inject, type TestContext } from 'vitest'
import { AgentEvalsError } from '../../errors.ts'
import { readChangedTexts } from '../../judges/changed-texts.ts'
import { decideOutcome } from '../../report/decide-outcome.ts'
import { runRecorded } from '../../run-recorded.ts'
import { nearest, type RunSettings } from '../../run-settings.ts'
import { judgeSupply } from '../../session/judge-supply.ts'
import { keepRecording } from '../../session/keep-recording.ts'
import { prepareRun } from '../../session/prepare-run.ts'
import { reviewRecording, type RecordingReview } from '../../session/review-recording.ts'
import { openDisk } from '../../suites/disk.ts'
import { resolveAamFiles } from '../../suites/formats/aam-files.ts'
import { formatIssue } from '../../suites/issue.ts'
import { packageRootOf } from '../../suites/package-root.ts'
import { toPathSegment } from '../../suites/path-segment.ts'
import { linkRun } from '../matchers/run-link.ts'
import { whileRunning } from './leave-with-main.ts'
import { workerState } from './worker-state.ts'
import type { EvidenceText } from '../../judges/evidence.ts'
import type { AgentRequest } from '../../run-agent.ts'
import type { EvalCase, Suite, Target } from '../../suites/suite.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'
import '../provided.ts'

/** What a run needs besides its prompt. */
export interface AgentRunOptions {
  /** Fixtures, relative to the test file; they lie at the same path in the workspace. */
  readonly files?: readonly string[]
  /** Files that exist in the workspace before the run, by path: their content. */
  readonly workspaceFiles?: Readonly<Record<string, string>>
  /** Runs the session as this agent of the package. */
  readonly agent?: string
  /** Model of the agent. Default: the project's. */
  readonly model?: string
  /** Seconds. Default: that of the suite's configuration, else 120. */
  readonly timeout?: number
}

/** Runs the engine: what the fixture `agent` is. */
export interface Agent {
  /**
   * Runs the engine once in a workspace of its own, with the package of the test file installed.
   *
   * A run that did not complete is returned too; the matchers refuse it.
   *
   * @throws {AgentEvalsError} when the run cannot be started, such as `missing-input` or `sandbox-unavailable`.
   * @example const run = await agent.run('Extract all text from fixtures/sample.pdf', { files: ['fixtures/sample.pdf'] })
   */
  run(prompt: string, options?: AgentRunOptions): Promise<AgentRun>
}

/** Makes the `agent` of one test. */
export function createAgent(context: Pick<TestContext, 'onTestFinished' | 'signal' | 'skip' | 'task'>): Agent {
  let count = 0
  return {
    async run(prompt, options = {}) {
      count += 1
      const settings = readSettings()
      const state = workerState(settings)
      const { suite, evalCase } = await describeRun(context.task, prompt, options, settings, count)
      const prepared = await prepareRun({
        ...state,
        label: `${relative(settings.root, suite.file)}#${evalCase.id}`,
        engineName: nearest(settings.engine, suite.config.engine, 'claude-code'),
        suite,
        evalCase,
        settings: options.model === undefined ? settings : { ...settings, model: options.model },
        signal: context.signal,
      })
      if ('skipped' in prepared) return context.skip(prepared.skipped)
      let files: readonly EvidenceText[] = []
      const collect: AgentRequest['collect'] = async (root, changed) => {
        files = await readChangedTexts(root, changed.files)
      }
      const request = { ...prepared.request, collect }
      const outcome = await whileRunning(runRecorded({ ...prepared, request }, (run) => decideOutcome([], null, run)))
      refuseProblem(reviewRecording(outcome, prepared.source, settings), context)
      keepRecording(prepared.source.recordingFile, outcome, null)
      const { run } = outcome
      const { label, signal } = prepared.request
      const judge = judgeSupply(outcome, prepared.source)
      const { task } = context
      return linkRun(run, { task, settings, suite, evalCase, label, files, judge, judgeAnswersUsed: 0, signal })
    },
  }
}

// What failed comes before drift, so that is told once the test is over.
function refuseProblem(
  { problem }: RecordingReview,
  { onTestFinished, task }: Pick<TestContext, 'onTestFinished' | 'task'>,
): void {
  if (problem === null) return
  const error = new AgentEvalsError(problem.code, problem.message)
  if (problem.code !== 'drifted') throw error
  onTestFinished(() => {
    if (task.result?.state !== 'fail') throw error
  })
}

function readSettings(): RunSettings {
  const settings = inject('agentEvals') as RunSettings | undefined
  if (settings !== undefined) return settings
  throw new AgentEvalsError(
    'invalid-options',
    'The fixture `agent` needs the project of agentEvals(). Add the plugin to vitest.config.ts and run this file in its project: vitest --project evals.',
  )
}

async function describeRun(
  task: TestContext['task'],
  prompt: string,
  options: AgentRunOptions,
  settings: RunSettings,
  count: number,
): Promise<{ readonly suite: Omit<Suite, 'cases'>; readonly evalCase: EvalCase }> {
  const file = task.file.filepath
  const packageRoot = packageRootOf(file, settings.root)
  const { packages } = workerState(settings)
  const { config, issues } = await packages.configOf(join(packageRoot, 'evals', 'eval-config.json'))
  const name = toPathSegment(task.fullTestName)
  const target: Target | null = options.agent === undefined ? null : { kind: 'agent', name: options.agent }
  const at = { line: task.location?.line ?? 1, column: task.location?.column ?? 1 }
  const evalCase: EvalCase = {
    id: count === 1 ? name : `${name}-${count}`,
    name: task.name,
    description: null,
    target,
    prompt,
    files: (options.files ?? []).map((path) => ({ from: resolve(dirname(file), path), to: path, at })),
    workspaceFiles: Object.entries(options.workspaceFiles ?? {}).map(([to, content]) => ({
      to,
      from: null,
      content,
      at,
    })),
    checks: [],
    criteria: null,
    tags: [],
    category: null,
    timeout: options.timeout ?? null,
    at,
    promptAt: at,
  }
  const suite: Suite = { format: 'typescript', file, packageRoot, config, cases: [evalCase], issues }
  const resolved = await resolveAamFiles(suite, dirname(file), openDisk())
  const errors = resolved.issues.filter((issue) => issue.severity === 'error')
  if (errors.length > 0) {
    throw new AgentEvalsError('missing-input', errors.map((issue) => formatIssue(issue, settings.root)).join('\n'))
  }
  return { suite: resolved, evalCase: resolved.cases[0] ?? evalCase }
}
