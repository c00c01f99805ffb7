// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { resolveAlias } from '../../src/gateway/budget/price.ts'
import { agreement, ANSWER, runAgainst, runRefused } from '../support/conformance/live.ts'
import { installedEngines } from '../support/conformance/matrix.ts'
import { verdicts } from '../support/eval-project.ts'
import { startFaultyApi } from '../support/faulty-api.ts'

const CASES = 5
const AT_ONCE = 2
const HONEST = ['b-honest PASS', 'c-honest PASS']

const engines = await installedEngines()

// How an engine takes one refusal is its own; the gateway takes each kind of refusal alike.
test.for([
  ...engines.map((engine) => [engine.name, 401, engine] as const),
  ...engines.slice(0, 1).map((engine) => [engine.name, 403, engine] as const),
])(
  '%s: a credential that is refused with %s ends new work, and is not tried again',
  { tags: ['claude-code', 'codex', 'copilot'] },
  async ([, status, engine]) => {
    const { run, requests } = await runRefused(engine, status, CASES)
    const { cases } = run.report
    const errored = cases.filter(({ verdict }) => verdict === 'ERROR')
    const skipped = cases.filter(({ verdict }) => verdict === 'SKIP')
    expect([errored.length + skipped.length, run.report.status], run.finished.all).toEqual([CASES, 'partial'])
    expect(errored.length).toBeLessThanOrEqual(AT_ONCE)
    // Those that were under way, and the one that makes sure.
    expect(requests, run.finished.all).toBeLessThanOrEqual(AT_ONCE + 1)
    const advice = status === 401 ? 'Check that the credential is valid.' : 'Check what the credential may be used for'
    for (const { skip_reason: why } of skipped)
      expect(why).toMatch(new RegExp(`^not-run: The API at \\S+ refuses the credential \\(${status}\\), .*${advice}`))
    for (const { error } of errored) expect(error).toContain(advice)
    expect(run.finished.all).not.toContain('MaxListeners')
  },
)

test.for(engines.map((engine) => [engine.name, engine] as const))(
  '%s: a 403 that a session provoked does not count, and the model that is announced is the one that is asked',
  { tags: ['claude-code', 'codex', 'copilot'] },
  async ([name, engine]) => {
    const models = new Set<unknown>()
    const refused = { status: 403, type: 'permission_error', message: 'not that' }
    await using api = await startFaultyApi((request) => {
      const judged = agreement(request)
      if (judged !== null) return judged
      models.add((JSON.parse(request.body) as { readonly model: unknown }).model)
      return request.body.includes('PROVOKE') ? refused : { text: ANSWER }
    }, 200)
    const checked = { expected: { contains: [ANSWER] } }
    const cases = { 'a-provokes': { ...checked, prompt: 'PROVOKE' }, 'b-honest': checked, 'c-honest': checked }
    const known: Readonly<Record<string, string>> = { 'claude-code': resolveAlias('opus'), codex: 'gpt-6.1-sol' }
    const asked = known[name] === undefined ? { AGENT_EVALS_MODEL: engine.liveModel ?? '' } : {}
    const env = { ...asked, AGENT_EVALS_ALLOW_UNKNOWN_COST: '1' }
    const run = await runAgainst(api, engine, cases, { concurrency: 1 }, env)
    const [provoked, ...honest] = verdicts(run.report)
    expect([provoked, honest], run.finished.all).toEqual(['a-provokes ERROR upstream-failed', HONEST])
    const model = known[name] ?? engine.liveModel ?? ''
    expect(run.finished.all).toContain(
      `agent-evals: model: ${model}${known[name] === undefined ? '' : ` (default of ${name})`};`,
    )
    expect([...models], run.finished.all).toEqual([model])
  },
)
