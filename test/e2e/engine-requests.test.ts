// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { findDifference } from '../../src/gateway/first-turn/first-turn.ts'
import { installedEngines } from '../support/conformance/matrix.ts'
import { runLive } from '../support/live-sessions.ts'
import type { RawUpstream } from '../support/raw-upstream.ts'

/** Headers that are of each connection, or that the gateway writes. */
const WRITTEN = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'x-api-key',
])

test(
  'the first requests of two sessions differ where the page says, and no part of a request is refused',
  { tags: ['claude-code', 'codex', 'copilot'] },
  async () => {
    const engines = await installedEngines()
    const runs = await Promise.all(
      [
        ...engines.map((engine) => ({ engine, model: undefined, variable: undefined })),
        ...engines
          .filter(({ name }) => name === 'copilot')
          .map((engine) => ({ engine, model: 'gpt-5', variable: undefined })),
        ...engines
          .filter(({ name }) => name === 'claude-code')
          .map((engine) => ({ engine, model: undefined, variable: 'CLAUDE_CODE_OAUTH_TOKEN' })),
      ].map(async ({ engine, model, variable }) => ({
        engine: engine.name,
        run: await runLive(engine, { names: ['innocent', 'neighbour'], model, variable }),
      })),
    )
    for (const { run } of runs) expect(run.report.cases.flatMap(({ notices }) => notices)).toEqual([])
    // Why only Claude Code answers trigger queries by their first turn, as docs/skill-evals-reference.md says.
    const differences = runs.slice(0, engines.length).map(({ engine, run }) => [engine, firstDifference(run.upstream)])
    expect(Object.fromEntries(differences)).toEqual({
      'claude-code': null,
      codex: expect.stringMatching(/^headers\.x-codex-turn-metadata, .*unix_ms/),
      copilot: expect.stringMatching(/^body\.messages\..*<\/current_datetime>/),
    })
    const oauth = runs.at(-1)?.run.upstream.requests[0]?.headers ?? []
    expect(oauth.find(([name]) => name === 'anthropic-beta')?.[1]).toContain('oauth-2025-04-20')
  },
)

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
