import { readChangedTexts } from '../../judges/evidence/changed-texts.ts'
import { decideStatements, readIn } from './decide-statements.ts'
import { readBeforeTexts, type BeforeTextsRequest } from './before-texts.ts'
import { NO_CHECK_SEEN, observeChecks, type SeenChecks } from '../../checks/run-checks.ts'
import type { RunScript } from '../../checks/check.ts'
import type { EvidenceText } from '../../judges/evidence/evidence-text.ts'
import type { StatementFinding } from '../../judges/statements/with-decided.ts'
import type { EvalCase } from '../../suites/suite.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** What is kept of a workspace for checks and judge before it is removed. */
export interface SeenWorkspace {
  /** Texts that the run created or modified, and what these held before. */
  readonly files: readonly EvidenceText[]
  /** What it shows of declared checks. */
  readonly checks: SeenChecks
  /** One for each listed statement: what a check has decided, `null` where the judge has to. */
  readonly decided: readonly (StatementFinding | null)[]
}

/** A workspace of which nothing is known. */
export const NOTHING_SEEN: SeenWorkspace = { files: [], checks: NO_CHECK_SEEN, decided: [] }

/** Looks at the workspace of a finished run; `root` is its absolute path. */
export async function inspectWorkspace(
  request: BeforeTextsRequest & { readonly evalCase: Pick<EvalCase, 'checks' | 'criteria' | 'target'> },
  run: AgentRun,
  root: string,
  runScript: RunScript,
): Promise<SeenWorkspace> {
  const statements = request.evalCase.criteria?.statements
  const files = await readChangedTexts(root, run.files)
  const { checks: declared, target } = request.evalCase
  const decided = statements === undefined ? [] : await decideStatements(statements, run, readIn(root))
  const originals = statements === undefined ? [] : await readBeforeTexts(request, run.files)
  // Last: a script may change what it looks at where no sandbox keeps it from that.
  const checks = await observeChecks(declared, run, target, readIn(root), runScript)
  return { files: [...files, ...originals], checks, decided }
}
