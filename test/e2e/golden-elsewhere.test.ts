// @module-tag claude-code
// @module-tag slow
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { dollars } from '../../src/lib/text.ts'
import { priceOf } from '../../src/gateway/budget/price.ts'
import { CLERK, golden } from '../support/agent-fixture.ts'
import { startMessagesServer, type ReceivedRequest, type Turn } from '../support/messages-server.ts'
import { undecidedKinds } from '../support/model-judge.ts'
import { describeEvals } from '../support/package-run.ts'
import type { Report } from '../../src/report/report.ts'

const SHARED = CLERK as Readonly<Record<string, string>>

/** Two agents; the clerk has three tests. */
const AGENTS: Readonly<Record<string, string>> = {
  ...SHARED,
  ...Object.fromEntries(Object.entries(SHARED).map(([path, text]) => [path.replace('clerk/', 'guard/'), text])),
  ...Object.fromEntries(
    ['001_hours', '002_again', '003_more'].map((id) => [`clerk/evals/golden/happy/${id}.md`, golden(id)]),
  ),
  'guard/evals/golden/happy/001_hours.md': golden('001_hours').replace('agent: clerk', 'agent: guard'),
}

describeEvals('agents in ~/docs/agents', () => {
  test('are found there, each has its report, and a budget stops the rest', async () => {
    await using upstream = await startMessagesServer(
      (request) => saysKinds(request) ?? { ...(perfect(request) ?? { text: 'At 9.' }), outputTokens: 14_000 },
    )
    await using project = await createProject(repositoryVitest())
    for (const [path, text] of Object.entries(AGENTS)) {
      const file = join(project.home, 'docs/agents', path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
    const env = { AGENT_EVALS_SANDBOX: 'prefer', ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-1234567890' }
    const flags = ['--live', '--judge', 'claude-sonnet-5', '--concurrency', '1', '--max-cost-usd', '0.12']
    const { exitCode, all } = await project.agentEvals(['run', 'clerk', 'guard', ...flags, '-o', 'out.json'], {
      merged: true,
      env,
    })
    expect(all).toContain('agent-evals: 4 cases go live; estimated cost unknown, at most $0.12')
    expect(all).toMatch(/Clerk evaluation — [^]*Guard evaluation — /)
    expect(all).toContain('Results saved: ~/docs/agents/clerk/evals/runs/')

    // One test is run and judged; what the budget leaves out makes the run prove less than was asked.
    expect(exitCode, all).toBe(2)
    expect(all).toMatch(/Agent Evals {2}1 passed \| 3 skipped \(4\)/)
    expect(all).toMatch(/Partial: 2 of 3 tests were not run: The budget of \$0\.12 is spent \(\$0\.\d+\)/)
    expect(all).toContain('Partial: 1 of 1 test was not run')
    const [clerk, guard] = await Promise.all(
      ['out.json', 'out.guard.json'].map(
        async (name) => JSON.parse(await readFile(join(project.root, name), 'utf8')) as Report,
      ),
    )
    expect(clerk).toMatchObject({ status: 'partial', summary: { total: 3, passed: 1, skipped: 2 } })
    expect(guard).toMatchObject({ status: 'partial', summary: { total: 1, skipped: 1 } })
    expect(clerk?.cases.map(({ target }) => target)).toEqual(['agent:clerk', 'agent:clerk', 'agent:clerk'])
    expect(guard?.cases.map(({ target }) => target)).toEqual(['agent:guard'])
  })

  test('a run costs the same in every place that shows it, its judge included', async () => {
    await using upstream = await startMessagesServer(
      (request) => saysKinds(request) ?? perfect(request) ?? { text: 'At 9.' },
    )
    const clerk = Object.entries(AGENTS).filter(([path]) => path.startsWith('clerk/'))
    await using project = await createProject(repositoryVitest(), Object.fromEntries(clerk))
    const env = { AGENT_EVALS_SANDBOX: 'prefer', ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-1234567890' }
    const flags = ['--live', '--judge', 'claude-sonnet-5', '-o', 'out.json']
    const run = await project.agentEvals(['run', 'clerk', ...flags], { merged: true, env })
    expect(run.exitCode, run.all).toBe(0)
    const { summary, cases } = JSON.parse(await readFile(join(project.root, 'out.json'), 'utf8')) as Report
    const total = summary.cost_usd ?? 0

    // Three answers of the agent and three of the judge, by the price table, and one on what the rubric is about.
    expect(upstream.requests).toHaveLength(7)
    const prices = upstream.requests.map(({ body }) => {
      const usage = {
        inputTokens: 10,
        outputTokens: body.stream === true ? 5 : 1,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
      }
      return priceOf(body.model, usage, 'anthropic-messages') ?? 0
    })
    expect(total).toBeCloseTo(
      prices.reduce((sum, price) => sum + price, 0),
      6,
    )
    expect(summary).toMatchObject({ unknown_cost_cases: 0, tokens: { input_tokens: 70 } })
    expect(cases.every(({ cost }) => (cost?.judge_usd ?? 0) > 0 && (cost?.agent_usd ?? 0) > 0)).toBe(true)

    const shown = dollars(total)
    expect(run.all).toContain(`Total cost: ${shown} (agent `)
    expect(run.all).toContain(`Cost  ${shown} (`)

    const diff = await project.agentEvals(['diff', 'out.json', 'out.json', '--json'], { env })
    const { totals } = JSON.parse(diff.stdout) as { readonly totals: { readonly before: object } }
    expect(totals.before).toMatchObject({ cost_usd: total, unknown_cost_cases: 0, run_cost: { cost_usd: total } })

    const costs = await project.agentEvals(['costs', 'clerk'], { env })
    expect(costs.stdout).toMatch(new RegExp(`Total: +\\${shown}$`))

    const runs = join(project.root, '.vitest/agent-evals')
    const folder = (await readdir(runs)).find((name) => /^\d/.test(name)) ?? ''
    const end = JSON.parse(await readFile(join(runs, folder, 'ended.json'), 'utf8')) as { gatewayCostUsd: number }
    expect(end.gatewayCostUsd).toBeCloseTo(total, 6)
  })
})

/** A judge that leaves open what the dimensions are about; `null` where that is not asked. */
function saysKinds({ body }: ReceivedRequest): Turn | null {
  const asked = JSON.stringify(body.messages)
  const kinds = undecidedKinds(asked, /nonce: ([0-9a-f]{32})/.exec(asked)?.[1] ?? '')
  return kinds === null ? null : { text: kinds }
}

/** A judge that gives full marks; `null` for what is asked of the agent. */
function perfect({ body }: ReceivedRequest): Turn | null {
  const nonce = /nonce: ([0-9a-f]{32})/.exec(JSON.stringify(body.messages))?.[1]
  if (nonce === undefined) return null
  const scored = { justification: 'Says 9.', evidence: [{ item: '', quote: 'At 9.' }], looked_for: [], score: 5 }
  const nothing = { hard_fails: [], factual_checks: [], orders: '' }
  return { text: JSON.stringify({ nonce, tone: scored, accuracy: scored, ...nothing, overall: scored }) }
}
