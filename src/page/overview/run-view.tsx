import type { ComponentChildren, JSX } from 'preact'
import { sumOf } from '../../lib/lists.ts'
import type { PageOverview, PageReport } from '../../report/page/page-data.ts'
import { Card, Facts } from '../card.tsx'
import { IntervalBar } from '../interval-bar.tsx'
import { costOf, count, interval, modelOf, moment, percent, seconds, sourceOf } from '../format.ts'
import { plural } from '../../lib/text.ts'
import { OUTCOMES, OutcomeIcon } from '../icons.tsx'
import { linkTo } from '../route.ts'
import { Inline, Line } from '../text.tsx'

/** What every report of the page says of its run as a whole. */
export function RunView({ overview }: { readonly overview: PageOverview }): JSX.Element {
  return (
    <section class="run">
      <h2 id="run-title">About this run</h2>
      {noticesOf(overview).map((notice) => (
        <Line class="notice" text={notice} />
      ))}
      {overview.reports.map((report) => (
        <Card title={<Inline text={packageOf(report)} />} label="Package">
          <Facts facts={factsOf(report).map(([name, value]) => [name, value ?? 'unknown'])} />
        </Card>
      ))}
    </section>
  )
}

function packageOf({ package: one }: PageReport): string {
  return [one?.name ?? 'Unnamed package', one?.version ?? ''].join(' ').trim()
}

function factsOf(report: PageReport): readonly (readonly [string, string | null])[] {
  const { git, environment, agent, judge, config } = report
  return [
    ['Report', report.id],
    ['Started', moment(report.timestamp)],
    ['Duration', seconds(report.duration_seconds)],
    ['Status', report.status],
    ['Answers', report.source],
    ['Engine', [agent?.runtime ?? 'several', agent?.runtime_version ?? ''].join(' ').trim()],
    ['Model', agent?.model == null ? 'several or unknown' : modelOf(agent.model)],
    ['Judge', judge?.model == null ? 'several or none' : modelOf(judge.model)],
    ['Time limit', config?.timeout == null ? null : `${config.timeout} s per case`],
    ['Commit', git === null ? null : `${git.commit}${git.dirty ? ' with uncommitted changes' : ''}`],
    ['vitest-agent-evals', report.agent_evals_version],
    ['Vitest', report.vitest_version],
    ['Node.js', environment?.node_version ?? null],
    ['Python', environment?.python_version ?? null],
    ['Platform', [environment?.os, environment?.arch].filter((part) => part != null).join(' ') || null],
    ['Prices', report.price_table],
  ]
}

/** What the run came to, before any detail. */
export function Summary({ overview }: { readonly overview: PageOverview }): JSX.Element {
  const { totals, reports } = overview
  const decided = totals.passed + totals.failed
  return (
    <section class="summary" aria-labelledby="summary-title">
      <h1 id="summary-title">
        {headline(overview)}
        {[...new Set(reports.map(({ status }) => status))]
          .filter((status) => status !== null && status !== 'complete')
          .map((status) => (
            <span class="chip warn">{STATUS[status ?? ''] ?? status}</span>
          ))}
      </h1>
      <OutcomeBar overview={overview} />
      <dl class="tiles">
        <Tile label="Pass rate" value={totals.rate === null ? 'n/a' : percent(totals.rate)}>
          {totals.rate === null ? (
            'no case passed or failed'
          ) : (
            <>
              <IntervalBar share={totals.rate} interval={totals.interval} />
              {totals.passed} of {decided} decided
              {totals.interval !== null && ` · 95% interval ${interval(totals.interval)}`}
            </>
          )}
        </Tile>
        <Tile label="Cost" value={costOf(totals)}>
          {totals.unknown_cost === 0 ? 'agent and judge' : `unknown for ${plural(totals.unknown_cost, 'case')}`}
        </Tile>
        <Tile label="Tokens" value={totals.tokens === 0 && totals.unknown_tokens > 0 ? 'n/a' : count(totals.tokens)}>
          {totals.unknown_tokens === 0
            ? 'all cases counted'
            : `not counted for ${plural(totals.unknown_tokens, 'case')}`}
        </Tile>
        <Tile label="Time" value={seconds(totals.duration_seconds)}>
          {plural(
            sumOf(overview.rows, ({ runs }) => runs),
            'agent run',
          )}
        </Tile>
        <Tile label="Engine" value={describeCounts(overview.rows.map(({ engine }) => engine))}>
          Model: {describeCounts(overview.rows.filter(({ runs }) => runs > 0).map(({ model }) => modelOf(model)))}
        </Tile>
        <Tile label="Answers" value={describeCounts(overview.rows.filter(({ runs }) => runs > 0).map(sourceOf))}>
          Sandbox: <Sandboxes overview={overview} />
        </Tile>
      </dl>
    </section>
  )
}

