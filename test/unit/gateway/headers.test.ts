import { expect, test } from 'vitest'
import { requestHeaders, responseHeaders } from '../../../src/gateway/model-server.ts'

test('the headers of a session go on, but for those of its connection and its credential', () => {
  expect(
    requestHeaders({
      host: 'model.invalid',
      connection: 'keep-alive, x-hop',
      'x-hop': '1',
      'proxy-authorization': 'Basic dummy',
      'transfer-encoding': 'chunked',
      'content-length': '3',
      'accept-encoding': 'gzip, br',
      authorization: 'Bearer dummy',
      'x-api-key': 'dummy',
      'user-agent': 'engine/1.0',
      'x-own': 'one',
      'anthropic-beta': 'one,two',
      'anthropic-version': '2023-06-01',
    }),
  ).toEqual({
    'accept-encoding': 'identity',
    'anthropic-beta': 'one,two',
    'anthropic-version': '2023-06-01',
    'user-agent': 'engine/1.0',
    'x-own': 'one',
  })
})

test('an answer comes back without cookies and without the key', () => {
  const headers = {
    connection: 'close',
    'set-cookie': ['a=b'],
    'request-id': 'req_1',
    'retry-after': '3',
    'www-authenticate': 'Bearer sk-real-1234567890',
  }
  expect(responseHeaders(headers, 'sk-real-1234567890')).toEqual({
    'request-id': ['req_1'],
    'retry-after': ['3'],
    'www-authenticate': ['Bearer ******************'],
  })
})
