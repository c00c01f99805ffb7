import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatPlace } from '../../lib/text.ts'
import type { PageDetail, PageOverview, PageRow } from '../../report/page/page-data.ts'
import { Card, Facts } from '../card.tsx'
import { armName, readDetail, sourceOf, age, count, modelOf, moment } from '../format.ts'
import { OutcomeBadge } from '../icons.tsx'
import { linkTo, parseChoice, type Choice, type Route } from '../route.ts'
import { Table } from '../table.tsx'
import { Inline, Line, Text } from '../text.tsx'
import { RunStory } from './run-story.tsx'
import { SideBySide } from './side-by-side.tsx'

/** The story of one case: what was asked, what happened, what was decided. */
export function CaseView({
  overview,
  row,
  query,
}: {
  readonly overview: PageOverview
  readonly row: PageRow
  readonly query: Route['query']
}): JSX.Element {
  const chosen: Choice = { key: row.key, run: Number(query['run'] ?? 1) }
  const other = parseChoice(query['with'])
  const siblings = overview.rows.filter(({ group }) => group === row.group)
  const details = useDetails([...new Set([row.key, ...siblings.map(({ key }) => key)])].slice(0, MOST_SIDE_BY_SIDE))
  const read = details instanceof Map ? details : null
  const detail = read?.get(row.key)
  useEffect(() => scrollTo(0, 0), [row.key])

  return (
    <article class="case-view" aria-labelledby="case-title">
      <Neighbours overview={overview} row={row} />
      <header class="case-head">
        <h1 id="case-title">
          <OutcomeBadge outcome={row.outcome} />
          <Inline text={row.name} />
          {row.arm !== null && (
            <span class="chip">
              <Inline text={armName(row.arm)} />, for comparison only
            </span>
          )}
        </h1>
        <Line
          class="quiet"
          text={[row.target, row.engine, sourceOf(row), formatPlace(row)].filter((part) => part !== null).join(' · ')}
        />
        {row.quarantined !== null && <p class="quiet">in quarantine</p>}
        {row.reason !== null && (
          <div class={`why ${row.outcome}`}>
            <strong>Why it {row.outcome === 'skipped' ? 'was skipped' : row.outcome}</strong>
            {row.error_code !== null && <code>{row.error_code}</code>}
            <Text text={row.reason} lines={12} />
          </div>
        )}
      </header>
      {details instanceof Error && <p role="alert">{details.message}</p>}
      {details === null && <p role="status">Reading the case…</p>}
      {read !== null && detail !== undefined && (
        <>
          <CopyCommand label="Run again, from the Vitest root" command={detail.rerun} />
          <SideBySide rows={siblings} details={read} chosen={chosen} other={other} />
          <div class={other === null ? 'stories' : 'stories two'}>
            <RunStory side="a" row={row} detail={detail} choice={chosen} query={query} />
            <OtherStory rows={siblings} details={read} other={other} />
          </div>
          <Provenance detail={detail} generatedAt={overview.reports[row.report]?.timestamp ?? overview.generated_at} />
        </>
      )}
    </article>
  )
}

function OtherStory({
  rows,
  details,
  other,
}: {
  readonly rows: readonly PageRow[]
  readonly details: ReadonlyMap<string, PageDetail>
  readonly other: Choice | null
}): JSX.Element | null {
  const row = rows.find(({ key }) => key === other?.key)
  const detail = details.get(row?.key ?? '')
  if (other === null || row === undefined || detail === undefined) return null
  return <RunStory side="b" row={row} detail={detail} choice={other} query={{}} />
}

/** Reads the case and what stands beside it. */
function useDetails(keys: readonly string[]): Details | Error | null {
  const [details, setDetails] = useState<Details | Error | null>(null)
  const joinedKeys = keys.join(' ')
  useEffect(() => {
    let isCurrent = true
    Promise.all(joinedKeys.split(' ').map(async (key) => [key, await readDetail(key)] as const)).then(
      (read) => isCurrent && setDetails(new Map(read)),
      (error: unknown) => isCurrent && setDetails(error instanceof Error ? error : new Error(String(error))),
    )
    return () => {
      isCurrent = false
    }
  }, [joinedKeys])
  return details
}

