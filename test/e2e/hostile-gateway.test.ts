// @module-tag claude-code
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { installedEngines, type InstalledEngine } from './conformance/matrix.ts'
import { REAL_KEY, runHostile, type HostileRun } from './hostile-sessions.ts'

/** A body that is a request of its own where it is taken for the next one on the connection. */
const SMUGGLES = `
const hidden = request('POST', '/v1/messages/batches', '{}') + request('GET', '/v1/files', null)
for (const framing of ['content-length: ' + hidden.length, 'transfer-encoding: chunked']) {
  const body = framing.startsWith('c') ? hidden : hidden.length.toString(16) + '\\r\\n' + hidden + '\\r\\n0\\r\\n\\r\\n'
  console.log((await send('GET /v1/models HTTP/1.1\\r\\nhost: x\\r\\nauthorization: Bearer ' + token + '\\r\\n' + framing + '\\r\\n\\r\\n' + body)).slice(0, 100))
}
`
const INNOCENTS = ['innocent-one', 'innocent-two', 'innocent-three']

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
        run: await runHostile(engine, { attacks: { 'attack-smuggles': SMUGGLES }, innocents: INNOCENTS }),
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
        'attack-smuggles': 'unexpected-request',
        ...Object.fromEntries(INNOCENTS.map((name) => [name, 'passed'])),
      })
    }
  })

  test('smuggle no request of their own', () => {
    for (const { engine, run } of runs) {
      const targets = new Set(run.upstream.requests.map(({ method, target }) => `${method} ${target}`))
      const path = engine.name === 'codex' ? '/v1/responses' : '/v1/messages'
      expect([...targets].filter((target) => target.replace(/\?beta=true$/, '') !== `POST ${path}`)).toEqual([])
      expect(run.upstream.violations).toEqual([])
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
