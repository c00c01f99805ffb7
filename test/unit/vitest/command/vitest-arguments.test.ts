import { expect, test } from 'vitest'
import { flagOf, variableOptions } from '../../../../src/options/option.ts'
import { OPTIONS } from '../../../../src/options/options.ts'
import { VITEST_FLAGS, readVitestArguments } from '../../../../src/vitest/command/vitest-arguments.ts'

test("Vitest's own options and filters are read as it reads them", () => {
  const { filters, options } = readVitestArguments([
    'pdf',
    '--reporter',
    'junit',
    '--bail',
    '1',
    '-t',
    'a b',
    '--exclude',
    'x/**',
  ])
  expect(filters).toEqual(['pdf'])
  expect(options).toMatchObject({
    run: true,
    reporter: ['junit'],
    bail: 1,
    testNamePattern: 'a b',
    cliExclude: ['x/**'],
  })
})

const BEHIND = 'If it is an option of Vitest, put it behind --.'

test.for([
  ['--kind', 'Did you mean --mode?'],
  ['--enigne', 'Did you mean --engine?'],
  ['--max-cost=3', 'Did you mean --max-cost-usd?'],
  ['--maxCostUsd=3', 'Did you mean --max-cost-usd?'],
  ['--dry', 'Did you mean --dry-run?'],
  ['--no-baselin', 'Did you mean --baseline?'],
  ['--coverag.enabled=1', 'Did you mean --coverage?'],
  ['--test-name-patern=x', 'Did you mean --test-name-pattern?'],
  ['--json', '--help shows all options.'],
  ['--foo', '--help shows all options.'],
  ['--foo.bar=1', '--help shows all options.'],
  ['-x', '--help shows all options.'],
] as const)('%s is refused: a mistyped option must not be a live run', ([flag, hint]) => {
  const message = `${flag.replace(/=.*/, '')} is not known. ${hint} ${BEHIND}`
  expect(() => readVitestArguments([flag])).toThrow(expect.objectContaining({ code: 'invalid-options', message }))
})

test('a flag with a value of its own is refused, and so is one of several', () => {
  expect(() => readVitestArguments(['--filter', 'x', '--bail=1', '--foo'])).toThrow(/^--filter is not .* --foo is not /)
})

const { both = [], 'vitest 4': four = [], 'vitest 5': five = [] } = VITEST_FLAGS
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

test.for([...both, ...four].filter((name) => !['h', 'help'].includes(name)))(
  '%s passes in each of its forms',
  (name) => {
    const forms =
      name.length === 1
        ? [[`-${name}`, 'x']]
        : [[`--${name}=1`], [`--${kebab(name)}`, '1'], [`--no-${kebab(name)}`], [`--${name}.a.b-c=1`]]
    for (const form of forms) expect(() => readVitestArguments(form), form.join(' ')).not.toThrow('is not known')
  },
)

test.for(five.filter((name) => name.length > 1))('%s, which only Vitest 5 has, is refused on Vitest 4', (name) => {
  expect(() => readVitestArguments([`--${kebab(name)}`])).toThrow(BEHIND)
})

test.for(variableOptions(OPTIONS).map((option) => flagOf(...option)))('a slip in --%s is refused', (flag) => {
  const known = new Set([...both, ...four].map(kebab))
  for (let at = 1; at < flag.length; at += 1) {
    const slip = flag.slice(0, at) + flag.slice(at + 1)
    if (!known.has(slip)) expect(() => readVitestArguments([`--${slip}`, '1']), slip).toThrow(`--${slip} is not known.`)
  }
})

test('behind two dashes anything is taken', () => {
  expect(readVitestArguments(['--', '--newFlag=x']).options).toMatchObject({ newFlag: 'x' })
})
