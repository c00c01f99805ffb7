// @module-tag claude-code
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listRuns, readRunEnd, runsFolder } from '../../src/report/results/run-folder.ts'
import { startMessagesServer } from '../support/messages-server.ts'
import { agreeing, createPackage, describeEvals, runEvals } from '../support/package-run.ts'
import { startUpstream } from '../support/upstream.ts'

describeEvals('a budget', () => {
  test('stops new work once it is spent, and the report is partial', async () => {
    await using upstream = await startMessagesServer((request) => agreeing(request, 'done') ?? { text: 'done' })
    const prompt = 'Say done.'
    await using project = await createPackage({ cases: { a: { prompt }, b: { prompt } } })
    const live = {
      AGENT_EVALS_SOURCE: 'live',
      // With the mark of a longer context, which is for the CLI alone.
      AGENT_EVALS_MODEL: 'claude-sonnet-4-5[1m]',
      AGENT_EVALS_CONCURRENCY: '1',
      ANTHROPIC_BASE_URL: upstream.url,
      ANTHROPIC_API_KEY: 'sk-real-1234567890',
    }
    const whole = await runEvals(project, live)
    expect(whole.finished.all).toContain('agent-evals: 2 cases go live; estimated cost unknown, at most $10.00')
    expect(whole.report).toMatchObject({ status: 'complete', price_table: expect.stringContaining('genai-prices') })
    expect(whole.report.summary.cost_usd).toBeGreaterThan(0)
    expect(whole.finished.all).toContain('model: claude-sonnet-4-5; judge: claude-sonnet-4-5')
    const { agent, judge_verdict: judged } = whole.case('a')
    expect([agent.model, judged]).toEqual(['claude-sonnet-4-5', expect.objectContaining({ self_judged: true })])
    const requests = upstream.requests.map(({ body, headers }) => [
      body.model,
      /context-1m/.test(String(headers['anthropic-beta'])),
    ])
    expect(new Set(requests.map(([model]) => model))).toEqual(new Set(['claude-sonnet-4-5']))
    expect(new Set(requests.map(([, isLong]) => isLong))).toEqual(new Set([true, false]))

    const asked = upstream.requests.length
    const stopped = await runEvals(project, { ...live, AGENT_EVALS_MAX_COST_USD: '0' })
    expect(stopped.finished.all).toContain('agent-evals: 2 cases go live; estimated cost $')
    expect(stopped.report).toMatchObject({ status: 'partial', summary: { skipped: 2, passed: 0, errored: 0 } })
    expect(stopped.case('a').skip_reason).toMatch(/^not-run: The budget of \$0 is spent/)
    expect(upstream.requests.length).toBe(asked)
    expect(stopped.finished.exitCode).toBe(1)
  })

  test('counts an answer that the deadline cuts off, in report and check as at the gateway', async () => {
    await using upstream = await startUpstream([{ stream: 'd', rest: 'one', goesOn: new Promise(() => {}) }])
    const expected = { 'max-cost-usd': 0.05 }
    await using project = await createPackage({ cases: { a: { prompt: 'Say done.', expected } } })
    const timedOut = await runEvals(project, {
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
      AGENT_EVALS_TIMEOUT: '15',
      ANTHROPIC_BASE_URL: upstream.url,
      ANTHROPIC_API_KEY: 'sk-real-1234567890',
    })
    const runs = runsFolder(project.root)
    const { gatewayCostUsd } = readRunEnd(join(runs, listRuns(runs).at(-1) ?? '')) ?? {}
    expect(gatewayCostUsd).toBeGreaterThan(0.05)
    expect(timedOut.case('a')).toMatchObject({
      verdict: 'ERROR',
      cost_usd: expect.closeTo(gatewayCostUsd ?? 0, 6),
      checks: [{ kind: 'max-cost-usd', result: 'FAIL' }],
    })
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
