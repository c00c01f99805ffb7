// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
// @module-tag long
import type { FileTree } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { sumOf } from '../../src/lib/lists.ts'
import type { ReportCase } from '../../src/report/report.ts'
import { ENGINES, type ConformingEngine } from '../support/conformance/engines.ts'
import { config } from '../support/eval-project.ts'
import { isForgingPossible } from '../support/forged-lines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { startModelApis, type ApiRequest, type ApiTurn } from '../support/model-apis.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { openPlace, whyNoSandboxRuntime } from '../support/sandbox-runtime.ts'
import { expectOutcomes, type OutcomeRow } from '../support/security-page.ts'
import { runEvals, skill } from '../support/skill-project.ts'
import { asksFirst, ASKS, ATTACKS, BODY, FORGERIES, turnsOf, type TriggerAttack } from '../support/trigger-attacks.ts'

const USES = 'uses the skill'
const DELEGATES = 'has a sub-agent use it'
const TASK = 'Look around.'
const MODELS: Readonly<Record<string, string>> = { codex: 'gpt-5' }

interface Asked {
  readonly engine: ConformingEngine
  readonly attacks: Readonly<Record<string, TriggerAttack>>
  readonly sandbox: string
  readonly triggers: string
  /** Hooks of the package, in which no session is honest. */
  readonly hooks?: FileTree
}

/** What came of each query, by its text. */
type Outcomes = Readonly<Record<string, string>>

/** Whose the queries of all sessions are: those of the attacks, and honest ones. */
function queriesOf({ engine, attacks, hooks }: Asked): readonly string[] {
  if (hooks !== undefined) return Object.keys(attacks)
  // The tools of Codex for sub-agents are not there without a search that only a real model of it makes.
  return [...Object.keys(attacks), USES, ...(engine.name === 'codex' ? [] : [DELEGATES])]
}

function answer(asked: Asked, { body, path }: ApiRequest, count: number): readonly ApiTurn[] {
  const { engine, attacks } = asked
  if (body.includes(ASKS.refusal)) return ['No.']
  if (body.includes(ASKS.use) || body.includes(USES)) return [engine.skill('notes'), 'Done.']
  if (body.includes(DELEGATES)) return [...engine.delegate(TASK, []).flatMap(callsOf), 'Done.']
  if (body.includes(TASK)) return [engine.skill('notes'), 'I looked.']
  const query = Object.keys(attacks).find((one) => body.includes(one))
  if (query === undefined) return ['No.']
  const ended = /\b(?:toolu|call)_\d+\b/.exec(body)?.[0] ?? ''
  const open = `${path.endsWith('/messages') ? 'toolu' : 'call'}_${count}`
  return turnsOf(attacks[query]!, engine, { query, ids: { ended, open } })
}

function callsOf(turn: ReturnType<ConformingEngine['delegate']>[number]): readonly ApiTurn[] {
  return typeof turn === 'object' && 'tools' in turn ? turn.tools : []
}

async function filesOf(asked: Asked): Promise<FileTree> {
  const { engine, sandbox, hooks } = asked
  const options = { sandbox, engine: engine.name, engines: { [engine.name]: await engine.program() } }
  return {
    'package.agent.json': '{ "name": "sample", "version": "1.2.3" }',
    'vitest.config.ts': config(JSON.stringify(options)),
    'skills/notes/SKILL.md': skill('notes', 'Writes release notes. Use it for release notes.', BODY),
    'skills/letters/SKILL.md': skill('letters', 'Writes letters. Use it for letters.', 'Begin each letter politely.'),
    'skills/notes/evals/triggers.json': JSON.stringify(
      queriesOf(asked).map((query) => ({ query, should_trigger: [USES, DELEGATES].includes(query) })),
    ),
    ...hooks,
  }
}

/** Asks all queries of an engine once, of a model that uses the skill only where it is told so. */
async function ask(asked: Asked): Promise<Outcomes> {
  await using project = await createProject(repositoryVitest(), await filesOf(asked))
  return await askIn(project, asked)
}

