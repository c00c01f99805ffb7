import { describe, expect, test } from 'vitest'
import { run } from '../../../src/cli/run.ts'
import { readRunArguments, RUN_FLAGS } from '../../../src/cli/run-arguments.ts'
import { optionVariables } from '../../../src/vitest/plugin/variables.ts'

describe('every line of the AAM text', () => {
  test.for([
    ['', {}, []],
    ['pdf-extraction-e2e', {}, ['pdf-extraction-e2e']],
    ['--engine codex', { AGENT_EVALS_ENGINE: 'codex' }, []],
    ['--judge claude-opus', { AGENT_EVALS_JUDGE: 'claude-opus' }, []],
    ['--engine codex --engine copilot', { AGENT_EVALS_ENGINE: 'codex,copilot' }, []],
    ['--target skill:pdf-tools', { AGENT_EVALS_TARGET: 'skill:pdf-tools' }, []],
    ['--dry-run', { AGENT_EVALS_DRY_RUN: '1' }, []],
    ['--report', {}, []],
    ['--report -o report.json', { AGENT_EVALS_REPORT: '/work/report.json' }, []],
  ] as const)('agent-evals eval %s', ([line, environment, rest]) => {
    const argv = line.split(' ').filter((word) => word !== '')
    expect(readRunArguments(argv, '/work')).toEqual({ environment, rest, test: null })
  })
})

test('what is not ours is left in its order for Vitest', () => {
  const argv = [
    'pdf',
    '--reporter',
    'junit',
    '--engine=codex',
    '-t',
    'a b',
    '--live',
    '--outputFile=x.xml',
    '--',
    '--engine',
    'y',
  ]
  expect(readRunArguments(argv, '/work')).toEqual({
    environment: { AGENT_EVALS_ENGINE: 'codex', AGENT_EVALS_SOURCE: 'live' },
    rest: ['pdf', '--reporter', 'junit', '-t', 'a b', '--outputFile=x.xml', '--', '--engine', 'y'],
    test: null,
  })
})

test('switches can be turned off, and the report too', () => {
  expect(readRunArguments(['--no-keep-workspace', '--no-report', '--record'], '/work').environment).toEqual({
    AGENT_EVALS_KEEP_WORKSPACE: '0',
    AGENT_EVALS_REPORT: '0',
    AGENT_EVALS_SOURCE: 'record',
  })
})

test('there is a flag for every option of the environment', () => {
  expect(RUN_FLAGS.map(({ variable }) => variable)).toEqual(optionVariables().map(({ variable }) => variable))
  for (const { name, variable, isSwitch } of RUN_FLAGS) {
    const argv = isSwitch ? [`--${name}`] : [`--${name}`, '1/2']
    // Each may stand alone or have a path.
    if (name === 'report' || name === 'html') continue
    expect(readRunArguments(argv, '/work').environment, name).toEqual({ [variable]: isSwitch ? '1' : '1/2' })
  }
})

test.for([
  [['--engine'], '--engine needs a value.'],
  [['--engine', '--dry-run'], '--engine needs a value.'],
  [['--target='], '--target needs a value.'],
  [['-o'], '-o needs a value.'],
] as const)('%j is refused', ([argv, message]) => {
  expect(() => readRunArguments(argv, '/work')).toThrow(expect.objectContaining({ code: 'invalid-options', message }))
})

test('the help of run names every flag', () => {
  const help = run.details.join('\n')
  // A switch that is on by default is named by what turns it off.
  expect(RUN_FLAGS.map(({ name }) => name).filter((name) => !new RegExp(`--(?:no-)?${name}\\b`).test(help))).toEqual([])
})
