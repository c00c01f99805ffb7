import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import {
  appendAudit,
  auditEntry,
  decisionOf,
  hashJudgeFiles,
  isDecision,
  readAudit,
} from '../../report/golden/run-log.ts'
import { plural, toPrintable, toPrintableLine } from '../../lib/text.ts'
import { readRunLog } from '../../report/golden/month-costs.ts'
import {
  FEWEST_FOR_KAPPA,
  SELF_TEST_OPTIONS,
  auditStatistics,
  describeShare,
  labelledJudges,
  lastLabels,
  selfTest,
  type AuditStatistics,
  type CurrentJudge,
} from '../self-test.ts'
import { findAgents, type AgentFolder } from '../find/name-cases.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { optionHelp, readRunArguments } from '../run-arguments.ts'
import { painter, print, type Paint } from '../../report/summary/terminal.ts'
import type { RunLogLine } from '../../report/golden/run-log-line.ts'
import { readTextFile } from '../../lib/files.ts'

const FLAGS = {
  agree: { type: 'boolean', help: 'answer: the verdict was right' },
  disagree: { type: 'boolean', help: 'answer: the verdict was wrong' },
  note: { type: 'string', value: 'TEXT', help: 'why' },
  decision: { type: 'string', value: 'ID', help: 'this decision, sampled or not' },
  statistics: { type: 'boolean', help: 'only the statistics on how reliable the judge is' },
  'self-test': { type: 'boolean', help: 'put 60 known verdicts to your judge, and show how often it errs' },
  'agents-root': { type: 'string', value: 'DIR', help: 'folder of the agents' },
} as const

/** `agent-evals audit`: people look at what a judge decided, and say whether it was right. */
export const audit: Command = {
  name: 'audit',
  usage: '<agent> | --self-test [options]',
  details: [
    'Shows the next decision of the sample. Answers are written to evals/runs/audit_log.jsonl.',
    '',
    ...flagHelp(FLAGS),
    '',
    'With --self-test, which asks your judge live and needs no agent:',
    '',
    ...optionHelp(SELF_TEST_OPTIONS),
  ],
  async run(argv) {
    const { environment, rest } = readRunArguments(argv, process.cwd(), SELF_TEST_OPTIONS)
    const { values, positionals } = readFlags(FLAGS, rest)
    if (values['self-test'] === true) {
      if (positionals.length > 0 || Object.keys(values).length > 1)
        throw new AgentEvalsError('invalid-options', '--self-test takes no agent and no answer.')
      return selfTest(environment)
    }
    if (rest.length < argv.length)
      throw new AgentEvalsError('invalid-options', 'An option of --self-test was given without --self-test.')
    const [name, ...more] = positionals
    if (more.length > 0 || (values.agree === true && values.disagree === true))
      throw new AgentEvalsError('invalid-options', 'Expected one agent and one answer.')
    const agents = await findAgents(values['agents-root'], name === undefined ? [] : [name])
    const [agent] = agents
    if (agent === undefined || agents.length > 1) {
      const names = agents.map((one) => one.name).join(', ')
      throw new AgentEvalsError('invalid-options', `Name the agent: ${names}.`)
    }

    const paint = painter()
    const decision = values.statistics === true ? null : findDecision(agent, values.decision)
    const answer = values.agree === true ? 'agree' : values.disagree === true ? 'disagree' : null
    if (decision === null && answer !== null)
      throw new AgentEvalsError('no-match', 'All decisions are answered. Name one with --decision.')
    if (decision !== null && answer !== null) {
      appendAudit(agent.evalsDir, [auditEntry(decision.line, answer, decision.hash, values.note)])
      print([`Kept: ${answer} with ${describe(decision.line)}.`, ''])
    } else if (decision !== null) print([...formatDecision(agent, decision.line, decision.left, paint), ''])
    print(formatStatistics(agent, paint))
    return 0
  },
}

interface Decision {
  readonly line: RunLogLine
  /** Hash of the judge's files when it decided. */
  readonly hash: string
  /** How many of the sample have no answer yet. */
  readonly left: number
}

