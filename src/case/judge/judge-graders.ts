import type { ErrorCode } from '../../lib/errors.ts'
import { readTarget, traceLines, type Target, type TargetSource } from '../../checks/targets.ts'
import { join } from 'node:path'
import { chooseJudge } from '../../judges/choose.ts'
import { erroredJudge, type JudgePart, type Verdict } from '../../judges/judgement.ts'
import { GRADER_VOTES, byGrader, type GraderQuestion } from '../../judges/methods/verdicts.ts'
import { nearest } from '../../options/option.ts'
import type { RunSettings } from '../../options/settings.ts'
import { guarded, judgeBy, liveCredential, type JudgeSupply } from './judge-case.ts'
import { found, type Finding } from '../../judges/grader-score.ts'
import { tryParseJson } from '../../lib/json.ts'
import type { JudgeExchange, Vote } from '../../judges/ask.ts'
import type { JudgeAnswer } from '../../judges/method.ts'
import type { KeptJudges } from './judge-recorder.ts'
import type { Grader } from '../../formats/plugin-eval/model.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import { tryReadText } from '../../lib/files.ts'

/** A grader that asks a judge. */
export type PaidGrader = Extract<Grader, { type: 'baseline' | 'llm' }>

/** A finished run whose graders ask a judge. */
export interface RunToJudge {
  readonly label: string
  readonly run: AgentRun
  /** Files of its workspace that graders name. */
  readonly targets: NonNullable<TargetSource['files']>
  /** The folder of the case. */
  readonly caseDir: string
  readonly settings: RunSettings
  readonly judges: KeptJudges
  readonly signal: AbortSignal
}

/** A judge's answer for one grader. */
export interface JudgedGrader {
  readonly finding: Finding
  /** `null` where there was nothing to ask about. */
  readonly part: JudgePart | null
  readonly exchanges: readonly JudgeExchange[]
}

/** Asks the judge of a grader. What goes wrong is an error of the grader: it says nothing about the run. */
export async function judgeByGrader(grader: PaidGrader, place: number, request: RunToJudge): Promise<JudgedGrader> {
  const question = await questionOf(grader, request)
  if ('unknown' in question) return broken('workspace-failed', `Nothing to judge: ${question.unknown}.`)
  if ('problem' in question) return { finding: found('FAIL', question.problem), part: null, exchanges: [] }
  const { label, run, settings, judges, signal } = request
  const judged = await guarded(signal, () => {
    const judgeName = settings.judgeModel ?? nearest<string | null>(settings.judge, null, null)
    const choice = chooseJudge(judgeName, run, liveCredential(judges.supply))
    const source = ofGrader(judges.supply, place)
    return judgeBy(byGrader(question, run), choice, { label, source, settings, signal })
  })
  judges.keep(judged.toRecord)
  const { part, exchanges } = judged
  return { finding: findingOf(part, 'votes' in judged ? judged.votes : []), part, exchanges }
}

function broken(code: ErrorCode, message: string): JudgedGrader {
  return { finding: found('ERROR', message), part: erroredJudge(code, message), exchanges: [] }
}

// A scenario has the votes of one grader after those of another.
function ofGrader(supply: JudgeSupply, place: number): JudgeSupply {
  if (supply.kind !== 'scenario') return supply
  const judge = supply.scenario.judge.slice(place * GRADER_VOTES, (place + 1) * GRADER_VOTES)
  return { ...supply, scenario: { ...supply.scenario, judge } }
}

async function questionOf(
  grader: PaidGrader,
  { run, targets, caseDir }: Pick<RunToJudge, 'caseDir' | 'run' | 'targets'>,
): Promise<GraderQuestion | { readonly problem: string } | { readonly unknown: string }> {
  const { criteria } = grader
  if (grader.type === 'baseline') {
    const { baselineFile } = grader
    const baseline = tryReadText(join(caseDir, baselineFile))
    if (baseline === null) return { problem: `the baseline ${baselineFile} cannot be read` }
    const line = baseline.split('\n').findIndex((one) => !isJson(one))
    if (line !== -1) return { problem: `the baseline ${baselineFile} is not JSON in line ${line + 1}` }
    const text = traceLines(run).join('\n')
    return { criteria, target: 'trace', content: { kind: 'text', text }, baseline }
  }
  const content = readTarget(grader.focus, { run, files: targets })
  if (content.kind === 'none') return { problem: content.problem }
  if (content.kind === 'unknown') return { unknown: content.problem }
  if (content.kind === 'text' && content.binary !== undefined) return { problem: content.binary }
  const target = grader.focus.kind === 'file' ? `file ${grader.focus.path}` : grader.focus.kind
  if (content.kind === 'image') return { criteria, target, content, baseline: null }
  const { text, missing, unsure = [] } = content
  const shown = text === '' ? (NOTHING[grader.focus.kind] ?? '') : text
  const gaps = [...unsure, ...(missing === undefined ? [] : [missing])]
  const note = gaps.length === 0 ? '' : `\n(not read: ${gaps.slice(0, 20).join(', ')})`
  return { criteria, target, content: { kind: 'text', text: `${shown}${note}` }, baseline: null }
}

// What a judge is shown where there is nothing, as Claude Code words it.
const NOTHING: Partial<Record<Target['kind'], string>> = {
  files: '(no file changes)',
  mock_calls: '(no mocked tool calls)',
}

function isJson(line: string): boolean {
  return line.trim() === '' || tryParseJson(line) !== undefined
}

function findingOf(part: JudgePart, polled: readonly Vote<JudgeAnswer>[]): Finding {
  const votes = polled.map((vote) =>
    vote.kind === 'answer' ? PASSED[vote.answer.verdicts[0]?.verdict ?? 'unscored'] : null,
  )
  const [statement] = part.statements
  if (statement === undefined) return found('ERROR', part.reason)
  if (part.result === 'errored') return { ...found('ERROR', part.reason), votes }
  const listed = votes.map((vote) => (vote === null ? 'none' : vote ? 'PASS' : 'FAIL')).join(' ')
  const { reason, quote, quoteFoundIn, verdict } = statement
  return {
    result: verdict === 'pass' ? 'PASS' : 'FAIL',
    explanation: `judge votes: ${listed}`,
    votes,
    ours: { reason, quote: quote === '' ? null : quote, quote_found: quoteFoundIn !== null },
  }
}

const PASSED: Readonly<Record<Verdict, boolean | null>> = { pass: true, fail: false, unscored: null }
