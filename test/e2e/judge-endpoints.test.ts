// @module-tag no-engine
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { agreeingVerdict, undecidedKinds } from '../support/model-judge.ts'
import { createPackage, describeEvals, runEvals } from '../support/package-run.ts'

interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
}

/** An API of chat completions that knows only the older name of the limit, and agrees as a judge. */
async function startChat(): Promise<AsyncDisposable & { readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void json(request).then((value) => {
      const body = value as Asked['body']
      asked.push({ path: request.url ?? '', headers: request.headers, body })
      response.setHeader('content-type', 'application/json')
      if ('max_completion_tokens' in body) {
        response.statusCode = 400
        return response.end(JSON.stringify({ error: { message: 'Unknown field: max_completion_tokens' } }))
      }
      const text = JSON.stringify(body)
      const nonce = /nonce: (\w+)/.exec(text)?.[1] ?? ''
      const verdict = JSON.stringify({ nonce, verdicts: [agreeingVerdict('Hello')], orders: '' })
      const content = nonce === '' ? 'Hello' : (undecidedKinds(text, nonce) ?? verdict)
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
      const usage = { prompt_tokens: 10, completion_tokens: 5 }
      return response.end(JSON.stringify({ id: 'c', model: body['model'], choices, usage }))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const CASES = { greets: { prompt: 'Say hello.', judge: { criteria: 'It says hello.' } } }
const KEYS = {
  OPENAI_API_KEY: 'sk-openai-1234567890',
  GEMINI_API_KEY: 'AIza-google-1234567890',
  HOUSE: 'house-key-1234567890',
}

describeEvals('judges at compatible servers', () => {
  test('each is asked at its own address with its own key, and an unknown price says so', async () => {
    await using api = await startChat()
    const servers = {
      house: { url: `${api.url}/house/v1`, key: 'HOUSE' },
      local: { url: `${api.url}/local/v1/` },
    }
    await using project = await createPackage({
      cases: CASES,
      options: JSON.stringify({
        sandbox: 'prefer',
        judgeEndpoints: servers,
        prices: { paid: { input: 1, output: 1 } },
      }),
    })
    const env = {
      ...KEYS,
      OPENAI_BASE_URL: `${api.url}/openai/v1`,
      GEMINI_BASE_URL: `${api.url}/google`,
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_ENGINE: 'messages',
      AGENT_EVALS_MODEL: 'gpt-5',
    }
    const judgedBy = async (judge: string, more: Readonly<Record<string, string>> = {}) => {
      const before = api.asked.length
      const run = await runEvals(project, { ...env, AGENT_EVALS_JUDGE: judge, ...more })
      const asked = api.asked.slice(before).filter(({ body }) => JSON.stringify(body).includes('nonce: '))
      const ways = asked.map(({ path, headers }) => `${path} ${headers.authorization ?? 'no key'}`)
      return { run, ways: [...new Set(ways)], output: run.finished.all }
    }

    const paid = await judgedBy('house:paid')
    expect(paid.run.case('greets'), paid.output).toMatchObject({
      verdict: 'PASS',
      judge_verdict: { result: 'PASS', model: 'paid' },
    })
    expect(paid.ways).toEqual([`/house/v1/chat/completions Bearer ${KEYS.HOUSE}`])
    expect(paid.output).not.toContain('no price')
    expect(paid.run.report.summary.cost_usd).toBeGreaterThan(0)

    const refused = await judgedBy('local:llama')
    expect(refused.run.case('greets')).toMatchObject({ verdict: 'ERROR', error_code: 'unknown-price' })
    expect(refused.ways).toEqual([])

    const unknown = await judgedBy('local:llama', { AGENT_EVALS_ALLOW_UNKNOWN_COST: 'true' })
    expect(unknown.run.case('greets'), unknown.output).toMatchObject({ verdict: 'PASS', cost_usd: null })
    expect(unknown.ways).toEqual(['/local/v1/chat/completions no key'])
    expect(unknown.output).toContain('the budget cannot be enforced: no price for llama')

    const google = await judgedBy('gemini-2.5-flash')
    expect(google.run.case('greets'), google.output).toMatchObject({
      verdict: 'PASS',
      judge_verdict: { model: 'gemini-2.5-flash' },
    })
    expect(google.ways).toEqual([`/google/chat/completions Bearer ${KEYS.GEMINI_API_KEY}`])

    const listed = await project.agentEvals(['list', '--explain', '--judge', 'local:llama'], { merged: true })
    expect(listed.all).toContain('local:llama, whose price is unknown')
    const unnamed = await project.agentEvals(['list', '--judge', 'locl:llama'], { merged: true })
    expect(unnamed.all).toMatch(/names the provider "locl"\. Did you mean "local"\?.*`judgeEndpoints`/s)
  })
})
