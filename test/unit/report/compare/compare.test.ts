import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compare } from '../../../../src/report/compare/compare.ts'
import { parseReport, readReport, type ReadReport } from '../../../../src/report/read-report.ts'
import { withInputTable } from '../../../support/input-table.ts'

const SAMPLE = readFileSync(join(import.meta.dirname, '../aam-report-sample.json'), 'utf8')
const HASHES = {
  case: { path: 'evals/cases/a.yaml', role: 'case', hash: 'c1' },
  prompt: { path: 'evals/cases/a.yaml', role: 'prompt', hash: 'p1' },
  criteria: { path: 'evals/cases/a.yaml', role: 'criteria', hash: 'k1' },
  checks: { path: 'evals/cases/a.yaml', role: 'checks', hash: 'h1' },
  'judge-prompt': { path: 'evals/cases/a.yaml', role: 'judge-prompt', hash: 'j1' },
  fixture: { path: 'evals/fixtures/a.pdf', role: 'fixture', hash: 'f1' },
  skill: { path: 'skills/pdf/SKILL.md', role: 'skill', hash: 's1' },
}

interface Written {
  readonly name?: string
  readonly arm?: string
  readonly outcome?: string
  readonly engine?: string
  readonly engineVersion?: string
  readonly model?: string | null
  readonly judge?: string | null
  readonly vault?: string
  readonly repeats?: object
  readonly hashes?: readonly Hash[]
}

type Hash = { readonly path: string; readonly role: string; readonly hash: string }

function evalCase(id: string, given: Written = {}): object {
  const { engineVersion = '2.1.330', model = 'claude-sonnet-4', judge = 'claude-opus-4', vault, ...rest } = given
  return {
    id,
    name: id,
    verdict: 'PASS',
    engine: 'claude-code',
    agent: { runtime_version: engineVersion, model },
    judge_verdict: judge === null ? null : { result: 'PASS', model: judge },
    source: 'live',
    sandbox: { asked: 'auto', enforced: 'bubblewrap' },
    deterministic_checks: { contains: 'PASS' },
    hashes: Object.values(HASHES),
    vault_hash: vault ?? null,
    duration_seconds: 10,
    cost_usd: 0.5,
    usage: { input_tokens: 900, output_tokens: 100, cache_read_tokens: 0, cache_write_tokens: 0 },
    outcome: 'passed',
    ...rest,
  }
}

function report(cases: readonly object[], given: object = {}): ReadReport {
  const written = {
    version: 1,
    id: 'eval-run',
    timestamp: '2026-02-22T14:30:00Z',
    status: 'complete',
    package: { name: '@org/pdf', version: '1.0.0' },
    agent_evals_version: '0.2.0',
    vitest_version: '4.1.12',
    git: { commit: 'abc', dirty: false },
    config: { timeout: 120 },
    environment: { os: 'linux', arch: 'x86_64', node_version: '20.20.2', python_version: null },
    ...withInputTable(cases),
    ...given,
  }
  return readReport(written, 'report.json')
}

function withHash(role: keyof typeof HASHES, hash: string): readonly Hash[] {
  return Object.values({ ...HASHES, [role]: { ...HASHES[role], hash } })
}

const REGRESSION = { status: 'compared', change: -1 }

describe('what happened to the cases', () => {
  test('a case changed, is new, is missing, or was not decided on a side', () => {
    const before = ['same', 'fixed', 'broken', 'lost', 'gone', 'back', 'never'].map((id) =>
      evalCase(
        id,
        id === 'fixed' ? { outcome: 'failed' } : id === 'back' || id === 'never' ? { outcome: 'errored' } : {},
      ),
    )
    const after = ['never', 'new', 'same', 'fixed', 'broken', 'lost', 'back'].map((id) =>
      evalCase(
        id,
        id === 'broken' ? { outcome: 'failed' } : id === 'lost' || id === 'never' ? { outcome: 'skipped' } : {},
      ),
    )
    const compared = compare(report(before), report(after))
    expect(compared.cases.map(({ name, status, change }) => `${name}: ${status} ${change}`)).toEqual([
      'same: compared 0',
      'fixed: compared 1',
      'broken: compared -1',
      'lost: errored null',
      'gone: missing null',
      'back: undecided null',
      'never: undecided null',
      'new: new null',
    ])
    expect(compared.totals).toMatchObject({ cases: 3, before: { passed: 2 }, after: { passed: 2 } })
  })

  test('a case of two engines has the name that both give it', () => {
    const names = (before: string, after: string): readonly string[] => {
      const of = (engine: string): ReadReport => report([evalCase('x', { name: `x (${engine})`, engine })])
      return compare(of(before), of(after)).cases.map(({ name }) => name)
    }
    expect([names('claude-code', 'codex'), names('codex', 'codex')]).toEqual([['x'], ['x (codex)']])
  })

  test('a case that moved to another file is found by its name, and a name that two share is not guessed', () => {
    const moved = compare(report([evalCase('a.yaml#x', { name: 'x' })]), report([evalCase('b.yaml#x', { name: 'x' })]))
    expect(moved.cases).toHaveLength(1)
    const twins = compare(
      report([evalCase('a.yaml#x', { name: 'x' })]),
      report([evalCase('b.yaml#x', { name: 'x' }), evalCase('c.yaml#x', { name: 'x' })]),
    )
    expect(twins.cases.map(({ status }) => status)).toEqual(['missing', 'new', 'new'])
  })

  test('one case on two engines is two cases', () => {
    const both = [evalCase('x', { engine: 'codex' }), evalCase('x')]
    const diff = compare(
      report(both),
      report([evalCase('x', { outcome: 'failed' }), evalCase('x', { engine: 'codex' })]),
    )
    expect(diff.cases.map(({ engine, change }) => [engine, change])).toEqual([
      ['codex', 0],
      ['claude-code', -1],
    ])
  })
})