function findDecision({ evalsDir }: AgentFolder, askedId: string | undefined): Decision | null {
  const lines = new Map(
    readRunLog(evalsDir)
      .filter(isDecision)
      .map((line) => [decisionOf(line), line]),
  )
  const entries = readAudit(evalsDir)
  const answered = new Set(lastLabels(entries).map(({ decision }) => decision))
  const open = entries.filter(
    ({ event, decision }) => event === 'sampled' && !answered.has(decision) && lines.has(decision),
  )
  const id = askedId ?? open[0]?.decision
  if (id === undefined) return null
  const line = lines.get(id)
  if (line === undefined) {
    const last = [...lines.keys()].slice(-3).join(', ')
    throw new AgentEvalsError(
      'no-match',
      `There is no decision ${JSON.stringify(id)}. The last ones are ${last || 'none'}.`,
    )
  }
  const sampled = entries.findLast(({ decision }) => decision === id)
  return { line, hash: sampled?.judge_hash ?? hashJudgeFiles(evalsDir), left: open.length }
}

function describe({ verdict, category, test_id: id, ts }: RunLogLine): string {
  return toPrintableLine(`${verdict} of ${category ?? 'none'}/${id}, ${ts.slice(0, 10)}`)
}

function formatDecision(
  { name, evalsDir }: AgentFolder,
  line: RunLogLine,
  left: number,
  paint: Paint,
): readonly string[] {
  const path = line.agent_response_path
  const file = path === null ? null : join(evalsDir, path)
  const response = file !== null && existsSync(file) ? readTextFile(file) : '(the response was not stored)'
  const scores = Object.entries(line.scores).map(([dimension, score]) => `  ${dimension}: ${score ?? 'N/A'}`)
  const hardFails = line.hard_fails.length === 0 ? 'none' : line.hard_fails.join(', ')
  return [
    `${paint('bold', describe(line))}  ${paint('dim', `${plural(left, 'decision')} left in the sample`)}`,
    '',
    paint('dim', 'Response'),
    toPrintable(response.trim()),
    '',
    paint('dim', `Scores by ${line.judge_model ?? 'an unknown judge'}`),
    ...scores.map(toPrintableLine),
    `  weighted: ${line.weighted_score ?? 'none'}`,
    `  hard fails: ${toPrintableLine(hardFails)}`,
    '',
    paint('dim', 'Justification'),
    toPrintable(line.judge_justification),
    '',
    `Was ${JSON.stringify(line.verdict)} right? Answer with ${paint('cyan', `npx vitest-agent-evals audit ${name} --agree`)} or ${paint('cyan', '--disagree --note "why"')}.`,
  ]
}

function formatStatistics({ name, evalsDir }: AgentFolder, paint: Paint): readonly string[] {
  const last = readRunLog(evalsDir).findLast(isDecision)
  if (last === undefined) return [`No golden test of ${name} has been judged yet.`]
  const entries = readAudit(evalsDir)
  const current = { model: last.judge_model, hash: hashJudgeFiles(evalsDir) }
  const others = labelledJudges(entries).filter(({ model, hash }) => model !== current.model || hash !== current.hash)
  return [current, ...others].flatMap((judge, index) => [
    ...(index === 0 ? [] : ['']),
    ...formatJudge(judge, auditStatistics(entries, judge), judge.hash === current.hash, paint),
  ])
}

function formatJudge(
  { model, hash }: CurrentJudge,
  statistics: AuditStatistics,
  isOfToday: boolean,
  paint: Paint,
): readonly string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['Agreement', describeShare(statistics.agreement)],
    ['TPR', describeShare(statistics.truePositives)],
    ['TNR', describeShare(statistics.trueNegatives)],
    ['Kappa', formatKappa(statistics)],
  ]
  const prompt = isOfToday ? '' : ` with an earlier judge.md or rubric.md (${toPrintableLine(hash.slice(0, 8))})`
  return [
    `${paint('bold', `Judge ${toPrintableLine(model ?? 'unknown')}`)}${prompt}: ${plural(statistics.labels, 'label')}`,
    ...rows.map(([label, value]) => `  ${label.padEnd(9)}  ${value}`),
  ]
}

function formatKappa({ kappa, labels }: AuditStatistics): string {
  if (labels < FEWEST_FOR_KAPPA) return `not before ${FEWEST_FOR_KAPPA} labels`
  if (kappa === null) return 'not defined: all answers are the same'
  return `${kappa.value.toFixed(2)} (${kappa.interval[0].toFixed(2)} to ${kappa.interval[1].toFixed(2)})`
}
