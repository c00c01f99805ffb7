import { expect, test } from 'vitest'
import type { Run } from '../../../../src/case/context.ts'
import type { PreparedRun } from '../../../../src/case/replay/run-recorded.ts'
import { INDECISIVE, mayShare, resultKey } from '../../../../src/case/result/result-key.ts'
import { runOptionsOf } from '../../../../src/options/options.ts'
import { resolveOptions } from '../../../../src/options/resolve-options.ts'
import type { RunSettings } from '../../../../src/options/settings.ts'
import { plannedCase } from '../../../support/case-result.ts'
import { evalCase } from '../../../support/eval-case.ts'

const SETTINGS = {
  ...runOptionsOf(resolveOptions({}, {})),
  root: '/repo',
  runFolder: '/repo/.vitest/agent-evals/one',
  controlSocket: '/run/one.sock',
  cache: '/repo/.vitest/agent-evals/cache',
  trial: null,
} as unknown as RunSettings

const CONFIG = { file: '/repo/packages/review/evals/eval-config.json', network: false, env: { A: '1' } }

const RUN = {
  planned: plannedCase('a'),
  suite: { file: '/repo/packages/review/evals/cases/a.yaml', config: CONFIG },
  evalCase: evalCase({ id: 'a' }),
  settings: SETTINGS,
  index: 1,
} as unknown as Run

const INPUT = {
  file: '/repo/packages/review/skills/a/SKILL.md',
  path: 'skills/a/SKILL.md',
  role: 'package',
  part: null,
}

const PREPARED = {
  request: {
    engine: { engine: { name: 'claude-code' }, executable: '/bin/claude', version: '1.0.0' },
    model: 'claude-opus-4-1',
    deadlineMs: 120_000,
    sandbox: { backend: 'bubblewrap', enforced: 'bubblewrap' },
  },
  source: { name: 'replay', recording: { recordedAt: '2026-01-01', answers: ['Hello'] } },
  inputs: [
    { ...INPUT, hash: 'a'.repeat(64) },
    { ...INPUT, file: RUN.suite.file, path: 'evals/cases/a.yaml', role: 'case', hash: 'b'.repeat(64) },
    { ...INPUT, file: CONFIG.file, path: 'evals/eval-config.json', role: 'case', hash: 'c'.repeat(64) },
  ],
  surroundings: 'b',
} as unknown as PreparedRun

const { request, source } = PREPARED
const keyOf = (run: object = {}, prepared: object = {}): string =>
  resultKey({ ...RUN, ...run }, { ...PREPARED, ...prepared })
const withInput = (change: object): string =>
  keyOf({}, { inputs: [...PREPARED.inputs, { ...INPUT, hash: 'd'.repeat(64), ...change }] })
const withEngine = (change: object): string =>
  keyOf({}, { request: { ...request, engine: { ...request.engine, ...change } } })

test.for<readonly [string, () => string]>([
  ['the package', () => keyOf({ planned: { ...RUN.planned, packageRoot: '/repo/packages/other' } })],
  ['the case', () => keyOf({ evalCase: evalCase({ id: 'a', prompt: 'another' }) })],
  ['which of its runs', () => keyOf({ index: 2 })],
  ['the variables of its suite', () => keyOf({ suite: { ...RUN.suite, config: { ...CONFIG, env: { A: '2' } } } })],
  ['a file of the package', () => keyOf({}, { inputs: PREPARED.inputs.map((one) => ({ ...one, hash: 'e' })) })],
  ['a fixture', () => withInput({ file: '/repo/f', path: 'f', role: 'fixture' })],
  ['an overlay', () => withInput({ file: '/repo/o', path: 'o', role: 'overlay' })],
  ['a file of its workspace', () => withInput({ file: '/repo/w', path: 'w', role: 'fixture' })],
  ['the scenario', () => withInput({ file: '/repo/s', path: 's', role: 'scenario' })],
  ['a script that checks it', () => withInput({ file: '/repo/check.sh', path: 'check.sh', role: 'case' })],
  ['the rubric of its agent', () => withInput({ file: '/repo/rubric.md', path: 'rubric.md', role: 'case' })],
  ['the recording', () => keyOf({}, { source: { ...source, recording: { ...source.recording, answers: ['Bye'] } } })],
  ['where answers come from', () => keyOf({}, { source: { ...source, name: 'scenario' } })],
  ['the engine', () => keyOf({ planned: { ...RUN.planned, engineName: 'codex' } })],
  ['its program', () => withEngine({ executable: '/usr/bin/claude' })],
  ['its version', () => withEngine({ version: '1.0.1' })],
  ['the model', () => keyOf({}, { request: { ...request, model: 'claude-haiku-4-5' } })],
  ['the timeout', () => keyOf({}, { request: { ...request, deadlineMs: 60_000 } })],
  ['the sandbox', () => keyOf({}, { request: { ...request, sandbox: { backend: 'none', enforced: 'none (CI)' } } })],
  ['project, programs, variables and modules', () => keyOf({}, { surroundings: 'c' })],
])('another result may follow from %s', ([, changed]) => {
  expect(changed()).not.toBe(keyOf())
})

