import { expect, test } from 'vitest'
import { requestHeaders, responseHeaders } from '../../../src/gateway/model-server.ts'
import { anthropicMessages } from '../../../src/gateway/wires/anthropic-messages.ts'

test('only the headers that a wire allows go on', () => {
  expect(
    requestHeaders(
      {
        host: 'model.invalid',
        connection: 'keep-alive',
        'content-length': '3',
        'accept-encoding': 'gzip, br',
        authorization: 'Bearer dummy',
        cookie: 'a=b',
        'x-forwarded-for': '127.0.0.1',
        'user-agent': 'naïve',
        accept: 'a'.repeat(9000),
        'anthropic-beta': 'one,two',
        'anthropic-version': '2023-06-01',
      },
      new Set(anthropicMessages.headers),
    ),
  ).toEqual({ 'anthropic-beta': 'one,two', 'anthropic-version': '2023-06-01', 'accept-encoding': 'identity' })
})

test('an answer comes back without cookies and without the key', () => {
  const headers = {
    connection: ['close'],
    'set-cookie': ['a=b'],
    'request-id': ['req_1'],
    'retry-after': ['3'],
    'www-authenticate': ['Bearer sk-real-1234567890'],
  }
  expect(responseHeaders(headers, 'sk-real-1234567890')).toEqual({
    'request-id': ['req_1'],
    'retry-after': ['3'],
    'www-authenticate': ['Bearer ******************'],
  })
})
