// @module-tag claude-code
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { resolveAlias } from '../../src/gateway/budget/price.ts'
import { ANSWER, runAgainst, runProvoked, runRefused } from '../support/conformance/live.ts'
import { installedEngines } from '../support/conformance/matrix.ts'
import { verdicts } from '../support/eval-project.ts'
import { startFaultyApi } from '../support/faulty-api.ts'

const CASES = 8
const AT_ONCE = 2
const HONEST = ['b-honest PASS', 'c-honest PASS']

describe.for((await installedEngines()).map((engine) => [engine.name, engine] as const))(
  '%s',
  { tags: ['claude-code', 'codex', 'copilot'] },
  ([, engine]) => {
    test.for([401, 403] as const)(
      'a credential that is refused with %s ends new work, and is not tried again',
      async (status) => {
        const { run, requests } = await runRefused(engine, status, CASES)
        const { cases } = run.report
        const errored = cases.filter(({ verdict }) => verdict === 'ERROR')
        const skipped = cases.filter(({ verdict }) => verdict === 'SKIP')
        expect([errored.length + skipped.length, run.report.status], run.finished.all).toEqual([CASES, 'partial'])
        expect(errored.length).toBeLessThanOrEqual(AT_ONCE)
        // Those that were under way, and the one that makes sure.
        expect(requests, run.finished.all).toBeLessThanOrEqual(AT_ONCE + 1)
        const advice =
          status === 401 ? 'Check that the credential is valid.' : 'Check what the credential may be used for'
        for (const { skip_reason: why } of skipped)
          expect(why).toMatch(
            new RegExp(`^not-run: The API at \\S+ refuses the credential \\(${status}\\), .*${advice}`),
          )
        for (const { error } of errored) expect(error).toContain(advice)
        expect(run.finished.all).not.toContain('MaxListeners')
      },
    )

    test('a 403 that a session provoked does not count', async () => {
      const run = await runProvoked(engine, 403)
      const [provoked, ...honest] = verdicts(run.report)
      expect([provoked, honest], run.finished.all).toEqual(['a-provokes ERROR upstream-failed', HONEST])
    })
  },
)

test.for((await installedEngines()).map((engine) => [engine.name, engine] as const))(
  'the model that is announced for %s is the one that it asks',
  { tags: ['claude-code', 'codex', 'copilot'] },
  async ([name, engine]) => {
    const models = new Set<unknown>()
    await using api = await startFaultyApi(({ body }) => {
      models.add((JSON.parse(body) as { readonly model: unknown }).model)
      return { text: ANSWER }
    })
    const known: Readonly<Record<string, string>> = { 'claude-code': resolveAlias('opus'), codex: 'gpt-6.1-sol' }
    const asked = known[name] === undefined ? { AGENT_EVALS_MODEL: engine.liveModel ?? '' } : {}
    const env = { ...asked, AGENT_EVALS_ALLOW_UNKNOWN_COST: '1' }
    const run = await runAgainst(api, engine, { one: { expected: { contains: [ANSWER, 'never'] } } }, {}, env)
    const model = known[name] ?? engine.liveModel ?? ''
    expect(run.finished.all).toContain(
      `agent-evals: model: ${model}${known[name] === undefined ? '' : ` (default of ${name})`};`,
    )
    expect([...models], run.finished.all).toEqual([model])
  },
)
