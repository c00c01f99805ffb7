import { expect, test } from 'vitest'
import { resolveOptions } from '../../../src/options/resolve-options.ts'
import type { AgentEvalsOptions } from '../../../src/options/options.ts'

test('nothing said leaves the choice to suite and format', () => {
  const options = resolveOptions({}, {})
  expect(options).toMatchObject({
    name: 'evals',
    when: 'named',
    engine: { environment: null, option: null },
    timeout: { environment: null, option: null },
    source: 'auto',
    sandbox: 'auto',
    model: null,
    target: null,
    concurrency: null,
    keepWorkspace: false,
    dryRun: false,
    report: null,
  })
})

test('the environment wins over the option, and both are kept apart where a suite may stand between', () => {
  const options = resolveOptions(
    { engine: 'claude-code', timeout: 60, source: 'replay', sandbox: 'prefer' },
    { AGENT_EVALS_ENGINE: 'codex', AGENT_EVALS_TIMEOUT: '90', AGENT_EVALS_SOURCE: 'live', AGENT_EVALS_SANDBOX: 'none' },
  )
  expect(options.engine).toEqual({ environment: 'codex', option: 'claude-code' })
  expect(options.timeout).toEqual({ environment: 90, option: 60 })
  expect(options).toMatchObject({ source: 'live', sandbox: 'none' })
})

test('switches are read as words, and an empty variable says nothing', () => {
  const options = resolveOptions(
    { keepWorkspace: true },
    { AGENT_EVALS_DRY_RUN: '1', AGENT_EVALS_KEEP_WORKSPACE: 'false', AGENT_EVALS_REPORT: '0', AGENT_EVALS_MODEL: '' },
  )
  expect(options).toMatchObject({ dryRun: true, keepWorkspace: false, report: false, model: null })
})

test.for([
  [{ timeout: 0 }, {}, 'option `timeout` of agentEvals() is 0: must be more than 0.'],
  [{ runs: '3' }, {}, 'option `runs` of agentEvals() is "3": expected a number.'],
  [{ concurency: 4 }, {}, 'option `concurency` of agentEvals() is not known. Did you mean `concurrency`?'],
  [{ colour: 4 }, {}, 'option `colour` of agentEvals() is not known. Known: ablation, against, agentsRoot, '],
  [{ prices: { a: { input: 'x' } } }, {}, 'option `prices.a.input` of agentEvals() is "x": expected a number.'],
  [{ prices: { a: { input: 1 } } }, {}, 'option `prices.a.output` of agentEvals() is missing: expected a number.'],
  [null, {}, 'The argument of agentEvals() is null: expected an object.'],
  [{ target: 'pdf-tools' }, {}, 'expected skill:<name>, hook:<event> or agent:<name>'],
  [{}, { AGENT_EVALS_SOURCE: 'cheap' }, 'AGENT_EVALS_SOURCE is "cheap"'],
  [{}, { AGENT_EVALS_SOURCE: 'reply' }, '"replay". Did you mean "replay"?'],
  [{ sandbox: 'bwrap' }, {}, 'option `sandbox` of agentEvals() is "bwrap": expected '],
  [{ sandbox: 'bubblewarp' }, {}, ' Did you mean "bubblewrap"?'],
  [{ maxCost: 4 }, {}, 'option `maxCost` of agentEvals() is not known. Did you mean `maxCostUsd`?'],
  [{ prices: { a: { inptu: 1 } } }, {}, 'option `prices.a.inptu` of agentEvals() is not known. Did you mean `input`?'],
  [{ engines: { claude: '/bin/claude' } }, {}, 'Did you mean "claude-code"?'],
  [{ engines: { mine: '/bin/mine' } }, {}, 'option `engines.mine` of agentEvals() is "/bin/mine": '],
  [{}, { AGENT_EVALS_MAX_COST_USD: '-1' }, 'AGENT_EVALS_MAX_COST_USD is "-1": must be at least 0.'],
  [{}, { AGENT_EVALS_MAX_COST_USD: ' ' }, 'AGENT_EVALS_MAX_COST_USD is " ": expected a number.'],
  [{}, { AGENT_EVALS_MAX_COST_USD: 'Infinity' }, 'AGENT_EVALS_MAX_COST_USD is "Infinity"'],
  [{}, { AGENT_EVALS_JUDGE: 'claude:opus' }, 'it names the provider "claude". Did you mean "claude-code"? Use '],
  [{}, { AGENT_EVALS_TIMEOUT: 'soon' }, 'AGENT_EVALS_TIMEOUT is "soon": expected a number.'],
  [{}, { AGENT_EVALS_RUNS: '0' }, 'AGENT_EVALS_RUNS is "0": must be at least 1.'],
  // Found out by a judge, this would have cost the agent's run.
  [{}, { AGENT_EVALS_JUDGE: 'foo:bar' }, 'AGENT_EVALS_JUDGE is "foo:bar": it names the provider "foo". Use '],
  [{ judge: 'anthropic:' }, {}, 'option `judge` of agentEvals() is "anthropic:": it names no model.'],
  [{}, { AGENT_EVALS_DRY_RUN: 'maybe' }, 'AGENT_EVALS_DRY_RUN is "maybe"'],
] as const)('%j with %j is refused by name', ([options, environment, message]) => {
  expect(() => resolveOptions(options as AgentEvalsOptions, environment)).toThrow(
    expect.objectContaining({
      code: 'invalid-options',
      message: expect.stringContaining(message),
      // Vitest prints it.
      stack: expect.not.stringContaining('\n'),
    }),
  )
})
