import { expect, onTestFinished, test } from 'vitest'
import { judgeCase } from '../../../../src/case/judge/judge-case.ts'
import { startGateway } from '../../../../src/gateway/gateway.ts'
import { judgeProviders } from '../../../../src/judges/providers/registry.ts'
import { scenarioOf } from '../../../support/gateway.ts'
import { agentRun } from '../../../support/agent-run.ts'
import type { JudgeProviderKind } from '../../../../src/judges/providers/provider.ts'
import type { RunSettings } from '../../../../src/settings.ts'

/** A judge that reads the prompt itself. */
const toy: JudgeProviderKind = {
  wire: 'anthropic-messages',
  recognises: (model) => model.startsWith('toy-'),
  missing: () => null,
  hint: () => null,
  open: () =>
    Promise.resolve({
      wire: 'anthropic-messages',
      resolveModel: (model) => Promise.resolve(model),
      ask({ prompt, model }) {
        const { user, system } = prompt
        const nonce = /[0-9a-f]{16,}/.exec(user + system)?.[0] ?? ''
        const reason = `${model} read it.`
        const verdict = {
          statement: 1,
          reason,
          evidence: [{ item: 'm0', quote: 'Hello, World' }],
          verdict: 'pass',
          weak: '',
        }
        return Promise.resolve({ kind: 'json', value: { nonce, verdicts: [verdict], orders: '' } })
      },
    }),
}

test.for(['toy:toy-judge', 'toy-judge'])('a provider that is added to the list judges a case: %s', async (asked) => {
  const gateway = await startGateway({ concurrency: 1, maxCostUsd: 10, environment: {} })
  onTestFinished(() => gateway.close())
  const { part } = await judgeCase({
    label: 'evals/cases/case.yaml#case',
    question: {
      criteria: 'It says hello.',
      statements: ['It says hello.'],
      prompt: 'Say hello.',
      run: agentRun({ output: 'Hello, World' }),
      files: [],
    },
    judge: asked,
    votes: 1,
    source: { kind: 'scenario', scenario: scenarioOf('turns: [Hello.]\njudge:\n  - never asked') },
    settings: {
      controlSocket: gateway.controlSocket,
      runFolder: '/nowhere/run',
      lists: { judgeProviders: { toy, ...judgeProviders } },
    } as unknown as RunSettings,
    signal: new AbortController().signal,
  })
  expect(part).toMatchObject({ result: 'passed', reason: 'toy-judge read it.', provider: 'toy', model: 'toy-judge' })
})
