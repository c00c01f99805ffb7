// @module-tag claude-code
// @module-tag slow
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findDifference } from '../../src/gateway/first-turn/first-turn.ts'
import { installedEngines } from '../support/conformance/matrix.ts'
import { runHostile } from '../support/hostile-sessions.ts'
import type { RawUpstream } from '../support/raw-upstream.ts'

/** Names of headers and fields by engine and wire, as they came in the stories of conformance.test.ts and here. */
const FIXTURE = JSON.parse(
  readFileSync(new URL('../fixtures/engine-requests.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, { readonly headers: string[]; readonly fields: string[] }>>>>

const WRITTEN = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'x-api-key',
])

test('the fixture has all that engines send', { tags: ['claude-code', 'codex', 'copilot'] }, async () => {
  const engines = await installedEngines()
  const copilot = engines.filter(({ name }) => name === 'copilot')
  const runs = await Promise.all(
    [
      ...engines.map((engine) => ({ engine, model: undefined, variable: undefined })),
      ...copilot.map((engine) => ({ engine, model: 'gpt-5', variable: undefined })),
      ...engines
        .filter(({ name }) => name === 'claude-code')
        .map((engine) => ({ engine, model: undefined, variable: 'CLAUDE_CODE_OAUTH_TOKEN' })),
    ].map(async ({ engine, model, variable }) => ({
      engine: engine.name,
      run: await runHostile(engine, { attacks: {}, innocents: ['innocent', 'neighbour'], model, variable }),
    })),
  )
  for (const { engine, run } of runs) {
    expect(run.report.cases.flatMap(({ notices }) => notices)).toEqual([])
    for (const { target, headers, body } of run.upstream.requests) {
      const wire = target.startsWith('/v1/messages') ? 'anthropic-messages' : 'openai-responses'
      const known = FIXTURE[engine]?.[wire]
      const names = headers.map(([name]) => name).filter((name) => !WRITTEN.has(name))
      expect([engine, wire, names.filter((name) => known?.headers.includes(name) !== true)]).toEqual([engine, wire, []])
      // The gateway adds the limit that the budget pays for.
      const fields = Object.keys(JSON.parse(body) as object).filter((name) => name !== 'max_output_tokens')
      expect([engine, wire, fields.filter((name) => known?.fields.includes(name) !== true)]).toEqual([engine, wire, []])
    }
  }
  // Why only Claude Code answers trigger queries by their first turn, as docs/skill-evals.md says.
  const differences = runs.slice(0, engines.length).map(({ engine, run }) => [engine, firstDifference(run.upstream)])
  expect(Object.fromEntries(differences)).toEqual({
    'claude-code': null,
    codex: expect.stringMatching(/^headers\.x-codex-turn-metadata, .*unix_ms/),
    copilot: expect.stringMatching(/^body\.messages\..*<\/current_datetime>/),
  })
  const oauth = runs.at(-1)?.run.upstream.requests[0]?.headers ?? []
  expect(oauth.find(([name]) => name === 'anthropic-beta')?.[1]).toContain('oauth-2025-04-20')
})

/** Where the first requests of two sessions differ, beside their prompts and ids. */
function firstDifference({ requests }: RawUpstream): string | null {
  const [left, right] = ['innocent', 'neighbour'].map((name) => {
    const prompt = `This is session ${name}.`
    const found = requests.find(({ body }) => body.includes(prompt))
    // Copilot mixes their order.
    const headers = (found?.headers ?? [])
      .filter(([header]) => !WRITTEN.has(header))
      .toSorted(([one], [other]) => one.localeCompare(other))
    const request = { headers: Object.fromEntries(headers), body: found?.body ?? '', path: found?.target ?? '' }
    return { prompt, request: { ...request, thread: 'main' } }
  })
  if (left === undefined || right === undefined) throw new Error('There are not two sessions.')
  return findDifference(left.request, right.request, [left, right])
}
