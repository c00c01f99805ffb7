import { withRemedy } from '../../../../src/lib/errors.ts'
import { createFixture } from 'fs-fixture'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { formatRecording } from '../../../../src/recordings/store.ts'
import { chooseSource, type ChosenSource } from '../../../../src/case/prepare/choose-source.ts'
import type { Recording } from '../../../../src/recordings/recording.ts'
import type { RunSettings } from '../../../../src/options/settings.ts'
import { conversationOf, mainThread, ours, record, turnOf } from '../../../support/recorded-conversation.ts'

const RECORDING = record(conversationOf(mainThread(turnOf({}))), ours({}), {
  model: { given: 'opus', asked: 'claude-opus-5', observed: 'claude-opus-5-1' },
})
const SCRIPTED: Recording = { ...RECORDING, origin: 'scenario' }
const FROM = { recording: RECORDING, scripted: SCRIPTED }

interface Situation {
  readonly holds?: readonly ('recording' | 'scenario' | 'scripted')[]
  readonly key?: boolean
  readonly settings?: Partial<RunSettings>
}

beforeEach(() => {
  for (const name of [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'ATOMIC_AGENTS_ANTHROPIC_KEY',
  ])
    vi.stubEnv(name, undefined)
  return () => vi.unstubAllEnvs()
})

async function choose({ holds = [], key = true, settings = {} }: Situation): Promise<ChosenSource> {
  if (key) vi.stubEnv('ANTHROPIC_API_KEY', 'sk-test-key')
  const file = 'evals/recordings/cases/one/claude-code.1.json'
  await using fixture = await createFixture({
    'evals/cases/one.yaml': '',
    ...Object.fromEntries(
      holds.map((one) =>
        one === 'scenario' ? ['evals/scenarios/one.yaml', 'turns: [Hi.]\n'] : [file, formatRecording(FROM[one])],
      ),
    ),
  })
  const root = fixture.path.replace(/\/$/, '')
  return await chooseSource({
    suite: { file: `${root}/evals/cases/one.yaml`, format: 'aam', packageRoot: root },
    evalCase: { kind: 'task', id: 'one', at: { line: 1, column: 1 }, prompt: 'Say hi.' },
    engineName: 'claude-code',
    wire: 'anthropic-messages',
    settings: {
      root,
      cwd: root,
      command: 'npx vitest run --project evals',
      source: 'auto',
      liveBlockedReason: null,
      onMissingAnswers: 'skipped',
      model: null,
      scenarios: null,
      trial: null,
      engineVersions: {},
      ...settings,
    } as RunSettings,
  })
}

/** What is chosen in a few words. */
async function chosen(situation: Situation): Promise<string> {
  const source = await choose(situation).catch(
    (error: Error & { code?: string }) => `${error.code ?? ''}: ${withRemedy(error)}`,
  )
  if (typeof source === 'string') return source
  if (source.name === null) return `skipped: ${source.reason}`
  const { answers, model, whenStale, rejudge } = source
  const upstream = answers.kind === 'record' ? ` from ${answers.upstream.kind}` : ''
  const asks = model === null ? '' : `, asks ${model}`
  const stale = whenStale === null ? '' : ', goes live when stale'
  return `${source.name}${upstream}${asks}${stale}${rejudge === null ? '' : `, judged again by ${rejudge.kind}`}`
}

const COMMAND = 'npx vitest-agent-evals run'
const PLACE = 'evals/cases/one.yaml:1'
const CI: Partial<RunSettings> = { liveBlockedReason: 'CI is set', onMissingAnswers: 'errored' }
const WATCH: Partial<RunSettings> = { liveBlockedReason: 'runs in watch mode only replay' }
const NOWHERE = 'It has no recording and no scenario'
const SCENARIO = 'Its scenario would be evals/scenarios/one.yaml.'
const MISSING = 'It has no recording, and no scenario at evals/scenarios/one.yaml'

describe('auto', () => {
  test.for<[Situation, string]>([
    [{}, 'record from live'],
    [
      { key: false },
      `skipped: ${MISSING}; no credential is set; set ANTHROPIC_API_KEY. Run it live: ${COMMAND} --record ${PLACE}`,
    ],
    [
      { settings: WATCH },
      `skipped: ${MISSING}; runs in watch mode only replay. Run it live: ${COMMAND} --record ${PLACE}`,
    ],
    [
      { settings: CI },
      `missing-answers: ${NOWHERE}; CI is set.\n${SCENARIO}\nRun it live: ${COMMAND} --record ${PLACE}`,
    ],
    [{ holds: ['scenario'] }, 'scenario'],
    [{ holds: ['scenario'], settings: CI }, 'scenario'],
    [{ holds: ['recording'] }, 'replay, asks claude-opus-5, goes live when stale, judged again by live'],
    [{ holds: ['recording'], key: false }, 'replay, asks claude-opus-5'],
    [{ holds: ['recording'], settings: CI }, 'replay, asks claude-opus-5'],
    [{ holds: ['recording'], settings: WATCH }, 'replay, asks claude-opus-5'],
    // The model that was recorded is asked again by a model, never by a scenario; a stale one stays so beside a scenario.
    [{ holds: ['recording', 'scenario'] }, 'replay, asks claude-opus-5, judged again by live'],
    [{ holds: ['recording', 'scenario'], key: false }, 'replay, asks claude-opus-5'],
    [{ holds: ['scripted', 'scenario'] }, 'replay, judged again by scenario'],
    [{ holds: ['scripted', 'scenario'], settings: CI }, 'replay'],
  ])('%j: %s', async ([situation, expected]) => {
    expect(await chosen(situation)).toBe(expected)
  })
})

