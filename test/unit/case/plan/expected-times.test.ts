import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createCutter, planCases } from '../../../../src/case/plan/plan.ts'
import { expectTimes, type TimeSettings } from '../../../../src/case/plan/expected-times.ts'
import { AAM_DEFAULTS } from '../../../../src/formats/aam/aam-defaults.ts'
import { evalCase } from '../../../support/eval-case.ts'
import type { Suite } from '../../../../src/formats/suite.ts'

const NONE = { environment: null, option: null }
const SETTINGS = {
  engine: NONE,
  model: null,
  runs: NONE,
  measureNoise: false,
  source: 'live',
  shardTimes: null,
} as const

/** The fields that times are read from. */
function recording(parts: object): string {
  return JSON.stringify({ version: 1, origin: 'claude', ...parts })
}

const turns = (count: number): object => ({ lanes: [{ turns: Array.from({ length: count }, () => ({})) }] })

function suite(root: string, ids: readonly string[]): Suite {
  return {
    format: 'aam',
    file: `${root}/evals/cases/a.yaml`,
    packageRoot: root,
    config: AAM_DEFAULTS,
    cases: ids.map((id) => evalCase({ id })),
    issues: [],
  }
}

const RECORDINGS = {
  'package.agent.json': '{}',
  'evals/recordings/cases/timed/claude-code.1.json': recording({ durationMs: 90_000, ...turns(30) }),
  'evals/recordings/cases/timed/claude-code.2.json': recording({ durationMs: 30_000, ...turns(10) }),
  'evals/recordings/cases/old/claude-code.1.json': recording({ usage: { outputTokens: 600 }, ...turns(5) }),
  'evals/recordings/cases/written/claude-code.1.json': recording({
    origin: 'scenario',
    durationMs: 1000,
    ...turns(2),
  }),
  'evals/recordings/cases/broken/claude-code.1.json': '{',
  'evals/recordings/evals/b/first/claude-code.1.json': recording({ durationMs: 5000 }),
}

test.for([
  // Live: the time of the run, or an estimate where it is not stored; of a third run that of the others.
  ['live', { timed: 180, old: 20, written: null, broken: null, none: null }],
  ['record', { timed: 180, old: 20, written: 1, broken: null, none: null }],
  // Replays wait for no model: a second, and a tenth for each request.
  ['replay', { timed: 9, old: 1.5, written: 1.2, broken: null, none: null }],
] as const)('the times of recordings with %s answers', async ([source, expected]) => {
  await using fixture = await createFixture(RECORDINGS)
  const times = expectTimes({ ...SETTINGS, root: fixture.path.replace(/\/$/, ''), source })
  const own = suite(fixture.path.replace(/\/$/, ''), Object.keys(expected))
  const found = own.cases.map((one) => {
    const planned = { id: '', suite: '', file: '', engineName: 'claude-code', runs: one.id === 'timed' ? 3 : 1 }
    return [one.id, times.ofCase(own, one, planned)]
  })
  expect(Object.fromEntries(found)).toEqual(expected)
})

test('the file of shardTimes decides alone: by id from the root, or of the package; a file of tests has the sum', async () => {
  await using fixture = await createFixture({
    ...RECORDINGS,
    'times.json': JSON.stringify({
      'evals/cases/a.yaml#timed': 7,
      'evals/b.eval.ts#first': 2,
      'evals/b.eval.ts#second': 3,
      'evals/whole.eval.ts': 11,
    }),
  })
  const root = fixture.path.replace(/\/$/, '')
  const settings: TimeSettings = { ...SETTINGS, root, shardTimes: 'times.json' }
  const times = expectTimes(settings)
  expect(times.origin).toBe('times.json')
  const own = suite(root, ['timed'])
  const planned = { suite: 'evals/cases/a.yaml', engineName: 'claude-code', runs: 3 }
  const timeOf = (file: string, id: string): number | null =>
    times.ofCase(own, evalCase({ id }), { ...planned, file, id: `evals/cases/a.yaml#${id}` })
  expect(timeOf('evals/cases/a.yaml', 'timed')).toBe(7)
  expect(timeOf('packages/one/evals/cases/a.yaml', 'timed')).toBe(7)
  expect(timeOf('evals/cases/a.yaml', 'old')).toBeNull()
  expect(['b', 'whole', 'none'].map((name) => times.ofFile(`${root}/evals/${name}.eval.ts`))).toEqual([5, 11, null])
})

test('arms of a case stay together with the time of both, and test files leave their time to other machines', async () => {
  await using fixture = await createFixture({
    'times.json': JSON.stringify({
      'evals/cases/a.yaml#x': 30,
      'evals/cases/a.yaml#x@without_skill': 30,
      'evals/cases/a.yaml#y': 40,
      'evals/cases/a.yaml#z': 20,
      'evals/slow.eval.ts': 50,
    }),
  })
  const root = fixture.path.replace(/\/$/, '')
  const own = suite(root, ['x', 'y', 'z'])
  const arms = { ...own, cases: [...own.cases, evalCase({ id: 'x', arm: 'without_skill' })] }
  const shards = [1, 2, 3].map((index) => {
    const settings = { ...SETTINGS, root, shardTimes: 'times.json', shard: { index, count: 3 } }
    const cutter = createCutter(settings)
    const files = cutter.files([`${root}/evals/slow.eval.ts`, `${root}/evals/new.eval.ts`])
    const plan = planCases([arms], settings, settings, cutter.by())
    const ids = plan.cases.map(({ id }) => id.slice(id.indexOf('#') + 1))
    return [files.map((file) => file.slice(root.length + 1)), ids, cutter.describe(plan)?.sentence]
  })
  const said = (head: string): string =>
    `shard ${head} of 3 min 40 s by times.json; 1 without a time counts as the median`
  expect(shards).toEqual([
    [['evals/new.eval.ts'], ['y'], said('1/3: 1 of 3 cases and 1 of 2 test files, about 90 s')],
    [['evals/slow.eval.ts'], ['z'], said('2/3: 1 of 3 cases and 1 of 2 test files, about 70 s')],
    [[], ['x', 'x@without_skill'], said('3/3: 1 of 3 cases and 0 of 2 test files, about 60 s')],
  ])
  expect(createCutter({ ...SETTINGS, root, shard: null }).describe({ cut: null })).toBeNull()
})
