import { expect, test } from 'vitest'
import { requestHeaders, responseHeaders } from '../../../src/gateway/headers.ts'

test('an engine’s credential and what concerns one hop stay behind', () => {
  expect(
    requestHeaders({
      host: 'model.invalid',
      connection: 'keep-alive, X-Private',
      'x-private': '1',
      'keep-alive': 'timeout=5',
      'proxy-authorization': 'Basic x',
      'transfer-encoding': 'chunked',
      'content-length': '3',
      'accept-encoding': 'gzip, br',
      'x-api-key': 'dummy',
      authorization: 'Bearer dummy',
      cookie: 'a=b',
      'anthropic-beta': 'one,two',
      'anthropic-version': '2023-06-01',
    }),
  ).toEqual({ 'anthropic-beta': 'one,two', 'anthropic-version': '2023-06-01', 'accept-encoding': 'identity' })
})

test('an answer comes back without cookies and without the key', () => {
  const headers = {
    connection: ['close'],
    'set-cookie': ['a=b'],
    'request-id': ['req_1'],
    'retry-after': ['3'],
    'www-authenticate': ['Bearer sk-1'],
  }
  expect(responseHeaders(headers, 'sk-1')).toEqual({
    'request-id': ['req_1'],
    'retry-after': ['3'],
    'www-authenticate': ['Bearer ****'],
  })
})
