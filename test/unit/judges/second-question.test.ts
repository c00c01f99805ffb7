import { createFixture } from 'fs-fixture'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { askJudge, type JudgeRequest, type Judged } from '../../../src/judges/judge.ts'
import { byCriteria } from '../../../src/judges/methods/criteria.ts'
import { anthropicProvider } from '../../../src/judges/providers/api.ts'
import { hashJudge, recordJudge } from '../../../src/judges/judge-lease.ts'
import { knownKindsIn, readKinds } from '../../../src/judges/known-kinds.ts'
import { agentRun } from '../../support/agent-run.ts'
import { call, result } from '../../support/judge-attack.ts'
import { startModelJudge, type ModelJudge } from '../../support/model-judge.ts'
import type { Upstream } from '../../support/upstream.ts'

const RUN = agentRun({ output: 'I ran the tests. All 3 pass.' }, [
  call('Bash', { command: 'npm test' }),
  result('3 passed, 0 failed'),
  { kind: 'message', agent: null, text: 'I ran the tests. All 3 pass.' },
])
const QUESTION = { criteria: 'c', prompt: 'Run the tests.', run: RUN, files: [] }
const CHOICE = { provider: 'anthropic', model: 'claude-opus-5-5', isDefault: false } as const

/** Asks a judge on the loopback about runs, with one memory for what statements are about. */
async function withJudge(judge: ModelJudge): Promise<{
  readonly api: Upstream
  readonly folder: string
  ask(statements: readonly string[], more?: Partial<JudgeRequest>): Promise<Judged>
}> {
  const api = await startModelJudge(judge)
  const folder = await createFixture({})
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: api.url }
  const gateway = await startGateway({ concurrency: 4, maxCostUsd: 100, environment })
  onTestFinished(async () => {
    await gateway.close()
    await api[Symbol.asyncDispose]()
    await folder.rm()
  })
  return {
    api,
    folder: folder.path,
    ask: (statements, more = {}) =>
      askJudge({
        label: 'case',
        method: byCriteria({ ...QUESTION, statements }, 1),
        choice: CHOICE,
        provider: anthropicProvider,
        source: { kind: 'live' },
        knownKinds: knownKindsIn(folder.path),
        controlSocket: gateway.controlSocket,
        signal: new AbortController().signal,
        ...more,
      }),
  }
}

const DEED = { about: 'deeds', absent: false } as const
const claim = { item: 'm3', quote: 'I ran the tests. All 3 pass.' }
const proof = { item: 'e1', quote: '{"command":"npm test"}' }
const passes = (evidence: readonly (typeof proof)[]): ReturnType<ModelJudge['verdictOn']> => {
  return { verdict: 'pass', reason: 'It did.', evidence, looked_for: [], weak: '' }
}

test('a refused verdict is asked for once more, alone and with the reason, and what counts is stored', async () => {
  const { api, ask } = await withJudge({
    kindOf: () => DEED,
    verdictOn: (statement, { isSecond }) => passes([statement.includes('tests') && !isSecond ? claim : proof]),
  })
  const judged = await ask(['It ran a command.', 'It ran the tests.'])
  expect(judged.part).toMatchObject({
    result: 'passed',
    // What the refused statement is about is asked once more too.
    requests: 4,
    statements: [{ rests: 'evidence' }, { rests: 'evidence', evidence: [proof], kind: { ...DEED, by: 'judge' } }],
  })
  const second = JSON.parse(api.requests.at(-1)?.body ?? '') as { readonly messages: readonly [{ content: string }] }
  expect(second.messages[0].content).toContain(
    "statement 2: the quote is the agent's own word, which does not prove what it did or made",
  )
  expect(second.messages[0].content).not.toContain('1. It ran a command.')

  // A replay asks once, and says the same.
  const statements = ['It ran a command.', 'It ran the tests.']
  const method = byCriteria({ ...QUESTION, statements }, 1)
  const stored = JSON.parse(JSON.stringify(recordJudge(method, hashJudge(method, CHOICE), judged)))
  const replayed = await ask(statements, { source: { kind: 'recorded', judge: stored, file: 'case.json' } })
  expect(replayed.part).toMatchObject({ result: 'passed', requests: 1 })
  expect(replayed.part.statements).toEqual(judged.part.statements)
})

test('a second answer that is no better leaves the statement unscored', async () => {
  const { ask } = await withJudge({ kindOf: () => DEED, verdictOn: () => passes([claim]) })
  const { part } = await ask(['It ran the tests.'])
  expect(part).toMatchObject({ result: 'errored', requests: 4 })
})

test('what statements are about is asked once, and kept for later runs', async () => {
  const { api, ask, folder } = await withJudge({ kindOf: () => DEED, verdictOn: () => passes([proof]) })
  const kinds = (): number => api.requests.filter(({ body }) => body.includes('Now say what each of')).length
  await Promise.all([ask(['It ran a command.', 'It ran the tests.']), ask(['It used npm.'])])
  expect(kinds()).toBe(2)
  await ask(['It ran a command.', 'It used npm.'])
  expect(kinds()).toBe(2)
  const known = readKinds(folder)({ task: QUESTION.prompt, statements: ['It used npm.', 'Nobody asked.'] })
  expect(known).toEqual([{ ...DEED, by: 'judge' }, null])
})

test.for([
  ['mark', 'passed', 'claim', 1],
  ['accept', 'passed', 'claim', 0],
  ['error', 'errored', undefined, 0],
] as const)('a verdict that only the agent proves: claims %s', async ([claims, outcome, rests, notices]) => {
  const { ask } = await withJudge({
    kindOf: () => ({ about: 'either', absent: false }),
    verdictOn: () => passes([claim]),
  })
  const { part } = await ask(['It ran the tests.'], { claims })
  expect(part.result).toBe(outcome)
  expect(part.statements[0]?.rests).toBe(rests)
  expect(part.notices.filter((notice) => notice.includes('own words'))).toHaveLength(notices)
})

