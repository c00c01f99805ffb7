import { expect, test } from 'vitest'
import { requireVersions } from '../../../../src/vitest/plugin/open-run.ts'

test.for([
  ['4.1.0', '20.19.0'],
  ['4.1.12', '24.0.0'],
  ['5.0.0-beta.1', '22.12.0'],
  ['5.1.1', '26.0.0'],
] as const)('accepts Vitest %s on Node %s', ([vitest, node]) => {
  expect(() => {
    requireVersions(vitest, node)
  }).not.toThrow()
})

test.for([
  [
    '3.2.7',
    '20.19.0',
    'This package needs Vitest 4.1 or 5, and found 3.2.7. Update it: npm install --save-dev vitest@4',
  ],
  [
    '4.0.18',
    '24.0.0',
    'This package needs Vitest 4.1 or 5, and found 4.0.18. Update it: npm install --save-dev vitest@latest',
  ],
  [
    '5.1.1',
    '20.20.2',
    'Vitest 5.1.1 needs Node 22.12 or newer, and this is Node 20.20.2. Update Node, or install an older Vitest: npm install --save-dev vitest@4',
  ],
] as const)('refuses Vitest %s on Node %s', ([vitest, node, message]) => {
  expect(() => {
    requireVersions(vitest, node)
  }).toThrow(expect.objectContaining({ code: 'unsupported-vitest', message }))
})
