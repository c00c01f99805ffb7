import { dirname, resolve } from 'node:path'
import type { Rubric } from '../../formats/suite.ts'
import { splitCriteria } from '../../formats/criteria.ts'
import { formatIssue } from '../../lib/documents/document.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { readTextFile } from '../../lib/files.ts'
import { nearest } from '../../options/option.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import {
  awaitJudge,
  describeVerdict,
  judgeByMatcher,
  refuseErrored,
  refuseNothing,
  unusedAnswers,
  type JudgeOptions,
} from './judge-by-matcher.ts'
import {
  expectation,
  requireArguments,
  requireRun,
  type MatcherResult,
  type MatcherState,
  requireLink,
  type RunLink,
} from './received.ts'

/** Passes when a judge finds that every statement of the criteria holds. */
export function toPassJudge(
  this: MatcherState,
  received: unknown,
  criteria: string,
  options: JudgeOptions = {},
): Promise<MatcherResult> {
  requireArguments('toPassJudge', arguments)
  const statements = splitCriteria(criteria)
  if (statements.length === 0) {
    throw new AgentEvalsError('invalid-options', 'toPassJudge() needs criteria: the statements to judge.')
  }
  return judgeByMatcher(this, { matcher: 'toPassJudge', received, criteria, statements, options })
}

/** Passes when a judge finds that every expectation of the list is met. */
export function toMeetExpectations(
  this: MatcherState,
  received: unknown,
  expectations: readonly string[],
  options: JudgeOptions = {},
): Promise<MatcherResult> {
  requireArguments('toMeetExpectations', arguments)
  const statements = [...new Set(expectations.map((text) => text.trim()))]
  const criteria = statements.map((text) => `- ${text}`).join('\n')
  return judgeByMatcher(this, { matcher: 'toMeetExpectations', received, criteria, statements, options })
}

/** Options of `toScoreAtLeast`. */
export interface ScoreOptions {
  /** `[provider:]model`. Overrides the environment, eval-config.json and the plugin's option. */
  readonly judge?: string
  /** Minimum weighted score, from 1 to 5. Default: `threshold_pass` of the rubric, else 4. */
  readonly min?: number
}

/** Passes when a judge scores the run by a rubric at least as high as it asks for, and finds no hard fail. */
export function toScoreAtLeast(
  this: MatcherState,
  received: unknown,
  rubric: string,
  options: ScoreOptions = {},
): Promise<MatcherResult> {
  requireArguments(NAME, arguments)
  const run = requireRun(received, NAME)
  const link = requireLink(run, NAME)
  const { min } = options
  const read = readRubric(rubric, link)
  const withThreshold = { ...read, threshold: min ?? read.threshold }
  return awaitJudge(NAME, link, (signal) => score(this, run, link, withThreshold, options, signal))
}

const NAME = 'toScoreAtLeast'

async function score(
  state: MatcherState,
  run: AgentRun,
  link: RunLink,
  rubric: Rubric,
  options: ScoreOptions,
  signal: AbortSignal,
): Promise<MatcherResult> {
  const { suite, settings, evalCase, label } = link
  const what = expectation(state, `score at least ${rubric.threshold.toFixed(2)} by ${rubric.file}`)
  if (run.output.trim() === '') return refuseNothing(state, NAME, rubric.file, run, what)
  const golden = {
    input: evalCase.prompt,
    expectedBehavior: '',
    passCriteria: '',
    required: [],
    expectedFacts: [],
  }
  const judge = { file: rubric.file, template: TEMPLATE, crossFamily: [], sameFamilyFallback: [], ...STRICTLY }
  const { judgeGolden } = await import('../../case/judge/judge-declared.ts')
  const { part, exchanges, toRecord } = await judgeGolden({
    label,
    question: { rubric, judge, golden, run, vault: [], files: link.files },
    judge: options.judge ?? nearest<string | null>(settings.judge, suite.config.judge, run.model ?? run.modelAsked),
    source: unusedAnswers(link),
    settings,
    signal,
  })
  link.judgeAnswersUsed += part.requests
  await link.keepJudgement(exchanges, toRecord)
  link.record.judges.push({ part, isNot: state.isNot === true, criteria: rubric.text })
  refuseErrored(part)
  return { pass: part.result === 'passed', message: () => `${what}\n\n${describeVerdict(part)}` }
}

const STRICTLY = { strictMode: true, auditShare: 0 }

const TEMPLATE = `## Rubric

{rubric}

## What the agent was asked

{test_input}

## What it said

{agent_response}

## What it did

{trajectory}`

function readRubric(path: string, { suite, settings, parseRubric }: RunLink): Rubric {
  const file = resolve(dirname(suite.file), path)
  const { value, issues } = parseRubric(readText(file), file)
  if (value !== null) return value
  const errors = issues.filter(({ severity }) => severity === 'error')
  throw new AgentEvalsError('invalid-options', errors.map((issue) => formatIssue(issue, settings.root)).join('\n'))
}

function readText(file: string): string {
  try {
    return readTextFile(file)
  } catch (cause) {
    throw new AgentEvalsError('missing-input', `${NAME}() cannot read ${file}. Correct the path.`, { cause })
  }
}
