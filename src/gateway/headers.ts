import type { IncomingHttpHeaders } from 'node:http'

/** Headers of an engine's request that go on to the upstream: neither its dummy credential nor what concerns one hop. */
export function requestHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(
    ([name]) => !hopNames(headers.connection).has(name) && !ENGINE_ONLY.has(name),
  )
  const entries = kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  // What is not compressed can be metered.
  return { ...Object.fromEntries(entries), 'accept-encoding': 'identity' }
}

/** Headers of an upstream's answer that go back to the engine. */
export function responseHeaders(headers: NodeJS.Dict<string[]>, secret: string): Record<string, string[]> {
  const hop = hopNames(headers['connection']?.join(','))
  const kept = Object.entries(headers).filter(([name]) => !hop.has(name) && name !== 'set-cookie')
  const mask = '*'.repeat(secret.length)
  return Object.fromEntries(
    kept.map(([name, values]) => [name, (values ?? []).map((value) => value.replaceAll(secret, mask))]),
  )
}

function hopNames(connection: string | undefined): ReadonlySet<string> {
  const named = (connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  return new Set([...HOP_BY_HOP, ...named])
}

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const ENGINE_ONLY = new Set([
  'host',
  'content-length',
  'accept-encoding',
  'x-api-key',
  'authorization',
  'cookie',
  'expect',
])