test('a heading costs no verdict, and a file that is not there is absent', async () => {
  const { ask } = await withJudge({
    kindOf: (statement) => ({ about: statement === 'Scope' ? 'nothing' : 'work', absent: false }),
    verdictOn: (statement) =>
      statement === 'Scope'
        ? { verdict: 'unscored', reason: 'A heading.', evidence: [], looked_for: [], weak: '' }
        : { verdict: 'fail', reason: 'No file.', evidence: [], looked_for: ['report.md'], weak: '' },
  })
  const { part } = await ask(['Scope', 'The report has a title.'])
  expect(part.statements).toMatchObject([
    { verdict: 'pass', weak: 'It demands nothing of the run.' },
    { verdict: 'fail', rests: 'absence' },
  ])
})

test('what a refused statement is about is asked once more without the run, and a difference makes it open', async () => {
  const { api, ask, folder } = await withJudge({
    kindOf: (_, { user }) => (user.includes('read by several people') ? { about: 'words', absent: false } : DEED),
    verdictOn: () => passes([claim]),
  })
  const { part, kinds } = await ask(['It says that it ran the tests.'])
  expect(part).toMatchObject({
    result: 'passed',
    requests: 3,
    statements: [{ rests: 'claim' }],
  })
  expect(kinds).toEqual([{ about: 'either', absent: false, by: 'judge' }])
  const asked = api.requests.filter(({ body }) => body.includes('Now say what each of'))
  expect(asked).toHaveLength(2)
  expect(asked.map(({ body }) => body.includes('All 3 pass'))).toEqual([false, false])

  // It is known from then on, and is not asked a third time.
  const again = await ask(['It says that it ran the tests.'])
  expect(again.part).toMatchObject({ result: 'passed', requests: 1 })
  const known = readKinds(folder)({ task: QUESTION.prompt, statements: ['It says that it ran the tests.'] })
  expect(known).toEqual(kinds)
})

test('with several votes the second question is asked once, after the majority', async () => {
  const { api, ask } = await withJudge({
    kindOf: () => DEED,
    verdictOn: (statement, { isSecond }) => passes([statement.includes('tests') && !isSecond ? claim : proof]),
  })
  const statements = ['It ran a command.', 'It ran the tests.']
  const { part } = await ask(statements, { method: byCriteria({ ...QUESTION, statements }, 3) })
  expect(part).toMatchObject({ result: 'passed', votes: 2 })
  const seconds = api.requests.filter(({ body }) => body.includes('Earlier verdicts on these statements'))
  expect(seconds).toHaveLength(1)
  expect(api.requests.indexOf(seconds[0]!)).toBe(api.requests.length - 1)
})

test('a verdict that the votes do not need is not asked for again', async () => {
  let votes = 0
  const { api, ask } = await withJudge({
    kindOf: () => DEED,
    verdictOn: () => passes([(votes += 1) === 1 ? claim : proof]),
  })
  const statements = ['It ran the tests.']
  const { part } = await ask(statements, { method: byCriteria({ ...QUESTION, statements }, 3) })
  expect(part).toMatchObject({ result: 'passed', votes: 3 })
  expect(api.requests.filter(({ body }) => body.includes('Earlier verdicts'))).toEqual([])
})

test('a statement that omitted evidence leaves open is asked about again, with that evidence', async () => {
  const logs = Array.from({ length: 4 }, (_, index) => [
    call('Bash', { command: `./part-${index}.sh` }, `${index}`),
    result(
      `${'a line of a log\n'.repeat(360)}the sum is ${index + 40}\n${'a line of a log\n'.repeat(360)}`,
      `${index}`,
    ),
  ]).flat()
  const run = agentRun({ output: 'Done.' }, logs)
  const { ask } = await withJudge({
    kindOf: () => DEED,
    verdictOn: (_, { user }) =>
      user.includes('the sum is 42')
        ? passes([{ item: 'e6', quote: 'the sum is 42' }])
        : { verdict: 'unscored', reason: 'It is cut.', evidence: [], looked_for: [], weak: '' },
  })
  const statements = ['The third part came to its end.']
  const { part } = await ask(statements, { method: byCriteria({ ...QUESTION, run, statements }, 1) })
  expect(part).toMatchObject({ result: 'passed', statements: [{ rests: 'evidence' }] })
})

test('another task, model or statement is asked about anew, and a run or an arm is not', async () => {
  const { api, ask } = await withJudge({ kindOf: () => DEED, verdictOn: () => passes([proof]) })
  const statements = ['It ran a command.']
  const asks = async (more: Partial<JudgeRequest>): Promise<number> => {
    const before = api.requests.length
    await ask(statements, more)
    return api.requests.slice(before).filter(({ body }) => body.includes('Now say what each of')).length
  }
  expect(await asks({})).toBe(1)
  expect(await asks({})).toBe(0)
  const run = agentRun({ output: 'Another arm.' }, [call('Bash', { command: 'npm test' })])
  expect(await asks({ label: 'case@without_skill', method: byCriteria({ ...QUESTION, run, statements }, 1) })).toBe(0)
  expect(await asks({ method: byCriteria({ ...QUESTION, prompt: 'Explain the tests.', statements }, 1) })).toBe(1)
  expect(await asks({ choice: { ...CHOICE, model: 'claude-sonnet-4-5' } })).toBe(1)
  expect(await asks({ method: byCriteria({ ...QUESTION, statements: ['It ran two commands.'] }, 1) })).toBe(1)
})
