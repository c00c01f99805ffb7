import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readTextFile } from '../../lib/files.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { plural, toPrintable, toPrintableLine } from '../../lib/text.ts'
import { describeLabels, isLabel } from '../../report/golden/audit-statistics.ts'
import { readRunLog } from '../../report/golden/month-costs.ts'
import {
  appendAudit,
  decisionOf,
  hashJudgeFiles,
  isDecision,
  readAudit,
  type AuditEntry,
} from '../../report/golden/run-log.ts'
import { toLocalTime, type RunLogLine } from '../../report/golden/run-log-line.ts'
import { painter, print, type Paint } from '../../report/summary/terminal.ts'
import { findAgents, type AgentFolder } from '../find/golden-tests.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'

const FLAGS = {
  agree: { type: 'boolean', help: 'answer: the verdict was right' },
  disagree: { type: 'boolean', help: 'answer: the verdict was wrong' },
  note: { type: 'string', value: 'TEXT', help: 'why' },
  'agents-root': { type: 'string', value: 'DIR', help: 'folder of the agents' },
} as const

/** `agent-evals audit`: people look at what a judge decided, and say whether it was right. */
export const audit: Command = {
  name: 'audit',
  usage: '<agent> [options]',
  details: [
    'Shows the next decision of the sample. Answers are written to evals/runs/audit_log.jsonl.',
    '',
    ...flagHelp(FLAGS),
  ],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
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
    const decisions = readRunLog(agent.evalsDir).filter(isDecision)
    const open = findOpen(agent.evalsDir, decisions)
    const [next] = open
    const event = values.agree === true ? 'agree' : values.disagree === true ? 'disagree' : null
    if (next !== undefined && event !== null) {
      const note = values.note === undefined ? {} : { note: values.note }
      appendAudit(agent.evalsDir, [{ ...next.sampled, ts: toLocalTime(new Date()), event, ...note }])
      print([`Kept: ${event} with ${describe(next.line)}.`, ''])
    } else if (next !== undefined) print([...formatDecision(agent, next.line, open.length, paint), ''])
    else if (event !== null) throw new AgentEvalsError('no-match', 'All decisions are answered.')
    print(formatAgreement(agent, decisions.at(-1), paint))
    return 0
  },
}

/** A decision of the sample that nobody has answered yet. */
interface OpenDecision {
  readonly sampled: AuditEntry
  readonly line: RunLogLine
}

function findOpen(evalsDir: string, decisions: readonly RunLogLine[]): readonly OpenDecision[] {
  const lines = new Map(decisions.map((line) => [decisionOf(line), line]))
  const entries = readAudit(evalsDir)
  const answered = new Set(entries.filter(isLabel).map(({ decision }) => decision))
  return entries.flatMap((sampled) => {
    const line = answered.has(sampled.decision) ? undefined : lines.get(sampled.decision)
    return line === undefined ? [] : [{ sampled, line }]
  })
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

/** How far people agree with the judge as it is today: another model or prompt is another judge. */
function formatAgreement(
  { name, evalsDir }: AgentFolder,
  last: RunLogLine | undefined,
  paint: Paint,
): readonly string[] {
  if (last === undefined) return [`No golden test of ${name} has been judged yet.`]
  const { judge_model: model } = last
  const hash = hashJudgeFiles(evalsDir)
  const labels = readAudit(evalsDir)
    .filter(isLabel)
    .filter((label) => label.judge_model === model && label.judge_hash === hash)
  return [
    `${paint('bold', `Judge ${toPrintableLine(model ?? 'unknown')}`)}: ${plural(labels.length, 'label')}`,
    ...describeLabels(labels).map(([what, value]) => `  ${what.padEnd(9)}  ${value}`),
  ]
}
