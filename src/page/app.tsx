import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { CaseView } from './case/case-view.tsx'
import { CasesView } from './overview/cases-view.tsx'
import { ChartsView } from './charts/charts-view.tsx'
import { moment } from './format.ts'
import { linkTo, useRoute, type Route } from './route.ts'
import { RunView } from './overview/run-view.tsx'
import { Summary } from './overview/summary.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { visibleLine } from './visible-text.ts'
import type { PageOverview } from '../report/page/page-data.ts'

/** The page. */
export function App({ overview }: { readonly overview: PageOverview }): JSX.Element {
  const route = useRoute()
  const row = overview.rows.find(({ key }) => key === route.key)
  const title = titleOf(overview)
  useEffect(() => {
    document.title = visibleLine(`${row === undefined ? '' : `${row.name} · `}${title} · Agent Evals`)
  }, [row, title])
  const at = route.view === 'case' && row === undefined ? { ...route, view: 'cases' as const } : route

  return (
    <>
      <a class="skip-link" href="#content" onClick={focusContent}>
        Skip to content
      </a>
      <header class="top">
        <div class="top-row">
          <a class="brand" href={linkTo('cases')}>
            <Logo />
            <span>
              <strong>Agent Evals</strong>
              <small>{visibleLine(title)}</small>
            </span>
          </a>
          <Tabs view={at.view} overview={overview} />
          <ThemeSwitch />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {at.view !== 'case' && <Summary overview={overview} />}
        {at.view === 'cases' && <CasesView overview={overview} query={at.query} />}
        {at.view === 'charts' && <ChartsView overview={overview} />}
        {at.view === 'run' && <RunView overview={overview} />}
        {at.view === 'case' && row !== undefined && (
          <CaseView key={row.key} overview={overview} row={row} query={at.query} />
        )}
      </main>
      <footer>
        Generated {moment(overview.generated_at)} by{' '}
        {`vitest-agent-evals ${overview.reports[0]?.agent_evals_version ?? ''}`.trim()}. This file loads nothing from
        anywhere.
      </footer>
    </>
  )
}

function Tabs({ view, overview }: { readonly view: Route['view']; readonly overview: PageOverview }): JSX.Element {
  const tabs = [
    ['cases', `Cases (${overview.rows.length})`],
    ['charts', 'Charts'],
    ['run', 'About this run'],
  ] as const
  return (
    <nav aria-label="Views">
      {tabs.map(([name, label]) => (
        <a
          href={linkTo(name)}
          aria-current={view === name || (view === 'case' && name === 'cases') ? 'page' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  )
}

function titleOf({ reports }: PageOverview): string {
  const names = [...new Set(reports.map(({ package: one }) => one?.name ?? null))].filter((name) => name !== null)
  const when = moment(reports[0]?.timestamp ?? null)
  return names.length === 0 ? when : `${names.join(', ')} · ${when}`
}

// A link to an element would replace the route.
function focusContent(event: Event): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}

function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <rect x="1" y="1" width="30" height="30" rx="8" class="logo-back" />
      <path d="m8 10 4.5 5L8 20" class="logo-line" />
      <path d="m15 20.4 3.2 3.1L25 12" class="logo-check" />
    </svg>
  )
}
