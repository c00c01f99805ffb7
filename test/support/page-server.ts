import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A page of which the rest has not arrived yet. */
export interface HeldPage extends AsyncDisposable {
  readonly url: string
  /** Sends the rest. */
  readonly release: () => void
}

/** Serves a page and holds back what comes after its head until it is released. */
export async function serveHeld(head: string, rest: string): Promise<HeldPage> {
  const held: ServerResponse[] = []
  const server = createServer((request, response) => {
    if (request.url !== '/') return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.write(head)
    held.push(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    release: () => held.splice(0).forEach((response) => response.end(rest)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Counts in the page, from its start on, how many blocks it unpacks. */
export const countUnpacked = `
  globalThis.unpacked = 0
  const Stream = globalThis.DecompressionStream
  globalThis.DecompressionStream = function (format) {
    unpacked += 1
    return new Stream(format)
  }
`
