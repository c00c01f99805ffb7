import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatPlace } from '../../lib/text.ts'
import { describeQuarantine } from '../../options/quarantine.ts'
import type { PageDetail, PageOverview, PageRow } from '../../report/page/page-data.ts'
import { armName, readDetail, sourceOf } from '../format.ts'
import { OutcomeBadge } from '../icons.tsx'
import { linkTo, parseChoice, type Choice, type Route } from '../route.ts'
import { Inline, Text } from '../text.tsx'
import { Provenance } from './provenance.tsx'
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
        <p class="meta">
          <Inline
            text={[row.target, row.engine, sourceOf(row), formatPlace(row)].filter((part) => part !== null).join(' · ')}
          />
        </p>
        {row.quarantine !== null && (
          <p class="meta">
            <Inline text={describeQuarantine(row.quarantine)} />
          </p>
        )}
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
  const wanted = keys.join(' ')
  useEffect(() => {
    let isCurrent = true
    Promise.all(wanted.split(' ').map(async (key) => [key, await readDetail(key)] as const)).then(
      (read) => isCurrent && setDetails(new Map(read)),
      (error: unknown) => isCurrent && setDetails(error instanceof Error ? error : new Error(String(error))),
    )
    return () => {
      isCurrent = false
    }
  }, [wanted])
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
