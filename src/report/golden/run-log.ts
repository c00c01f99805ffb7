import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { parseJudgeSettings } from '../../formats/golden/judge-settings.ts'
import { toPathSegment } from '../../formats/paths.ts'
import { SCENARIO } from '../../judges/judgement.ts'
import { messageOf } from '../../lib/errors.ts'
import { appendText, createFile, readBytes, readTextFile, refuseLinks } from '../../lib/files.ts'
import { tryParseJson } from '../../lib/json.ts'
import { sha256OfJson } from '../../lib/sha256.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { endOf, type CaseResult } from '../results/result.ts'
import {
  AGENT_ERROR,
  buildRunLogLine,
  isLogged,
  testIdOf,
  toLocalDate,
  toLocalTime,
  type RunLogLine,
} from './run-log-line.ts'

/** What is written into the logs of agents. */
interface RunLogRequest {
  readonly results: readonly CaseResult[]
  /** Absolute path of the Vitest root, below which the evidence of runs is stored. */
  readonly root: string
  /** Absolute path of the run folder, which remembers what has been logged. */
  readonly runFolder: string
}

/** What was logged of one agent. */
interface LoggedRun {
  /** Absolute path of the agent's folder. */
  readonly packageRoot: string
  /** Absolute path of the log; `null` when it could not be written. */
  readonly file: string | null
  readonly lines: readonly RunLogLine[]
  /** Why something is missing in it; `null` when nothing is. */
  readonly problem: string | null
}

/** Name of the response of a golden test in the folder of its evidence. */
export const RESPONSE_FILE = 'response.txt'

/**
 * Appends each result of a golden test to its agent's log, once, and keeps the agent's response beside it.
 *
 * Each line is one write at the end of the file, so that runs at the same time never mix theirs.
 */
export function writeRunLogs({ results, root, runFolder }: RunLogRequest): readonly LoggedRun[] {
  const earlier = readKnown(runFolder)
  const fresh = results.filter((result) => isLogged(result) && !earlier.has(keyOf(result)))
  const agents = [...new Set(fresh.map(({ packageRoot }) => packageRoot))]
  return agents.map((packageRoot) => {
    const ofAgent = fresh.filter((result) => result.packageRoot === packageRoot)
    const lines: RunLogLine[] = []
    let file: string | null = null
    try {
      for (const result of ofAgent) {
        const logged = log(result, root)
        file = logged.file
        lines.push(logged.line)
        appendFileSync(join(runFolder, KNOWN_FILE), `${keyOf(result)}\n`)
      }
      return { packageRoot, file, lines, problem: null }
    } catch (error) {
      const reason = messageOf(error)
      const problem = `The log of the golden tests in ${join(packageRoot, 'evals', 'runs')} cannot be written: ${reason}. Make it writable, or run with --no-write.`
      return { packageRoot, file, lines, problem }
    }
  })
}

function log(result: CaseResult, root: string): { readonly file: string; readonly line: RunLogLine } {
  const evalsDir = join(result.packageRoot, 'evals')
  const runs = join(evalsDir, 'runs')
  const date = toLocalDate(endOf(result))
  const file = join(runs, `${date}.jsonl`)
  refuseLinks(result.packageRoot, join(runs, 'responses'))
  const response = keepResponse(result, root, join(runs, 'responses'), date)
  const path = response === null ? null : pathFrom(evalsDir, response)
  const line = buildRunLogLine(result, path)
  mkdirSync(runs, { recursive: true })
  appendText(file, `${JSON.stringify(line)}\n`)
  return { file, line }
}

function keepResponse(result: CaseResult, root: string, folder: string, date: string): string | null {
  const [run] = result.runs
  if (run === undefined) return null
  const evidence = run.folder === null ? null : join(root, run.folder, RESPONSE_FILE)
  const text = evidence !== null && existsSync(evidence) ? readTextFile(evidence) : (result.agent_output_snippet ?? '')
  mkdirSync(folder, { recursive: true })
  const name = `${date}_${toPathSegment(testIdOf(result))}`
  for (let n = 1; ; n++) {
    const file = join(folder, `${name}${n === 1 ? '' : `_${n}`}.txt`)
    if (createFile(file, text)) return file
  }
}

const KNOWN_FILE = 'logged.txt'

function readKnown(runFolder: string): ReadonlySet<string> {
  const file = join(runFolder, KNOWN_FILE)
  return new Set(existsSync(file) ? readTextFile(file).split('\n') : [])
}

// A test that is run again in watch mode is another result.
function keyOf({ packageRoot, id, engineName, startedAt }: CaseResult): string {
  return JSON.stringify([packageRoot, id, engineName, startedAt])
}

/** What was logged of one agent, and what a person is to look at. */
export interface GoldenRun extends LoggedRun {
  readonly audit: AuditSample
}

/** Logs the golden tests of a run, and samples the decisions of the judge that a person is to look at. */
export function logGoldenRuns(request: RunLogRequest): readonly GoldenRun[] {
  return writeRunLogs(request).map((logged) => {
    const evalsDir = join(logged.packageRoot, 'evals')
    const audit = sampleDecisions(logged.lines, readShare(evalsDir))
    const hash = hashJudgeFiles(evalsDir)
    try {
      appendAudit(
        evalsDir,
        audit.sampled.map((line) => sampledEntry(line, hash)),
      )
      return { ...logged, audit }
    } catch (error) {
      // What kept the log from being written keeps the sample from it too.
      const problem = logged.problem ?? `The audit sample cannot be kept: ${(error as Error).message}.`
      return { ...logged, audit, problem }
    }
  })
}

function readShare(evalsDir: string): number {
  try {
    const file = join(evalsDir, 'judge.md')
    return parseJudgeSettings(readTextFile(file), file).value?.auditShare ?? 0
  } catch {
    return 0
  }
}

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
interface AuditSample {
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

/** Whether a judge decided, and not a crash, the author of a scenario, or a recording, which only repeats a decision. */
export function isDecision(line: RunLogLine): boolean {
  const { verdict, hard_fails: fails, judge_model: judge, judge_cost_usd: cost, judge_input_tokens: tokens } = line
  const isPlayed = judge === null || judge === SCENARIO || (cost === 0 && tokens === null)
  return verdict !== 'judge_error' && !isPlayed && !fails.includes(AGENT_ERROR)
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

/** The entry of a decision that a person is to look at. */
export function sampledEntry(line: RunLogLine, judgeHash: string): AuditEntry {
  return {
    ts: toLocalTime(new Date()),
    event: 'sampled',
    decision: decisionOf(line),
    verdict: line.verdict === 'pass' ? 'pass' : 'fail',
    judge_model: line.judge_model,
    judge_hash: judgeHash,
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