describe('a case that asks something else is in no rate and no regression', () => {
  test.for([
    ['prompt', 'prompt'],
    ['criteria', 'criteria'],
    ['checks', 'checks'],
    ['judge-prompt', "judge's prompt"],
    ['fixture', 'fixture evals/fixtures/a.pdf'],
  ] as const)('%s', ([role, words]) => {
    const diff = compare(
      report([evalCase('a'), evalCase('b')]),
      report([evalCase('a', { outcome: 'failed', hashes: withHash(role, 'other') }), evalCase('b')]),
    )
    expect(diff.cases).toMatchObject([
      { name: 'a', status: 'changed', change: null, why: `it asks something else: ${words}` },
      { name: 'b', status: 'compared', change: 0 },
    ])
    expect(diff.totals).toMatchObject({ cases: 1, after: { passed: 1 } })
  })

  test('another judge', () => {
    const diff = compare(report([evalCase('a')]), report([evalCase('a', { outcome: 'failed', judge: 'gpt-6' })]))
    expect(diff.totals.cases).toBe(0)
    expect(diff.cases[0]?.why).toBe('it asks something else: judge claude-opus-4 / gpt-6')
  })

  test('a judge that is the model of the agent, and changes with it, is named once, and the rates are compared', () => {
    const [was, is] = ['claude-sonnet-4', 'claude-opus-4']
    const before = evalCase('a', { model: was, judge: was })
    const after = evalCase('a', { model: is, judge: is, outcome: 'failed' })
    const diff = compare(report([before]), report([after]))
    expect(diff.totals).toMatchObject({ cases: 1, before: { passed: 1 }, after: { passed: 0 } })
    expect(diff.cases).toMatchObject([{ status: 'compared', change: -1 }])
    expect(diff.made_with).toContainEqual({ what: 'judge', before: was, after: is })
  })

  test('a judge that was not asked, or a run that listed no files, says nothing of the case', () => {
    const silent = evalCase('a', {
      outcome: 'failed',
      judge: null,
      hashes: [HASHES.prompt, HASHES.criteria, HASHES.checks, HASHES['judge-prompt']],
    })
    expect(compare(report([evalCase('a')]), report([silent])).cases).toMatchObject([REGRESSION])
  })

  test('an edited comment in the case file changes nothing; without finer hashes the file decides', () => {
    const edited = evalCase('a', { outcome: 'failed', hashes: withHash('case', 'c2') })
    expect(compare(report([evalCase('a')]), report([edited])).cases).toMatchObject([REGRESSION])
    const coarse = (hash: string, outcome: string): ReadReport =>
      report([evalCase('a', { outcome, hashes: [{ ...HASHES.case, hash }] })])
    expect(compare(coarse('c1', 'passed'), coarse('c2', 'failed')).cases[0]?.why).toBe(
      'it asks something else: case file',
    )
  })
})

