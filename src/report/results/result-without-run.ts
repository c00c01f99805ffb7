import type { CaseResult, PlannedCase } from './result.ts'

/** What a case has that was not run; its outcome says why. */
export function resultWithoutRun(planned: PlannedCase): Omit<CaseResult, 'error' | 'outcome' | 'reason'> {
  return {
    ...planned,
    startedAt: '',
    durationMs: 0,
    source: null,
    recorded: null,
    engine: { name: planned.engineName, version: null, modelAsked: null, model: null, sessionId: null },
    runs: [],
    checks: [],
    judge: null,
    trigger: null,
    outputSnippet: null,
    usage: null,
    costUsd: null,
    sandbox: null,
    hashes: [],
    notices: [],
  }
}

/** Whether a planned case was never run, whatever the reason. */
export function isNotRun(result: CaseResult): boolean {
  return result.outcome === 'skipped' && (result.reason ?? '').startsWith(NOT_RUN)
}

/** How the reason begins why a planned case was not run. */
export const NOT_RUN = 'not-run'