function headline({ totals }: PageOverview): string {
  if (totals.total === 0) return 'No cases'
  if (totals.passed === totals.total) return `All ${plural(totals.total, 'case')} passed`
  const parts = (['failed', 'errored', 'skipped'] as const)
    .filter((one) => totals[one] > 0)
    .map((one) => `${count(totals[one])} ${one}`)
  return `${count(totals.passed)} of ${plural(totals.total, 'case')} passed, ${parts.join(', ')}`
}

const STATUS: Readonly<Record<string, string>> = {
  partial: 'Partial: some planned cases did not run',
  interrupted: 'Interrupted: the run was stopped',
  recovered: 'Recovered: the run was lost and its results were read from its journal',
}

function noticesOf({ reports }: PageOverview): readonly string[] {
  return [...new Set(reports.flatMap(({ notices }) => notices))]
}

function OutcomeBar({ overview }: { readonly overview: PageOverview }): JSX.Element {
  const { totals } = overview
  const notices = noticesOf(overview).length
  return (
    <div class="outcomes">
      <div class="outcome-bar" aria-hidden="true">
        {OUTCOMES.filter((outcome) => totals[outcome] > 0).map((outcome) => (
          <span class={outcome} style={{ flexGrow: totals[outcome] }} />
        ))}
      </div>
      <ul>
        {OUTCOMES.map((outcome) => (
          <li>
            <a href={linkTo('cases', '', { outcome })} class={totals[outcome] === 0 ? 'none' : ''}>
              <OutcomeIcon outcome={outcome} />
              <strong>{count(totals[outcome])}</strong> {outcome}
            </a>
          </li>
        ))}
        {notices > 0 && (
          <li>
            <a href={linkTo('run')}>{plural(notices, 'notice')} about this run</a>
          </li>
        )}
      </ul>
    </div>
  )
}

function Tile({
  label,
  value,
  children,
}: {
  readonly label: string
  readonly value: string
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <div class="card tile">
      <dt>{label}</dt>
      <dd>
        <span class={value.length > 16 ? 'value long' : 'value'}>
          <Inline text={value} />
        </span>
        <span class="where">{children}</span>
      </dd>
    </div>
  )
}

function Sandboxes({ overview }: { readonly overview: PageOverview }): JSX.Element {
  const names = [...new Set(overview.rows.map(({ sandbox }) => sandbox).filter((name) => name !== null))]
  const open = names.filter((name) => name.startsWith('none'))
  return <Inline text={names.length === 0 ? 'n/a' : `${names.join(', ')}${open.length > 0 ? ' (not enforced)' : ''}`} />
}

/** `claude-code`, or `claude-code 12, codex 3`. */
function describeCounts(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const entries = [...counts].toSorted((a, b) => b[1] - a[1])
  if (entries.length === 0) return 'n/a'
  return entries.length === 1 ? (entries[0]?.[0] ?? '') : entries.map(([value, n]) => `${value} ${n}`).join(', ')
}
