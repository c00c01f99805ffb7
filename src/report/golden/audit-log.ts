import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { SCENARIO } from '../../judges/judgement.ts'
import { toLocalTime, type RunLogLine } from './run-log-line.ts'
import { sha256OfJson } from '../../sha256.ts'
import { tryParseJson } from '../../json.ts'
import { appendText } from '../../write-atomically.ts'
import { readBytes, readTextFile, refuseLinks } from '../../files.ts'

const entrySchema = z.object({
  ts: z.string(),
  /** `sampled`: a person is to look at it. The others: what the person says of the judge's decision. */
  event: z.enum(['agree', 'disagree', 'sampled']),
  /** Names the decision: when it was made, and of which test. */
  decision: z.string(),
  verdict: z.enum(['fail', 'pass']),
  judge_model: z.string().nullable(),
  /** Of judge.md and rubric.md as they were: another prompt is another judge. */
  judge_hash: z.string(),
  note: z.string().optional(),
})

/** One line of an agent's `evals/runs/audit_log.jsonl`. */
export type AuditEntry = Readonly<z.infer<typeof entrySchema>>

/** Decisions of a judge, and those of them that a person is to look at. */
export interface AuditSample {
  readonly decisions: number
  readonly sampled: readonly RunLogLine[]
}

/** Takes a share of a run's decisions, at least one. The same decisions of a day give the same sample. */
export function sampleDecisions(lines: readonly RunLogLine[], share: number): AuditSample {
  const decisions = lines.filter(isDecision)
  const count = share === 0 ? 0 : Math.ceil(Number((share * decisions.length).toFixed(6)))
  const ordered = decisions.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))
  return { decisions: decisions.length, sampled: ordered.slice(0, count) }
}

/** Whether a judge decided, and not a crash or the author of a scenario. */
export function isDecision({ verdict, hard_fails: fails, judge_model: judge }: RunLogLine): boolean {
  return verdict !== 'judge_error' && judge !== null && judge !== SCENARIO && !fails.includes('agent_error')
}

/** The name of a decision. */
export function decisionOf({ ts, category, test_id: id }: Pick<RunLogLine, 'category' | 'test_id' | 'ts'>): string {
  return `${ts}#${category ?? 'none'}/${id}`
}

/** Adds entries to an agent's log. */
export function appendAudit(evalsDir: string, entries: readonly AuditEntry[]): void {
  if (entries.length === 0) return
  const file = join(evalsDir, 'runs', AUDIT_FILE)
  refuseLinks(dirname(evalsDir), dirname(file))
  mkdirSync(dirname(file), { recursive: true })
  appendText(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
}

/** What a line says of the decision of a run. */
export function auditEntry(line: RunLogLine, event: AuditEntry['event'], judgeHash: string, note?: string): AuditEntry {
  return {
    ts: toLocalTime(new Date()),
    event,
    decision: decisionOf(line),
    verdict: line.verdict === 'pass' ? 'pass' : 'fail',
    judge_model: line.judge_model,
    judge_hash: judgeHash,
    ...(note === undefined ? {} : { note }),
  }
}

/** Reads an agent's log; lines that are none are left out. */
export function readAudit(evalsDir: string): readonly AuditEntry[] {
  const file = join(evalsDir, 'runs', AUDIT_FILE)
  if (!existsSync(file)) return []
  return readTextFile(file)
    .split('\n')
    .flatMap((line) => {
      const { data } = entrySchema.safeParse(tryParseJson(line))
      return data === undefined ? [] : [data]
    })
}

/** Hash of what makes a judge the same: its prompt and the rubric. */
export function hashJudgeFiles(evalsDir: string): string {
  const hash = createHash('sha256')
  for (const name of ['judge.md', 'rubric.md']) {
    const file = join(evalsDir, name)
    hash.update(existsSync(file) ? readBytes(file) : '').update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

const AUDIT_FILE = 'audit_log.jsonl'

function rankOf({ ts, category, test_id: id }: RunLogLine): string {
  return sha256OfJson([ts.slice(0, 10), category, id])
}