async function askIn(
  project: TestProject,
  asked: Asked,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcomes> {
  const { engine, triggers, attacks } = asked
  await using apis = await startModelApis((request) => answer(asked, request, apis.requests.length))
  const { report, all } = await runEvals(project, [], {
    ...(await engine.variables?.()),
    ...env,
    ANTHROPIC_BASE_URL: apis.url,
    OPENAI_BASE_URL: `${apis.url}/v1`,
    ANTHROPIC_API_KEY: 'sk-ant-api03-scripted',
    OPENAI_API_KEY: 'sk-real-1234567890abcdef',
    AGENT_EVALS_SOURCE: 'live',
    AGENT_EVALS_RUNS: '1',
    AGENT_EVALS_MAX_COST_USD: '1000',
    AGENT_EVALS_TIMEOUT: '90',
    AGENT_EVALS_TRIGGERS: triggers,
    AGENT_EVALS_MODEL: MODELS[engine.name] ?? 'claude-sonnet-4-5',
  })
  // An attack that does not work at all would be repelled, too.
  const forged = apis.requests.filter(({ body }) => Object.values(ASKS).some((mark) => body.includes(mark)))
  const expected = sumOf(Object.values(attacks), ({ asks = 0 }) => asks)
  expect(forged.length, all).toBeGreaterThanOrEqual(expected)
  const found = Object.fromEntries(report.cases.map((one) => [one.name, outcomeOf(one)]))
  expect(found, all).toEqual({
    ...Object.fromEntries(Object.entries(attacks).map(([query, { ends }]) => [query, ends])),
    ...Object.fromEntries(queriesOf(asked).flatMap((query) => (query in attacks ? [] : [[query, 'fired']]))),
  })
  return found
}

function outcomeOf({ trigger, error_code: code }: Pick<ReportCase, 'error_code' | 'trigger'>): string {
  if (trigger?.completed !== 1) return `errored: \`${code}\``
  return trigger.fired === 1 ? 'fired' : 'not fired'
}

/** Only the first turns of Claude Code are looked at before a session is. */
function modesOf({ name }: ConformingEngine): readonly string[] {
  return name === 'claude-code' ? ['full', 'auto'] : ['full']
}

const bubblewrap = await probeBubblewrap(process.env)

describe.skipIf(!bubblewrap.works)('no session decides its trigger query', () => {
  const ended: { readonly engine: string; readonly outcomes: Outcomes }[] = []
  for (const engine of ENGINES)
    for (const triggers of modesOf(engine))
      test(`of ${engine.name}, asked by ${triggers}`, { tags: [engine.name] }, async ({ skip: skipTest }) => {
        if ((await engine.program()) === null) return skipTest('its program is not installed')
        const outcomes = await ask({ engine, attacks: ATTACKS, sandbox: 'bubblewrap', triggers })
        if (triggers === 'full') ended.push({ engine: engine.name, outcomes })
      })

  test('ends as SECURITY.md has it', async ({ skip: skipTest }) => {
    if (ended.length < ENGINES.length) return skipTest('not all engines were tried')
    const rows = Object.keys(ended[0]!.outcomes)
      .toSorted()
      .map((query): OutcomeRow => [query, ...ended.map(({ outcomes }) => outcomes[query] ?? '-')])
    await expectOutcomes('triggers', ['session', ...ended.map(({ engine }) => engine)], rows)
  })

  for (const engine of ENGINES)
    test.for(modesOf(engine))(
      `nor does a hook of its package that asks before ${engine.name}, by %s`,
      { tags: [engine.name] },
      async (triggers, { skip: skipTest }) => {
        if ((await engine.program()) === null) return skipTest('its program is not installed')
        const hook = { type: 'command', command: 'sh "${PACKAGE_ROOT}/hooks/ask.sh"' }
        const hooks = {
          'hooks/hooks.json': JSON.stringify({ version: 1, hooks: { 'pre-prompt': [{ hooks: [hook] }] } }),
          'hooks/ask.sh': asksFirst(engine),
        }
        const attacks = { 'says no': { command: () => 'true', asks: 2, ends: 'errored: `records-differ`' } }
        await ask({ engine, attacks, sandbox: 'bubblewrap', triggers, hooks })
      },
    )
})

const noRuntime = await whyNoSandboxRuntime()
test.skipIf(noRuntime !== null)('nor in sandbox-runtime, as another user', { tags: ['claude-code'] }, async () => {
  const asked = { engine: ENGINES[0]!, attacks: ATTACKS, sandbox: 'sandbox-runtime', triggers: 'auto' }
  const files = await filesOf(asked)
  await using place = await openPlace((major) => createProject(major, files))
  await askIn(place.project, asked, place.env)
})

describe.skipIf(!isForgingPossible)('nor without a sandbox, by what it writes to the stream', () => {
  for (const engine of ENGINES.filter(({ name }) => name in FORGERIES))
    test.for(modesOf(engine))(
      `of ${engine.name}, asked by %s`,
      { tags: [engine.name] },
      async (triggers, { skip: skipTest }) => {
        if ((await engine.program()) === null) return skipTest('its program is not installed')
        await ask({ engine, attacks: FORGERIES[engine.name]!, sandbox: 'none', triggers })
      },
    )
})