describe('what the two were made with', () => {
  test('a model, a CLI version, a package version are named', () => {
    const after = evalCase('a', { model: 'claude-opus-4', engineVersion: '2.2.0' })
    const diff = compare(report([evalCase('a')]), report([after], { package: { name: '@org/pdf', version: '1.1.0' } }))
    expect(diff.made_with).toEqual([
      { what: 'model', before: 'claude-sonnet-4', after: 'claude-opus-4' },
      { what: 'CLI version', before: 'claude-code 2.1.330', after: 'claude-code 2.2.0' },
      { what: 'package', before: '@org/pdf 1.0.0', after: '@org/pdf 1.1.0' },
    ])
    expect(diff).toMatchObject({ totals: { cases: 1 }, edits: [] })
  })

  test('cases of several models are all named', () => {
    const mixed = [evalCase('a'), evalCase('b', { model: 'claude-opus-4' })]
    expect(compare(report([evalCase('a'), evalCase('b')]), report(mixed)).made_with).toEqual([
      { what: 'model', before: 'claude-sonnet-4', after: 'claude-opus-4, claude-sonnet-4' },
    ])
  })

  test('an edited file of the package is named, and the cases stay comparable', () => {
    const added = { path: 'hooks/guard.mjs', role: 'hook', hash: 'g1' }
    const after = evalCase('a', { outcome: 'failed', hashes: [...withHash('skill', 's2'), added] })
    const diff = compare(report([evalCase('a')]), report([after]))
    expect(diff.edits).toEqual([
      { role: 'hook', path: 'hooks/guard.mjs', change: 'added' },
      { role: 'skill', path: 'skills/pdf/SKILL.md', change: 'changed' },
    ])
    expect(diff.cases).toMatchObject([REGRESSION])
  })

  test('an edited case file and an edited fixture are named, so that no edit reads as the same files', () => {
    const fixture = (hash: string) => ({ path: 'evals/fixtures/a.txt', role: 'fixture', hash })
    const caseFile = (hash: string) => ({ path: 'evals/cases/a.yaml', role: 'case', hash })
    const before = evalCase('a', { hashes: [caseFile('c1'), fixture('f1')] })
    const after = evalCase('a', { hashes: [caseFile('c2'), fixture('f2')] })
    expect(compare(report([before]), report([after])).edits).toEqual([
      { role: 'case', path: 'evals/cases/a.yaml', change: 'changed' },
      { role: 'fixture', path: 'evals/fixtures/a.txt', change: 'changed' },
    ])
  })

  test('scenarios that two engines have for one case are no edit, and are named as such', () => {
    const scenario = (path: string) => ({ path: `evals/scenarios/${path}`, role: 'scenario', hash: path })
    const on = (engine: string, own: string, shared: string) =>
      evalCase('a', {
        engine,
        hashes: [...withHash('skill', 's1'), scenario(own), { ...scenario('b.yaml'), hash: shared }],
      })
    const diff = compare(report([on('claude-code', 'a.yaml', 's1')]), report([on('codex', 'a.codex.yaml', 's2')]))
    expect(diff.edits).toEqual([{ role: 'scenario', path: 'evals/scenarios/b.yaml', change: 'changed' }])
    expect(diff.notices).toEqual([
      'In 1 of the cases each engine has a scenario of its own. They compare these scenarios, not models.',
    ])
  })

  test('a changed vault is named, and its files', () => {
    const note = (hash: string) => ({ path: 'agents/archivist/memory/hours.md', role: 'vault', hash })
    const before = evalCase('a', { hashes: [...withHash('skill', 's1'), note('v1')] })
    const after = evalCase('a', { hashes: [...withHash('skill', 's1'), note('v2')] })
    expect(compare(report([before]), report([after])).edits).toEqual([
      { role: 'vault', path: 'agents/archivist/memory/hours.md', change: 'changed' },
    ])
    const withVault = (vault: string): ReadReport => report([evalCase('a', { vault })])
    expect(compare(withVault('1'.repeat(64)), withVault('2'.repeat(64))).made_with).toEqual([
      { what: 'vault', before: '111111111111', after: '222222222222' },
    ])
  })

  test('what only one of two reports says of the machine is no difference, of the model it is', () => {
    const diff = compare(
      report([evalCase('a', { model: null })], {
        environment: { os: 'linux', arch: 'x86_64', node_version: null },
        vitest_version: '5.1.1',
      }),
      report([evalCase('a')]),
    )
    expect(diff.made_with).toEqual([
      { what: 'model', before: null, after: 'claude-sonnet-4' },
      { what: 'vitest', before: '5.1.1', after: '4.1.12' },
    ])
  })
})

describe('what is no report', () => {
  const written = (given: object): string =>
    JSON.stringify({ version: 1, agent_evals_version: '0.2.0', cases: [], ...given })

  test.for([
    ['{', /^a\.json is not an eval report: /],
    [SAMPLE, /^a\.json was not written by vitest-agent-evals 0\.2 or later\. Write it anew: /],
    [written({ agent_evals_version: '0.1.0' }), /^a\.json was not written by vitest-agent-evals 0\.2 or later/],
    [written({ version: 2 }), /^a\.json is not an eval report: version: /],
    [written({ cases: [{ name: 'x', verdict: 'OK' }] }), /^a\.json is not an eval report: cases\.0\.verdict: /],
    ['[]', /^a\.json is not an eval report: the file: /],
  ] as const)('%s is refused', ([text, message]) => {
    expect(() => parseReport(text, 'a.json')).toThrow(message)
  })
})

test('compares runs and lift, and leaves out what ran without the skill', () => {
  const repeated = (passed: number): object => evalCase('a', { repeats: { passed, completed: 4 } })
  const without = evalCase('a@without_skill', { arm: 'without_skill', outcome: 'failed' })
  const rate = { passed: 4, completed: 4, rate: 1, interval: null }
  const lift = [{ target: 'skill:pdf', cases: 1, with_skill: rate, without_skill: rate, difference: 0.5, p_value: 1 }]
  const diff = compare(
    report([repeated(4), evalCase('a@without_skill', { arm: 'without_skill' })], { lift }),
    report([repeated(2), without]),
  )
  expect(diff.cases).toMatchObject([{ name: 'a', before: { passed: 4 }, after: { passed: 2, completed: 4 } }])
  expect(diff.totals.after.repeats).toEqual({ k: 4, pass_at_k: 1, pass_all_k: 0 })
  expect(diff.lift).toEqual([{ target: 'skill:pdf', before: { cases: 1, difference: 0.5, p_value: 1 }, after: null }])
})
