import { withDecided } from '../../judges/statements/with-decided.ts'
import { skippedJudge } from '../../judges/judgement.ts'
import { splitCriteria } from '../../judges/statements/statements.ts'
import { whyNotJudged } from '../../results/decide-outcome.ts'
import { isPackageInput } from '../../inputs/collect.ts'
import { nearest } from '../../settings.ts'
import { fixturesOf } from '../assess/fixture-checks.ts'
import { judgeCase, type JudgeCase } from './judge-case.ts'
import { judgeGolden } from './judge-golden.ts'
import type { SeenWorkspace } from '../assess/inspect-workspace.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { JudgePart } from '../../judges/judgement.ts'
import type { RecordedJudge } from '../../recordings/recording.ts'
import type { Input } from '../../inputs/input.ts'
import type { AgentUnderTest, GoldenTest } from '../../suites/golden.ts'
import { kindOf } from '../../suites/kinds.ts'
import type { CasePart, Suite } from '../../suites/suite.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** A finished run of a case, with what its checks found. */
export interface DeclaredJudge extends Pick<JudgeCase, 'label' | 'settings' | 'signal' | 'source'> {
  readonly suite: Pick<Suite, 'agent' | 'config'>
  readonly evalCase: CasePart<'criteria' | 'files' | 'prompt' | 'workspaceFiles'>
  readonly run: AgentRun
  readonly checks: readonly CheckResult[]
  readonly seen: SeenWorkspace
  readonly inputs: readonly Pick<Input, 'path' | 'role'>[]
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
  const golden = kindOf(evalCase).golden(evalCase)
  if (golden !== null && suite.agent !== undefined) return judgeByAgent(request, golden, suite.agent)
  const statements = criteria.statements?.map(({ text }) => text) ?? splitCriteria(criteria.text)
  const open = statements.filter((_, index) => seen.decided[index] == null)
  if (open.length === 0) return { part: withDecided(NOBODY_ASKED, statements, seen.decided), ...NOTHING_ASKED }
  const reason = whyNotJudged(checks, run, settings)
  if (reason !== null) return { part: withDecided(skippedJudge(reason), statements, seen.decided), ...NOTHING_ASKED }

  const judged = await judgeCase({
    ...request,
    question: {
      criteria: criteria.text,
      statements: open,
      expectedOutput: criteria.context?.join('\n\n'),
      prompt: evalCase.prompt,
      run,
      files: seen.files,
      clues: checks.filter(({ outcome }) => outcome === 'failed').map(({ message }) => message),
      ...(criteria.statements === undefined ? {} : { fixtures: fixturesOf(evalCase).map(({ to }) => to) }),
    },
    judge: nearest<string | null>(settings.judge, suite.config.judge, null),
    votes: settings.votes,
  })
  return { ...judged, part: withDecided(judged.part, statements, seen.decided) }
}

async function judgeByAgent(
  request: DeclaredJudge,
  golden: GoldenTest,
  { rubric, judge }: AgentUnderTest,
): Promise<DeclaredJudgement> {
  const { run, checks, settings, inputs, seen } = request
  const reason = whyNotJudged(checks, run, settings)
  if (reason !== null) return { part: skippedJudge(reason), ...NOTHING_ASKED }
  const vault = inputs.filter(isPackageInput).map(({ path }) => path)
  return judgeGolden({
    ...request,
    question: { rubric, judge, golden, run, vault, files: seen.files },
    judge: nearest<string | null>(settings.judge, null, null),
  })
}

const NOTHING_ASKED = { exchanges: [], toRecord: null }
const NOBODY_ASKED = skippedJudge('checks decided every statement')
