import { askJudge, type JudgeRequest } from './judge.ts'
import { byCriteria } from './methods/criteria.ts'
import known from './known-runs.json' with { type: 'json' }
import { numberEvents } from '../transcript/select.ts'
import type { AgentRun, UnnumberedEvent } from '../transcript/transcript.ts'
import type { EvidenceText } from './evidence/evidence-item.ts'
import type { Verdict } from './judgement.ts'
import type { StatementKind } from './statement-kinds.ts'

/** A run with statements that a person has decided: half of them hold, and half of the others are about runs that lie. */
interface KnownRun extends Readonly<Record<'created' | 'modified', readonly { path: string; size: number }[]>> {
  readonly task: string
  readonly deleted: readonly string[]
  readonly events: readonly UnnumberedEvent[]
  readonly files: readonly EvidenceText[]
  readonly statements: readonly (Pick<StatementKind, 'about' | 'absent'> & {
    readonly text: string
    readonly holds: boolean
  })[]
}

const KNOWN_RUNS = known as readonly object[] as readonly KnownRun[]

/** A statement with a known verdict, and what a judge made of it. */
export interface TestedVerdict {
  readonly statement: string
  /** Whether a person passes it. */
  readonly holds: boolean
  /** What counts of the judge's verdict; `null` where the judge gave no answer that can be read. */
  readonly verdict: Verdict | null
  readonly reason: string
  /** Whether the judge says as a person what the statement is about; `null` where it said nothing. */
  readonly isKindRight: boolean | null
}

/** What a judge made of all known verdicts. */
export interface SelfTest {
  readonly verdicts: readonly TestedVerdict[]
  /** US dollars; `null` where the cost of a run is unknown. */
  readonly costUsd: number | null
}

/** Puts the known verdicts to a judge, as cases do: what statements are about, the verdicts, and one second question. */
export async function testJudge(
  judge: Pick<JudgeRequest, 'choice' | 'controlSocket' | 'knownKinds' | 'provider' | 'signal'>,
): Promise<SelfTest> {
  const tested = await Promise.all(
    KNOWN_RUNS.map(async ({ task, files, statements, ...run }, index) => {
      const texts = statements.map(({ text }) => text)
      const question = { prompt: task, criteria: texts.join('\n'), statements: texts, files, run: agentRunOf(run) }
      const { part, kinds, answers } = await askJudge({
        ...judge,
        label: `known run ${index + 1}`,
        method: byCriteria(question, 1),
        source: { kind: 'live' },
      })
      const verdicts = statements.map(({ text, holds, about, absent }, at): TestedVerdict => {
        const judged = answers.length === 0 ? undefined : part.statements[at]
        const kind = kinds[at]
        return {
          statement: text,
          holds,
          verdict: judged?.verdict ?? null,
          reason: judged?.reason ?? part.reason,
          isKindRight: kind?.by === 'judge' ? kind.about === about && kind.absent === absent : null,
        }
      })
      return { verdicts, costUsd: part.costUsd }
    }),
  )
  const costs = tested.flatMap(({ costUsd }) => costUsd ?? [])
  return {
    verdicts: tested.flatMap(({ verdicts }) => verdicts),
    costUsd: costs.length < tested.length ? null : costs.reduce((all, one) => all + one, 0),
  }
}

function agentRunOf({ events, created, modified, deleted }: Omit<KnownRun, 'files' | 'statements' | 'task'>): AgentRun {
  const said = events.flatMap((event) => (event.kind === 'message' ? [event.text] : []))
  const hashed = (files: KnownRun['created']): AgentRun['files']['created'] =>
    files.map((file) => ({ ...file, hash: '' }))
  return {
    engine: 'claude-code',
    engineVersion: null,
    status: 'completed',
    problem: null,
    problemCode: null,
    exitCode: 0,
    signal: null,
    sessionId: null,
    modelAsked: null,
    model: null,
    record: 'gateway',
    output: said.join('\n'),
    finalMessage: said.at(-1) ?? '',
    transcript: numberEvents(events.map((event) => ({ from: 'model', ...event }))),
    files: { created: hashed(created), modified: hashed(modified), deleted, unreadable: [] },
    usage: null,
    costUsd: 0,
    requests: 1,
    durationMs: 1000,
    sandbox: { asked: 'none', enforced: 'none' },
    stderrTail: '',
    workspace: null,
  }
}
