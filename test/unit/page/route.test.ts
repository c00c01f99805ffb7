import { expect, test } from 'vitest'
import { formatChoice, linkTo, parseChoice, parseRoute } from '../../../src/page/route.ts'

test.for([
  ['', { view: 'cases', key: '', query: {} }],
  ['#/', { view: 'cases', key: '', query: {} }],
  ['#/?outcome=failed&q=a%20b', { view: 'cases', key: '', query: { outcome: 'failed', q: 'a b' } }],
  ['#/charts', { view: 'charts', key: '', query: {} }],
  ['#/case/reads-1234?run=2&quote=0', { view: 'case', key: 'reads-1234', query: { run: '2', quote: '0' } }],
  ['#/case', { view: 'cases', key: '', query: {} }],
  ['#/javascript:alert(1)', { view: 'cases', key: '', query: {} }],
] as const)('%s', ([hash, route]) => {
  expect(parseRoute(hash)).toEqual(route)
})

test('a link leads back to its place, and holds no empty filter', () => {
  expect(linkTo('cases', '', { q: 'a&b=c', outcome: '', tag: null })).toBe('#/?q=a%26b%3Dc')
  expect(parseRoute(linkTo('case', 'k', { run: '2' }))).toEqual({ view: 'case', key: 'k', query: { run: '2' } })
})

test('a run beside another is read from the address', () => {
  expect(parseChoice(formatChoice({ key: 'a:b', run: 3 }))).toEqual({ key: 'a:b', run: 3 })
  expect(parseChoice('a')).toBeNull()
  expect(parseChoice(undefined)).toBeNull()
})
