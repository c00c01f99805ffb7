import type { JSX } from 'preact'
import { modelOf, moment, seconds } from '../format.ts'
import { Inline } from '../text.tsx'
import type { PageOverview } from '../../report/page/page-data.ts'
import type { PageReport } from '../../report/page/page-data.ts'

/** What every report of the page says of its run as a whole. */
export function RunView({ overview }: { readonly overview: PageOverview }): JSX.Element {
  return (
    <section aria-labelledby="run-title">
      <h2 id="run-title">About this run</h2>
      {overview.reports.map((report) => (
        <article class="card">
          <h3>
            <Inline
              text={`${report.package?.name ?? 'Unnamed package'}${report.package?.version == null ? '' : ` ${report.package.version}`}`}
            />
          </h3>
          <dl class="facts">
            {factsOf(report).map(([label, value]) => (
              <div>
                <dt>{label}</dt>
                <dd>
                  <Inline text={value ?? 'unknown'} />
                </dd>
              </div>
            ))}
          </dl>
        </article>
      ))}
    </section>
  )
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
