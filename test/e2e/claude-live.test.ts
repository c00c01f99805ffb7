// @module-tag claude-code
// @module-tag slow
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verdicts } from '../support/eval-project.ts'
import { startMessagesServer, type ReceivedRequest, type Turn } from '../support/messages-server.ts'
import { agreeing, createPackage, describeEvals, runEvals } from '../support/package-run.ts'

const KEY = 'sk-real-1234567890'

describeEvals('a live run', () => {
  test('A10: goes to the upstream with the real key, and an upstream that refuses is named', async () => {
    const seen = new Map<string, number>()
    const answer = (request: ReceivedRequest): Turn => {
      const name = /case-[a-z]+/.exec(JSON.stringify(request.body.messages))?.[0] ?? ''
      const count = (seen.get(name) ?? 0) + 1
      seen.set(name, count)
      if (name === 'case-unauthorized') return { error: { status: 401, message: `invalid x-api-key ${KEY}` } }
      if (name === 'case-overloaded' && count <= 2) return { error: { status: 529, message: 'Overloaded' } }
      return { text: 'done' }
    }
    await using upstream = await startMessagesServer((request) => agreeing(request, 'done') ?? answer(request))
    await using project = await createPackage({
      cases: {
        'a-answered': { prompt: 'This is case-answered.', expected: { contains: ['done'] } },
        'b-overloaded': { prompt: 'This is case-overloaded.', expected: { contains: ['done'] } },
        'c-unauthorized': { prompt: 'This is case-unauthorized.', expected: { contains: ['done'] } },
      },
    })
    const run = await runEvals(project, {
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
      ANTHROPIC_BASE_URL: upstream.url,
      ANTHROPIC_API_KEY: KEY,
    })
    expect(verdicts(run.report)).toEqual([
      'a-answered PASS',
      'b-overloaded PASS',
      'c-unauthorized ERROR upstream-failed',
    ])
    expect(run.report).toMatchObject({
      source: 'live',
      agent: { model: 'claude-sonnet-4-5', model_provider: 'anthropic' },
    })
    expect(run.case('a-answered')).toMatchObject({
      source: 'live',
      agent: { runtime: 'claude-code', model: 'claude-sonnet-4-5' },
      usage: { input_tokens: 30, output_tokens: 7, cache_read_tokens: 0, cache_write_tokens: 0 },
      runs: [{ requests: 1, status: 'completed' }],
      judge_verdict: { result: 'PASS', self_judged: true, model: 'claude-sonnet-4-5' },
    })
    expect(run.case('b-overloaded').runs).toMatchObject([{ status: 'completed' }])
    expect(run.case('c-unauthorized').error).toBe(
      `The API at ${new URL(upstream.url).host} answered 401: api_error: invalid x-api-key ${'*'.repeat(KEY.length)}. Check that the credential is valid.`,
    )
    expect([...new Set(upstream.requests.map(({ headers }) => headers['x-api-key']))]).toEqual([KEY])

    const kept = await readFile(join(project.root, run.run('a-answered').folder ?? '', 'transcript.jsonl'), 'utf8')
    expect(`${kept}${JSON.stringify(run.report)}${run.finished.all}`).not.toContain(KEY)
  })

  test('ends after the first answer by which the API refuses the credential, with what to do', async () => {
    const atOnce = 4
    await using upstream = await startMessagesServer(() => ({ error: { status: 401, message: 'invalid x-api-key' } }))
    const names = Array.from({ length: 19 }, (_, index) => `case-${String(index).padStart(2, '0')}`)
    await using project = await createPackage({
      cases: Object.fromEntries(names.map((name) => [name, { expected: { contains: ['done'] } }])),
      options: `{ sandbox: 'prefer', concurrency: ${atOnce} }`,
    })
    const run = await runEvals(project, {
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
      ANTHROPIC_BASE_URL: upstream.url,
      ANTHROPIC_API_KEY: KEY,
    })
    const errored = run.report.cases.filter(({ verdict }) => verdict === 'ERROR')
    const skipped = run.report.cases.filter(({ verdict }) => verdict === 'SKIP')
    expect([errored.length + skipped.length, run.report.status], run.finished.all).toEqual([names.length, 'partial'])
    // Those that were under way ask once each at most, and once the gateway makes sure: nobody tries again.
    expect(errored.length).toBeLessThanOrEqual(atOnce)
    expect(upstream.requests.length).toBeLessThanOrEqual(atOnce + 1)
    const refused =
      /The API at \S+ (?:refuses the credential \(401\)|answered 401)[,:] .*Check that the credential is valid\./
    for (const { error } of errored) expect(error).toMatch(refused)
    for (const { skip_reason: reason } of skipped)
      expect(reason).toMatch(
        /^not-run: The API at \S+ refuses the credential \(401\), .*Check that the credential is valid\./,
      )
  })

  test('uses a token of a subscription as one', async () => {
    await using upstream = await startMessagesServer((request) => agreeing(request, 'done') ?? { text: 'done' })
    await using project = await createPackage({ cases: { 'a-answered': { expected: { contains: ['done'] } } } })
    // Nothing but the missing scenario and the named project makes it go live.
    const run = await runEvals(project, { ANTHROPIC_BASE_URL: upstream.url, CLAUDE_CODE_OAUTH_TOKEN: 'oauth-real-123' })
    expect(verdicts(run.report), run.finished.all).toEqual(['a-answered PASS'])
    expect(run.case('a-answered').judge_verdict).toMatchObject({ result: 'PASS' })
    const credentials = upstream.requests.map(({ headers }) => [headers['authorization'], headers['x-api-key']])
    expect(new Set(credentials.map(String))).toEqual(new Set(['Bearer oauth-real-123,']))
  })
})