type Details = Map<string, PageDetail>

const MOST_SIDE_BY_SIDE = 8

function Neighbours({
  overview: { rows },
  row,
}: {
  readonly overview: PageOverview
  readonly row: PageRow
}): JSX.Element {
  const at = rows.indexOf(row)
  const [previous, next] = [rows[at - 1], rows[at + 1]]
  return (
    <nav class="neighbours" aria-label="Cases">
      <a href={linkTo('cases')}>← All cases</a>
      <span>
        {previous !== undefined && <a href={linkTo('case', previous.key)}>Previous</a>}
        {next !== undefined && <a href={linkTo('case', next.key)}>Next</a>}
        <span class="quiet">
          {at + 1} of {rows.length}
        </span>
      </span>
    </nav>
  )
}

/** A command to copy. */
function CopyCommand({ label, command }: { readonly label: string; readonly command: string }): JSX.Element {
  const [state, setState] = useState('Copy')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command)
      setState('Copied')
    } catch {
      setState('Select the text to copy it')
    }
  }
  return (
    <div class="command">
      <span>{label}</span>
      <code>
        <Inline text={command} />
      </code>
      <button type="button" onClick={() => void copy()}>
        {state}
      </button>
    </div>
  )
}

/** What the result depends on: versions, the recording and its age, and the hash of every input. */
function Provenance({
  detail: { case: one },
  generatedAt,
}: {
  readonly detail: PageDetail
  readonly generatedAt: string
}): JSX.Element {
  const { recorded, usage, sandbox, agent, judge_verdict: judge, inputs } = one
  const facts: readonly (readonly [string, string])[] = [
    ['Id', one.id ?? 'none'],
    ['Engine', `${one.engine ?? 'unknown'} ${agent?.runtime_version ?? '(version unknown)'}`],
    ['Model', modelOf(agent?.model ?? null)],
    ['Judge', judge === null ? 'did not run' : modelOf(judge.model)],
    ['Recording', recorded === null ? 'none' : `${moment(recorded.at)}, ${age(recorded.at, generatedAt)}`],
    ...(recorded === null
      ? []
      : ([
          ['Recorded from', recorded.origin === 'scenario' ? 'a scenario (no model)' : recorded.origin],
          ['Recorded with', `${one.engine ?? ''} ${recorded.engine_version ?? '(version unknown)'}`],
        ] as const)),
    ...(one.record === null ? [] : [['Record', "the engine's own stream, which no gateway saw"] as const]),
    ['Sandbox', sandbox === null ? 'n/a' : `${sandbox.enforced} (asked for: ${sandbox.asked})`],
    [
      'Tokens',
      usage === null
        ? 'not counted'
        : `${count(usage.input_tokens)} in, ${count(usage.output_tokens)} out, ${count(usage.cache_read_tokens)} from cache, ${count(usage.cache_write_tokens)} to cache`,
    ],
    ...(one.reused_from === null
      ? []
      : [[one.cached ? 'Cached from' : 'Reused from', `${one.reused_from}, whose times are shown`] as const]),
  ]
  return (
    <Card class="provenance" title="Provenance" label="Provenance">
      <Facts facts={facts} />
      {inputs.length > 0 && (
        <details>
          <summary>{count(inputs.length)} inputs with their hashes</summary>
          <Table
            columns={[
              { label: 'Input', cell: ({ path }) => <Inline text={path} /> },
              { label: 'Role', cell: ({ role }) => <Inline text={role} /> },
              { label: 'SHA-256', cell: ({ hash }) => <code title={hash}>{hash.slice(0, 12)}</code> },
            ]}
            rows={inputs}
          />
        </details>
      )}
    </Card>
  )
}
