import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** A `fetch` whose requests go to the unix socket of a session, whatever the host of their address. */
export function fetchOverSocket(socketPath: string): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const { method = 'GET', headers, body, signal } = init
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest({
        socketPath,
        agent: false,
        method,
        path: pathname + search,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal == null ? {} : { signal }),
      })
      request.once('response', resolve).once('error', reject)
      // The clients write their bodies as JSON.
      request.end(typeof body === 'string' ? body : undefined)
    })
    return new Response(Readable.toWeb(incoming) as ReadableStream, {
      status: incoming.statusCode ?? 502,
      headers: Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    })
  }
}
