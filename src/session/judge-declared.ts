import { skippedJudge } from '../judges/judgement.ts'
import { splitCriteria } from '../judges/statements.ts'
import { whyNotJudged } from '../report/decide-outcome.ts'
import { nearest } from '../run-settings.ts'
import { judgeCase, type JudgeCase } from './judge-case.ts'
import type { CheckResult } from '../checks/check.ts'
import type { EvidenceText } from '../judges/evidence.ts'
import type { JudgeExchange } from '../judges/ask.ts'
import type { JudgePart } from '../judges/judgement.ts'
import type { RecordedJudge } from '../recordings/recording.ts'
import type { EvalCase, Suite } from '../suites/suite.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/** A finished run of a case, with what its checks found. */
export interface DeclaredJudge extends Pick<JudgeCase, 'label' | 'settings' | 'signal' | 'source'> {
  readonly suite: Pick<Suite, 'config'>
  readonly evalCase: Pick<EvalCase, 'criteria' | 'prompt'>
  readonly run: AgentRun
  readonly checks: readonly CheckResult[]
  /** Texts that the run created or modified. */
  readonly files: readonly EvidenceText[]
}

/** What came of a case's criteria; `part` is `null` when it has none. */
export interface DeclaredJudgement {
  readonly part: JudgePart | null
  readonly exchanges: readonly JudgeExchange[]
  /** New answers for the recording; `null` when there is nothing new that is worth keeping. */
  readonly toRecord: RecordedJudge | null
}

/** Asks the judge that a case declares, unless its checks or its empty output say enough. */
export async function judgeDeclared(request: DeclaredJudge): Promise<DeclaredJudgement> {
  const { evalCase, run, checks, files, settings, suite } = request
  if (evalCase.criteria === null) return { part: null, exchanges: [], toRecord: null }
  const reason = whyNotJudged(checks, run, settings.judgeFailedCases)
  if (reason !== null) return { part: skippedJudge(reason), exchanges: [], toRecord: null }

  const criteria = evalCase.criteria.text
  return judgeCase({
    ...request,
    question: {
      criteria,
      statements: evalCase.criteria.statements?.map(({ text }) => text) ?? splitCriteria(criteria),
      prompt: evalCase.prompt,
      run,
      files,
    },
    judge: nearest<string | null>(settings.judge, suite.config.judge, null),
    votes: settings.votes,
  })
}