test.for<readonly [string, object, string, unknown]>([
  ['the platform', process, 'platform', 'sunos'],
  ['the processor', process, 'arch', 'mips'],
  ['the version of Node', process, 'version', 'v99.0.0'],
])('another result may follow from %s', ([, owner, name, value]) => {
  const before = keyOf()
  const kept = Object.getOwnPropertyDescriptor(owner, name)!
  try {
    Object.defineProperty(owner, name, { ...kept, value })
    expect(keyOf()).not.toBe(before)
  } finally {
    Object.defineProperty(owner, name, kept)
  }
})

test('another version of this package has other keys', () => {
  expect(resultKey(RUN, PREPARED, '99.0.0')).not.toBe(keyOf())
})

test('every setting is part of the key, but for those that decide nothing or are in it otherwise', () => {
  const changed = (name: string): string => keyOf({ settings: { ...SETTINGS, [name]: 'something else' } })
  for (const name of Object.keys(SETTINGS))
    expect(changed(name) === keyOf(), `${name} is in the key`).toBe(INDECISIVE.has(name) && name !== 'root')
  expect(Object.keys(SETTINGS).filter((name) => !INDECISIVE.has(name))).toMatchInlineSnapshot(`
    [
      "drift",
      "scenarios",
      "prices",
      "judgeEndpoints",
      "projectCopy",
      "sabotage",
      "readOnlyFixtures",
      "keepWorkspace",
      "passThreshold",
      "triggerThreshold",
      "triggers",
      "hooks",
      "judge",
      "votes",
      "judgeFailedCases",
      "claims",
      "scaffold",
      "mocks",
      "ablation",
      "threshold",
      "judgeModel",
      "model",
      "stopsEarly",
      "trial",
    ]
  `)
})

test.for<readonly [string, boolean, object, object]>([
  ['of a recording', true, {}, {}],
  ['of a scenario', true, {}, { name: 'scenario' }],
  ['of a model', false, {}, { name: 'live' }],
  ['of a model that is recorded', false, {}, { name: 'record' }],
  ['with a network', false, { suite: { ...RUN.suite, config: { ...CONFIG, network: true } } }, {}],
  ['whose workspace is kept', false, { settings: { ...SETTINGS, keepWorkspace: true } }, {}],
])('a result %s may be shared: %s', ([, may, run, changed]) => {
  expect(mayShare({ ...RUN, ...run }, { source: { ...source, ...changed } })).toBe(may)
})

test('the files of case and suite count as what they say: a comment in them decides nothing', () => {
  const inputs = PREPARED.inputs.map((one) => (one.role === 'package' ? one : { ...one, hash: 'e'.repeat(64) }))
  expect(keyOf({}, { inputs })).toBe(keyOf())
})

test('a place decides nothing: neither the line of a case nor the folder of its project', () => {
  expect(keyOf({ evalCase: evalCase({ id: 'a', at: { line: 9, column: 1 } }) })).toBe(keyOf())
  const moved = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll('"/repo', '"/home/me/repo')) as Value
  expect(moved(RUN)).not.toEqual(RUN)
  expect(resultKey(moved(RUN), moved(PREPARED))).toBe(keyOf())
})
