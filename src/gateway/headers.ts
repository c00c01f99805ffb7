import type { IncomingHttpHeaders } from 'node:http'
import { hideSecret } from './secrets/secrets.ts'

/**
 * Headers of an engine's request that go on to the upstream: those of its API and of engines. An answer that is not
 * compressed can be metered.
 */
export function requestHeaders(headers: IncomingHttpHeaders, allowed: ReadonlySet<string>): Record<string, string> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    allowed.has(name) && typeof value === 'string' && FORWARDABLE.test(value) ? [[name, value]] : [],
  )
  return { ...Object.fromEntries(kept), 'accept-encoding': 'identity' }
}

/** Names of the headers that an engine adds to those of every request, and that are not forwarded. */
export function removedHeaders(headers: IncomingHttpHeaders, allowed: ReadonlySet<string>): readonly string[] {
  return Object.keys(headers).filter((name) => !allowed.has(name) && !OWN.has(name))
}

/** Headers of the connection to the gateway, and those that the gateway writes by itself. */
const OWN: ReadonlySet<string> = new Set([
  'accept-encoding',
  'accept-language',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'keep-alive',
  'sec-fetch-mode',
  'transfer-encoding',
  'x-api-key',
])

/** Headers of an upstream's answer that go back to the engine. */
export function responseHeaders(headers: NodeJS.Dict<string[]>, secret: string): Record<string, string[]> {
  const hop = hopNames(headers['connection']?.join(','))
  const kept = Object.entries(headers).filter(([name]) => !hop.has(name) && name !== 'set-cookie')
  return Object.fromEntries(
    kept.map(([name, values]) => [name, (values ?? []).map((value) => hideSecret(value, secret))]),
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

/** Printable ASCII, of the length that a header of an engine may have. */
const FORWARDABLE = /^[\x20-\x7e]{0,8192}$/
