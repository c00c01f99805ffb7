import { describe, expect, test } from 'vitest'
import { run } from '../../../src/cli/commands/run.ts'
import { readRunArguments } from '../../../src/cli/run-arguments.ts'
import { flagOf, isSwitch, variableOf, variableOptions } from '../../../src/options/option.ts'
import { OPTIONS } from '../../../src/options/options.ts'

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
    expect(readRunArguments(argv, '/work')).toEqual({ environment, rest, test: null, yes: false })
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
    yes: false,
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
  for (const [name, option] of variableOptions(OPTIONS)) {
    const flag = `--${flagOf(name, option)}`
    const argv = isSwitch(option) ? [flag] : [flag, '1/2']
    // Each may stand alone or have a path.
    if (name === 'report' || name === 'html' || name === 'cache') continue
    const environment = { [variableOf(name)]: isSwitch(option) ? '1' : '1/2' }
    expect(readRunArguments(argv, '/work').environment, name).toEqual(environment)
  }
})

test.for([
  [['--engine'], '--engine needs a value.'],
  [['--engine', '--dry-run'], '--engine needs a value.'],
  [['--target='], '--target needs a value.'],
  [['-o'], '-o needs a value.'],
  [['--dry-run='], '--dry-run needs a value.'],
  [['--live=no'], '--live takes no value, but has "no".'],
  [['--record=false'], '--record takes no value, but has "false".'],
  [['--no-baseline=1'], '--no-baseline takes no value, but has "1".'],
  [['--no-report=x'], '--no-report takes no value, but has "x".'],
] as const)('%j is refused', ([argv, message]) => {
  expect(() => readRunArguments(argv, '/work')).toThrow(expect.objectContaining({ code: 'invalid-options', message }))
})

test('a negative number is a value, for the option to refuse', () => {
  const { environment } = readRunArguments(['--max-cost-usd', '-1', '--runs', '-.5'], '/work')
  expect(environment).toEqual({ AGENT_EVALS_MAX_COST_USD: '-1', AGENT_EVALS_RUNS: '-.5' })
})

test('the help of run names every flag', () => {
  const help = run.details.join('\n')
  // A switch that is on by default is named by what turns it off.
  const flags = variableOptions(OPTIONS).map((option) => flagOf(...option))
  expect(flags.filter((flag) => !new RegExp(`--(?:no-)?${flag}\\b`).test(help))).toEqual([])
})

test('--yes is for us, with its short form', () => {
  for (const flag of ['--yes', '-y'])
    expect(readRunArguments([flag, 'a'], '/work')).toMatchObject({ yes: true, rest: ['a'] })
})

test('the cache is on, off, or a folder, which is given with = since a filter may follow', () => {
  const variables = (...argv: string[]): object => readRunArguments(argv, '/work').environment
  expect(variables('--cache', 'c')).toEqual({ AGENT_EVALS_CACHE: '1' })
  expect(variables('--no-cache')).toEqual({ AGENT_EVALS_CACHE: '0' })
  expect(variables('--cache=.evals-cache')).toEqual({ AGENT_EVALS_CACHE: '/work/.evals-cache' })
})
