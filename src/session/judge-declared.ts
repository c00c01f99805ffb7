import { withDecided } from '../judges/with-decided.ts'
import { skippedJudge } from '../judges/judgement.ts'
import { splitCriteria } from '../judges/statements.ts'
import { whyNotJudged } from '../report/decide-outcome.ts'
import { nearest } from '../run-settings.ts'
import { judgeCase, type JudgeCase } from './judge-case.ts'
import type { SeenWorkspace } from './inspect-workspace.ts'
import type { CheckResult } from '../checks/check.ts'
import type { JudgeExchange } from '../judges/ask.ts'
import type { JudgePart } from '../judges/judgement.ts'
import type { RecordedJudge } from '../recordings/recording.ts'
import type { EvalCase, Suite } from '../suites/suite.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/** A finished run of a case, with what its checks found. */
export interface DeclaredJudge extends Pick<JudgeCase, 'label' | 'settings' | 'signal' | 'source'> {
  readonly suite: Pick<Suite, 'config'>
  readonly evalCase: Pick<EvalCase, 'criteria' | 'files' | 'prompt' | 'workspaceFiles'>
  readonly run: AgentRun
  readonly checks: readonly CheckResult[]
  readonly seen: SeenWorkspace
}

/** What came of a case's criteria; `part` is `null` when it has none. */
export interface DeclaredJudgement {
  readonly part: JudgePart | null
  readonly exchanges: readonly JudgeExchange[]
  /** New answers for the recording; `null` when there is nothing new that is worth keeping. */
  readonly toRecord: RecordedJudge | null
}

/**
 * Asks the judge that a case declares about all that no check has decided, unless its checks or its empty output say
 * enough. A listed statement gets its verdict whatever became of the others.
 */
export async function judgeDeclared(request: DeclaredJudge): Promise<DeclaredJudgement> {
  const { evalCase, run, checks, seen, settings, suite } = request
  const { criteria } = evalCase
  if (criteria === null) return { part: null, ...NOTHING_ASKED }
  const statements = criteria.statements?.map(({ text }) => text) ?? splitCriteria(criteria.text)
  const open = statements.filter((_, index) => seen.decided[index] == null)
  if (open.length === 0) return { part: withDecided(NOBODY_ASKED, statements, seen.decided), ...NOTHING_ASKED }
  const reason = whyNotJudged(checks, run, settings.judgeFailedCases)
  if (reason !== null) return { part: withDecided(skippedJudge(reason), statements, seen.decided), ...NOTHING_ASKED }

  const judged = await judgeCase({
    ...request,
    question: {
      criteria: criteria.text,
      statements: open,
      expectedOutput: criteria.expectedOutput,
      prompt: evalCase.prompt,
      run,
      files: seen.files,
      ...(criteria.statements === undefined
        ? {}
        : { fixtures: [...evalCase.files, ...evalCase.workspaceFiles].map(({ to }) => to) }),
    },
    judge: nearest<string | null>(settings.judge, suite.config.judge, null),
    votes: settings.votes,
  })
  return { ...judged, part: withDecided(judged.part, statements, seen.decided) }
}

const NOTHING_ASKED = { exchanges: [], toRecord: null }
const NOBODY_ASKED = skippedJudge('no statement was left for it')
