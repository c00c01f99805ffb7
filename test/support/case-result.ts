import { buildReport } from '../../src/report/build/build-report.ts'
import { foldReports } from '../../src/report/fold/fold.ts'
import { knownProvenance } from '../../src/report/results/provenance.ts'
import type { Report } from '../../src/report/report.ts'
import type { JournalEntry } from '../../src/report/results/journal.ts'
import type { CaseResult, PlannedCase } from '../../src/report/results/result.ts'
import type { RunPlan } from '../../src/report/results/run-folder.ts'
import { summarizeRun } from '../../src/report/build/summarize-run.ts'
import type { AgentRun } from '../../src/transcript/transcript.ts'
import { agentRun } from './agent-run.ts'

/** A planned case of a package below `/repo`. */
export function plannedCase(name: string, part: Partial<PlannedCase> = {}): PlannedCase {
  const suite = `evals/cases/${name}.yaml`
  return {
    id: `${suite}#${name}`,
    name,
    suite,
    format: 'aam',
    file: `packages/review/${suite}`,
    at: { line: 1, column: 1 },
    target: 'skill:pdf-tools',
    category: null,
    tags: [],
    packageRoot: '/repo/packages/review',
    engineName: 'claude-code',
    ...part,
  }
}

/** A result of that case; passed unless said otherwise. */
export function caseResult(name: string, { costUsd = 0.02, usage = USAGE, ...part }: ResultParts = {}): CaseResult {
  return {
    ...plannedCase(name),
    outcome: 'passed',
    reason: null,
    error: null,
    startedAt: '2026-02-22T14:30:01.000Z',
    duration_seconds: 18.004,
    source: 'live',
    recorded: null,
    agent: {
      runtime: 'claude-code',
      runtime_version: '1.4.2',
      model: 'claude-sonnet-4-20250514',
      model_provider: 'anthropic',
      session_id: `sess_${name}`,
    },
    modelAsked: null,
    runs: [summarizeRun(agentRun({ usage, costUsd }), 1, `.vitest/agent-evals/run/cases/${name}`)],
    checks: [],
    judge: null,
    trigger: null,
    repeats: null,
    agent_output_snippet: 'done',
    sabotage: null,
    sandbox: { asked: 'auto', enforced: 'bubblewrap' },
    hashes: [{ path: `evals/cases/${name}.yaml`, role: 'case', hash: 'b'.repeat(64) }],
    reused_from: null,
    cached: false,
    notices: [],
    ...part,
  }
}

/** Parts of a result, and what its one run took. */
export interface ResultParts extends Partial<CaseResult>, Partial<Pick<AgentRun, 'costUsd' | 'usage'>> {}

const USAGE = { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 30, cacheWriteTokens: 4 }

/** The plan of a run with these cases. */
export function runPlan(cases: readonly PlannedCase[], part: Partial<RunPlan> = {}): RunPlan {
  return {
    version: 1,
    run: '2026-02-22T14-30-00-123Z-a1b2c3',
    startedAt: '2026-02-22T14:30:00.123Z',
    rounds: [],
    root: '/repo',
    cases,
    files: [],
    reports: [
      {
        packageRoot: '/repo/packages/review',
        engineName: 'claude-code',
        packageName: '@my-org/code-review',
        packageVersion: '1.0.0',
        judge: null,
        timeout: 120,
      },
    ],
    options: {},
    versions: { agentEvals: '0.2.0', vitest: '4.1.12', node: '20.20.2' },
    process: { pid: 1, startTicks: null, host: 'elsewhere' },
    ...part,
  }
}

/** The report of a run with these results and cases, of which it is known how long it took where that is given. */
export function reportOf(results: readonly CaseResult[], more: ReportParts = {}): Report {
  const { notRun = [], durationMs, provenance = knownProvenance('4.1.12') } = more
  const journal = {
    entries: results.map((result, index) => ended(index, result)),
    skipped: { corrupt: 0, 'unknown-version': 0 },
  }
  const run = { plan: runPlan([...results, ...notRun]), journal, ...(durationMs === undefined ? {} : { durationMs }) }
  const [folded] = foldReports([run], 'finished')
  if (folded === undefined) throw new Error('no report')
  return buildReport(folded, provenance)
}

interface ReportParts {
  readonly notRun?: readonly PlannedCase[]
  readonly durationMs?: number
  readonly provenance?: ReturnType<typeof knownProvenance>
}

/** A journal's start of a case, `second` seconds into the run. */
export function started(second: number, { id, packageRoot, engineName }: PlannedCase): JournalEntry {
  return { kind: 'case-start', t: at(second), id, packageRoot, engineName }
}

/** A journal's end of a case. */
export function ended(second: number, result: CaseResult): JournalEntry {
  return { kind: 'case-end', t: at(second), result }
}

/** The moment `second` seconds into the run. */
export function at(second: number): string {
  return new Date(Date.parse('2026-02-22T14:30:00.123Z') + second * 1000).toISOString()
}
