// @module-tag claude-code
// @module-tag slow
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { CLERK, golden } from '../unit/suites/agent/agent-fixture.ts'
import { startMessagesServer, type ReceivedRequest, type Turn } from './messages-server.ts'
import { describeEvals } from './package-run.ts'
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
  test('are found there, each has its report, and a budget stops the rest', { timeout: 200_000 }, async () => {
    await using upstream = await startMessagesServer((request) => ({
      ...(perfect(request) ?? { text: 'At 9.' }),
      outputTokens: 14_000,
    }))
    await using project = await createProject(repositoryVitest())
    for (const [path, text] of Object.entries(AGENTS)) {
      const file = join(project.home, 'docs/agents', path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
    const env = { AGENT_EVALS_SANDBOX: 'prefer', ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-1234567890' }
    const flags = ['--live', '--judge', 'claude-sonnet-5', '--concurrency', '1', '--max-cost-usd', '0.3']
    const { exitCode, all } = await project.agentEvals(['run', 'clerk', 'guard', ...flags, '-o', 'out.json'], {
      merged: true,
      env,
    })
    expect(all).toContain('agent-evals: 4 cases go live; estimated cost unknown (no earlier live run); limit $0.00005')
    expect(all).toMatch(/Clerk evaluation — [^]*Guard evaluation — /)
    expect(all).toContain('Results saved: ~/docs/agents/clerk/evals/runs/')

    // One test is run and judged; what the budget leaves out makes the run prove less than was asked.
    expect(exitCode, all).toBe(2)
    expect(all).toMatch(/Agent Evals {2}1 passed \| 3 skipped \(4\)/)
    expect(all).toMatch(
      /Partial: 2 of 3 tests were not run: The budget of \$0\.3 is spent \(\$0\.\d+; a first request may cost \$0\.\d+\)/,
    )
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
})

/** A judge that gives full marks; `null` for what is asked of the agent. */
function perfect({ body }: ReceivedRequest): Turn | null {
  const nonce = /nonce: ([0-9a-f]{32})/.exec(JSON.stringify(body.messages))?.[1]
  if (nonce === undefined) return null
  const scored = { justification: 'Says 9.', score: 5 }
  const nothing = { hard_fails: [], factual_checks: [], orders: '' }
  return { text: JSON.stringify({ nonce, tone: scored, accuracy: scored, ...nothing, overall: scored }) }
}
