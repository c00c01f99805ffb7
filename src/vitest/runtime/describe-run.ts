import { dirname, resolve } from 'node:path'
import type { ContinuableRun } from '../../case/replay/decide-replay.ts'
import { allOf } from '../../engines/registry.ts'
import { resolveAamFiles } from '../../formats/aam/aam-files.ts'
import { inItsVersion } from '../../formats/before.ts'
import { PLAIN_CASE, type EvalCase, type Suite, type Target, type TriggerQuestion } from '../../formats/suite.ts'
import { formatIssue } from '../../lib/documents/document.ts'
import { openTrackedFs } from '../../lib/documents/read-text.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import type { RunSettings } from '../../options/settings.ts'
import { sharedId } from '../../report/results/result.ts'
import type { ChosenRun } from './agent-options.ts'
import type { CallSite } from './call-site.ts'
import type { TestRecord } from './test-record.ts'

/** A run that a test asks for. */
export interface AskedRun {
  readonly prompt: string
  readonly chosen: ChosenRun
  /** Which call of its test asks for it, from 1. */
  readonly call: number
  /** Which run of that call, from 1. */
  readonly run: number
  /** Which run of its test, from 1. */
  readonly index: number
  /** The run that it goes on with; `null` for one of its own. */
  readonly parent: ContinuableRun | null
  /** Where the test asks for it. */
  readonly site: CallSite
  /** What ends it early and is counted; `null` for a run of its own. */
  readonly question: TriggerQuestion | null
}

/**
 * The case that a run of a test is. Its recordings and scenarios are found by its id: the name of the test, with the
 * number of the call from the second on.
 *
 * @throws {AgentEvalsError} `missing-input` for files that cannot be staged.
 */
export async function describeRun(
  { planned, suite }: Pick<TestRecord, 'planned' | 'suite'>,
  { prompt, chosen, call }: AskedRun,
  settings: Pick<RunSettings, 'before' | 'root'>,
): Promise<{ readonly suite: Omit<Suite, 'cases'>; readonly evalCase: EvalCase }> {
  const { arm, at, model, name } = planned
  const id = sharedId(planned).slice(planned.id.indexOf('#') + 1)
  const folder = dirname(suite.file)
  const evalCase: EvalCase = {
    kind: 'task',
    id: call === 1 ? id : `${id}-${call}`,
    name,
    ...(model === undefined ? {} : { model }),
    ...PLAIN_CASE,
    target: targetOf(chosen),
    prompt,
    files: (chosen.files ?? []).map((path) => ({ from: resolve(folder, path), to: path, at, field: 'input.files' })),
    workspaceFiles: Object.entries(chosen.workspaceFiles ?? {}).map(([to, content]) => ({
      to,
      from: null,
      content,
      at,
      field: 'input.workspace-files',
    })),
    timeout: chosen.timeout,
    at,
    promptAt: at,
    ...(arm === undefined ? {} : { arm }),
  }
  const search = { evalsDir: folder, fs: openTrackedFs(), ownPaths: allOf('ownPaths') }
  const { cases, issues, ...resolved } = await resolveAamFiles({ ...suite, cases: [evalCase] }, evalCase, search)
  const errors = issues.filter((issue) => issue.severity === 'error')
  if (errors.length > 0)
    throw new AgentEvalsError('missing-input', errors.map((issue) => formatIssue(issue, settings.root)).join('\n'))
  const found = inItsVersion({ suite: { ...resolved, issues }, evalCase: cases[0] ?? evalCase }, settings)
  const { skipped } = found.evalCase
  if (skipped !== undefined) throw new AgentEvalsError('missing-input', `${skipped}.`)
  return found
}

function targetOf({ agent, skill }: ChosenRun): Target | null {
  if (agent !== null && skill !== null)
    throw new AgentEvalsError('invalid-options', 'A run has one target: give it `agent` or `skill`, not both.')
  if (agent !== null) return { kind: 'agent', name: agent }
  return skill === null ? null : { kind: 'skill', name: skill }
}
