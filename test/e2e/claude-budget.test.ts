// @module-tag claude-code
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startMessagesServer } from '../support/messages-server.ts'
import { agreeing, createPackage, describeEvals, runEvals } from '../support/package-run.ts'

describeEvals('a budget', () => {
  test('stops new work once it is spent, and the report is partial', async () => {
    await using upstream = await startMessagesServer((request) => agreeing(request, 'done') ?? { text: 'done' })
    const prompt = 'Say done.'
    await using project = await createPackage({ cases: { a: { prompt }, b: { prompt } } })
    const live = {
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
      AGENT_EVALS_CONCURRENCY: '1',
      ANTHROPIC_BASE_URL: upstream.url,
      ANTHROPIC_API_KEY: 'sk-real-1234567890',
    }
    const whole = await runEvals(project, live)
    expect(whole.finished.all).toContain('agent-evals: 2 cases go live; estimated cost unknown, at most $10.00')
    expect(whole.report).toMatchObject({ status: 'complete', price_table: expect.stringContaining('genai-prices') })
    expect(whole.report.summary.cost_usd).toBeGreaterThan(0)

    const asked = upstream.requests.length
    const stopped = await runEvals(project, { ...live, AGENT_EVALS_MAX_COST_USD: '0' })
    expect(stopped.finished.all).toContain('agent-evals: 2 cases go live; estimated cost $')
    expect(stopped.report).toMatchObject({ status: 'partial', summary: { skipped: 2, passed: 0, errored: 0 } })
    expect(stopped.case('a').skip_reason).toMatch(/^not-run: The budget of \$0 is spent/)
    expect(upstream.requests.length).toBe(asked)
    expect(stopped.finished.exitCode).toBe(1)
  })

  test('of $2, as README has it, pays for a case of the default model to its end', async () => {
    await using upstream = await startMessagesServer((request) => agreeing(request, 'done') ?? { text: 'done' })
    await using project = await createPackage({ cases: { a: { prompt: 'Say done.' } } })
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    const [, line = ''] = /^npx vitest-agent-evals (run --live --max-cost-usd 2) #/m.exec(readme) ?? []
    const finished = await project.agentEvals(line.split(' '), {
      env: { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-real-1234567890', AGENT_EVALS_SANDBOX: 'prefer' },
      merged: true,
    })
    expect(finished.exitCode, finished.all).toBe(0)
    expect(finished.all).toMatch(/Cost {2}\$0\.\d\d/)
    const [agent, ...rest] = upstream.requests.map(({ body }) => body as { model: string; max_tokens?: number })
    // The CLI asks for 128,000, which may cost more than the budget.
    expect(agent?.max_tokens).toBeGreaterThanOrEqual(8000)
    expect(agent?.max_tokens).toBeLessThan(128_000)
    // The judge is the model of the agent.
    expect([...new Set(rest.map(({ model }) => model))]).toEqual([agent?.model])
  })
})
