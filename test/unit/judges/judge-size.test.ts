import { createFixture } from 'fs-fixture'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { askJudge } from '../../../src/judges/judge.ts'
import { byCriteria, type CriteriaQuestion } from '../../../src/judges/methods/criteria.ts'
import { anthropicProvider } from '../../../src/judges/providers/api.ts'
import { knownKindsIn } from '../../../src/judges/known-kinds.ts'
import { agentRun } from '../../support/agent-run.ts'
import { HONEST_RUNS } from '../../support/honest-verdicts.ts'
import { call, result } from '../../support/judge-attack.ts'
import { startModelJudge, type ModelJudge } from '../../support/model-judge.ts'

const PROOFS = new Map(HONEST_RUNS.flatMap(({ statements }) => statements.map((one) => [one.text, one] as const)))

const MADE_UP: (typeof HONEST_RUNS)[number]['statements'][number] = {
  text: '',
  about: 'deeds',
  absent: false,
  item: 'e1',
  quote: '{"command":"npm test"}',
}

/** Says what a person says, with the quotes of an honest judge; of a made up run always the same. */
const HONEST: ModelJudge = {
  kindOf(text) {
    const { about = 'deeds', absent = false } = PROOFS.get(text) ?? {}
    return { about, absent }
  },
  verdictOn(text) {
    const { item, quote, also = [], looked_for = [], verdict = 'pass' } = PROOFS.get(text) ?? MADE_UP
    const evidence = [[item, quote] as const, ...also].flatMap(([id, words]) =>
      words === '' ? [] : [{ item: id, quote: words }],
    )
    return { verdict, reason: 'r', evidence, looked_for, weak: '' }
  },
}

const LOGGED = agentRun({ output: 'I ran the tests. All 3 pass.' }, [
  call('Bash', { command: 'npm test' }),
  result('3 passed, 0 failed'),
  { kind: 'message', agent: null, text: 'I ran the tests. All 3 pass.' },
  result('a line of a log\n'.repeat(900)),
])

/** Ten cases with a log each, and ten of the runs of the honest verdicts: five statements each, as public evals have. */
const SUITES: Readonly<Record<string, readonly CriteriaQuestion[]>> = {
  logs: Array.from({ length: 10 }, (_case, one) => {
    const statements = Array.from({ length: 5 }, (_statement, two) => `It did ${one}-${two}.`)
    return { criteria: 'c', prompt: 'Run the tests.', run: LOGGED, files: [], statements }
  }),
  'honest runs': [...HONEST_RUNS, ...HONEST_RUNS].slice(0, 10).map(({ prompt, run, files, statements: all }, index) => {
    const statements = all.slice(...(index < HONEST_RUNS.length ? [0, 5] : [5, 10])).map(({ text }) => text)
    return { criteria: statements.join('\n'), prompt, run, files, statements }
  }),
}

// Characters of all requests for the same suites at commit 302723ba, which asked once for each case.
const BEFORE = { logs: 127_590, 'honest runs': 143_141 }

test.for(['logs', 'honest runs'] as const)('ten cases of %s cost little more to judge than before', async (name) => {
  const api = await startModelJudge(HONEST)
  const folder = await createFixture({})
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: api.url }
  const gateway = await startGateway({ concurrency: 4, maxCostUsd: 100, environment })
  onTestFinished(async () => {
    await gateway.close()
    await api[Symbol.asyncDispose]()
    await folder.rm()
  })
  const judgeAll = async (): Promise<number> => {
    const before = api.requests.length
    await Promise.all(
      (SUITES[name] ?? []).map(async (question) =>
        askJudge({
          label: 'case',
          method: byCriteria(question, 1),
          choice: { provider: 'anthropic', model: 'claude-opus-5-5', isDefault: false },
          provider: anthropicProvider,
          source: { kind: 'live' },
          knownKinds: knownKindsIn(folder.path),
          controlSocket: gateway.controlSocket,
          signal: new AbortController().signal,
        }),
      ),
    )
    return api.requests.slice(before).reduce((total, { body }) => total + body.length, 0)
  }
  const first = await judgeAll()
  const second = await judgeAll()
  expect(first / BEFORE[name]).toBeLessThanOrEqual(1.2)
  expect(second / BEFORE[name]).toBeLessThanOrEqual(1.05)
})
