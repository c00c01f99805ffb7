import { expect, test } from 'vitest'
import {
  describeCosts,
  describeModels,
  type LiveCase,
  type LiveRun,
} from '../../../../src/vitest/reporter/announce-live.ts'

const REST = 'at most $10.00 (--max-cost-usd); --source replay never spends'

test('says what live cases cost before, what is unknown, what limits it and how never to spend', () => {
  expect(describeCosts([once(0.1), once(0.32)], 10)).toBe(
    `agent-evals: 2 cases go live; estimated cost $0.42 by earlier runs and recordings, ${REST}`,
  )
  expect(describeCosts([once(0.1), once(null)], 10)).toBe(
    `agent-evals: 2 cases go live; estimated cost $0.10 + unknown for 1 case by earlier runs and recordings, ${REST}`,
  )
  expect(describeCosts([once(null)], 10)).toBe(`agent-evals: 1 case goes live; estimated cost unknown, ${REST}`)
})

test('adds what is known of a case whose judge has an unknown cost', () => {
  expect(describeCosts([{ ...once(null), cost: { usd: null, knownUsd: 0.2 } }], 2)).toContain(
    'estimated cost $0.20 + unknown for 1 case by earlier runs and recordings, at most $2.00 (--max-cost-usd)',
  )
})

test('counts every arm and every run', () => {
  const arms = [
    { ...once(0.1), runs: [RUN, RUN, RUN] },
    { runs: [RUN, RUN, RUN], cost: { usd: 0.2, knownUsd: 0.2 }, arm: 'without_skill' as const },
  ]
  expect(describeCosts(arms, 10)).toBe(
    `agent-evals: 2 cases go live, 1 of them without the skill, in 6 runs; estimated cost $0.90 by earlier runs and recordings, ${REST}`,
  )
})

test('says which cases go live only if their recordings are stale', () => {
  const changed = { ...once(0.1), runs: [{ ...RUN, isRecorded: true }] }
  expect(describeCosts([once(0.1), changed], 10)).toContain(
    '2 cases go live, 1 of them only if their recordings are stale; estimated cost $0.20',
  )
  expect(describeCosts([changed], 10)).toContain('1 case goes live if its recording is stale; estimated cost $0.10')
})

test('names the models of agents and judges, and says of which nothing is known', () => {
  expect(describeModels([{ ...RUN, judge: 'claude-opus-5' }, RUN])).toBe(
    'agent-evals: model: claude-sonnet-5; judge: claude-opus-5',
  )
  const listed = { ...RUN, judge: 'gpt-5.5', judgesAfter: ['claude-opus-5', 'claude-haiku-4-5'] }
  expect(describeModels([listed])).toContain('; judge: gpt-5.5, else claude-opus-5, else claude-haiku-4-5')
  expect(describeModels([{ ...RUN, isDefault: true }])).toBe(
    'agent-evals: model: claude-sonnet-5 (default of claude-code); judge: none',
  )
  expect(describeModels([RUN, { ...RUN, engine: 'mine', model: null, isDefault: true, judge: 'unknown' }])).toBe(
    'agent-evals: model: claude-sonnet-5, unknown (mine chooses it); judge: unknown',
  )
})

test('says that several models judge themselves where nobody else was named', () => {
  const judging = ['claude-sonnet-5', 'claude-opus-5'].map((model) => ({ ...RUN, model, judge: model }))
  const own = judging.map((run) => ({ ...run, judgesItself: true }))
  expect(describeModels(own)).toBe(
    'agent-evals: model: claude-sonnet-5, claude-opus-5; judge: claude-sonnet-5, claude-opus-5 (each model judges its own runs; set one judge for all with --judge MODEL)',
  )
  for (const runs of [judging, own.slice(0, 1)]) expect(describeModels(runs)).not.toContain('each model')
})

const RUN: LiveRun = {
  engine: 'claude-code',
  model: 'claude-sonnet-5',
  isDefault: false,
  wire: 'anthropic-messages',
  judge: null,
  isRecorded: false,
}

function once(usd: number | null): LiveCase {
  return { runs: [RUN], cost: { usd, knownUsd: usd ?? 0 }, arm: 'with_skill' }
}
