import { expect, test } from 'vitest'
import { readVitestArguments } from '../../../../src/vitest/command/vitest-arguments.ts'

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

test.for([
  ['--kind', '--kind is not known. Did you mean --mode? If it is an option of Vitest, put it behind --.'],
  ['--enigne', '--enigne is not known. Did you mean --engine? If it is an option of Vitest, put it behind --.'],
  [
    '--max-cost-us=3',
    '--max-cost-us is not known. Did you mean --max-cost-usd? If it is an option of Vitest, put it behind --.',
  ],
] as const)('%s is refused: a mistyped option must not be a live run', ([flag, message]) => {
  expect(() => readVitestArguments([flag])).toThrow(expect.objectContaining({ code: 'invalid-options', message }))
})

test.for(['--reporter=dot', '--mode=ci', '--shard=1/2', '--newFlag=x'])('%s is an option of Vitest', (flag) => {
  expect(() => readVitestArguments([flag])).not.toThrow()
})

test('behind two dashes anything is taken', () => {
  expect(readVitestArguments(['--', '--newFlag=x']).options).toMatchObject({ newFlag: 'x' })
})
