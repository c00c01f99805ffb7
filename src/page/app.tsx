import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PageOverview } from '../report/page/page-data.ts'
import { CaseView } from './case/case-view.tsx'
import { ChartsView } from './charts/charts-view.tsx'
import { moment } from './format.ts'
import { CasesView } from './overview/cases-view.tsx'
import { RunView, Summary } from './overview/run-view.tsx'
import { linkTo, useRoute, type Route } from './route.ts'
import { visibleLine } from './text.tsx'

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
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <rect width="16" height="16" rx="4" class="fill" />
      <path d="m4 5 2.2 2.5L4 10M7.5 10.2l1.6 1.5L12.5 6" class="stroke" />
    </svg>
  )
}

/** Chooses light or dark; at first the system decides. */
function ThemeSwitch(): JSX.Element {
  const [theme, setTheme] = useState<'dark' | 'light' | null>(null)
  const isDark = theme === null ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
  const next = isDark ? 'light' : 'dark'
  const toggle = (): void => {
    document.documentElement.style.colorScheme = next
    setTheme(next)
  }
  return (
    <button
      type="button"
      class="theme"
      onClick={toggle}
      aria-label={`Switch to ${next} colours`}
      title={`Switch to ${next} colours`}
    >
      <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
        {isDark ? (
          <path
            class="line"
            d="M10 3v2m0 10v2M3 10h2m10 0h2M5.1 5.1l1.4 1.4m7 7 1.4 1.4m0-9.8-1.4 1.4m-7 7-1.4 1.4M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0"
          />
        ) : (
          <path class="line" d="M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5" />
        )}
      </svg>
    </button>
  )
}