test('messages name a scenario by its path below the root', async () => {
  const { answers } = await choose({ holds: ['scenario'] }).then((source) => ({ answers: null, ...source }))
  expect(answers).toMatchObject({ kind: 'scenario', scenario: { file: 'evals/scenarios/one.yaml' } })
})

describe('another model than the recording’s', () => {
  const other: Partial<RunSettings> = { model: 'claude-haiku-5' }

  test.for<[Situation, string]>([
    [
      { holds: ['recording'], settings: { model: 'opus' } },
      'replay, asks claude-opus-5, goes live when stale, judged again by live',
    ],
    [
      { holds: ['recording'], settings: { model: 'claude-opus-5-1' } },
      'replay, asks claude-opus-5, goes live when stale, judged again by live',
    ],
    [{ holds: ['recording'], settings: other }, 'live, asks claude-haiku-5'],
    [{ holds: ['recording'], settings: { ...other, source: 'record' } }, 'record from live, asks claude-haiku-5'],
    [
      { holds: ['recording'], settings: { ...other, source: 'replay' } },
      `missing-answers: Its recording is of claude-opus-5-1, not of claude-haiku-5; source is "replay", which never calls a model.\nRun it live: ${COMMAND} --live ${PLACE}`,
    ],
    [
      { holds: ['recording'], settings: { ...other, ...WATCH } },
      `skipped: Its recording is of claude-opus-5-1, not of claude-haiku-5; runs in watch mode only replay. Run it live: ${COMMAND} --live ${PLACE}`,
    ],
    // Nobody spoke, so nobody is another.
    [{ holds: ['scripted', 'scenario'], settings: other }, 'replay, asks claude-haiku-5, judged again by scenario'],
  ])('%j: %s', async ([situation, expected]) => {
    expect(await chosen(situation)).toBe(expected)
  })
})

describe('asked for', () => {
  test.for<[Situation, string]>([
    [
      { settings: { source: 'replay' } },
      `missing-answers: ${NOWHERE}; source is "replay", which never calls a model.\n${SCENARIO}\nRun it live: ${COMMAND} --record ${PLACE}`,
    ],
    [{ holds: ['recording'], settings: { source: 'replay' } }, 'replay, asks claude-opus-5'],
    [{ holds: ['scenario'], settings: { source: 'replay' } }, 'scenario'],
    [{ holds: ['recording'], settings: { source: 'record' } }, 'record from live, asks opus'],
    [{ holds: ['scenario'], settings: { source: 'record' } }, 'record from live'],
    [{ holds: ['scripted', 'scenario'], settings: { source: 'record' } }, 'record from live'],
    [{ holds: ['recording', 'scenario'], settings: { source: 'record' } }, 'record from live, asks opus'],
    [{ holds: ['recording', 'scenario'], settings: { source: 'live' } }, 'live'],
  ])('%j: %s', async ([situation, expected]) => {
    expect(await chosen(situation)).toBe(expected)
  })
})

test('the scripts of this repository record scenarios', async () => {
  vi.stubEnv('VITEST_AGENT_EVALS_RECORD_SCENARIOS', '1')
  const settings = { source: 'record' } as const
  expect(await chosen({ holds: ['scripted', 'scenario'], settings })).toBe('record from scenario')
  expect(await chosen({ settings })).toBe('record from live')
})

describe('where only the answers of a commit are believed', () => {
  const believed = (blockedReason: string | null = null): NonNullable<RunSettings['requireLive']> => ({
    ref: 'origin/main',
    checkout: '/elsewhere',
    hashes: {},
    blockedReason,
  })
  const none: Partial<RunSettings> = { requireLive: believed() }
  const changed = (why: string, what = 'recording'): string =>
    `recording-changed: Its ${what} differs from the one at origin/main, so the case must run live; ${why}. Run it live: ${COMMAND} --live ${PLACE}`

  test.for<[Situation, string]>([
    [{ holds: ['recording'], settings: none }, 'live'],
    [{ holds: ['recording'], settings: { ...CI, ...none } }, 'live'],
    // A scenario is as much its author's word.
    [{ holds: ['recording', 'scenario'], settings: { ...CI, ...none } }, 'live'],
    [{ holds: ['recording', 'scenario'], settings: { ...none, source: 'record' } }, 'record from live'],
    [{ holds: ['recording'], key: false, settings: none }, changed('no credential is set; set ANTHROPIC_API_KEY')],
    [
      { holds: ['recording', 'scenario'], settings: { ...none, source: 'replay' } },
      changed('source is "replay", which never calls a model'),
    ],
    [
      { holds: ['recording'], settings: { ...WATCH, requireLive: believed(WATCH.liveBlockedReason) } },
      changed('runs in watch mode only replay'),
    ],
    [{ holds: ['scenario'], settings: { ...CI, ...none } }, 'live'],
    [
      { holds: ['scenario'], key: false, settings: { ...CI, ...none } },
      changed('no credential is set; set ANTHROPIC_API_KEY', 'scenario'),
    ],
    [{ holds: ['scenario'], settings: { ...none, source: 'record' } }, 'record from live'],
    [
      { settings: { ...CI, ...none } },
      `missing-answers: ${NOWHERE}; CI is set.\n${SCENARIO}\nRun it live: ${COMMAND} --record ${PLACE}`,
    ],
  ])('%j: %s', async ([situation, expected]) => {
    expect(await chosen(situation)).toBe(expected)
  })
})
