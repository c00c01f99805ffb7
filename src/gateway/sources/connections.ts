import type { Dispatcher } from 'undici'

/** Connections of one run to a model API. */
export interface Connections {
  /** The end of a sentence about an API that cannot be reached; empty where no proxy is asked. */
  readonly throughProxy: string
  /** Loads the client at the first request: most runs are replayed. */
  dispatcher(): Promise<Dispatcher>
  close(): void
}

/**
 * Makes connections to an address, through the proxy that `HTTPS_PROXY` or `HTTP_PROXY` names for it, or the same names in
 * small letters, but for the hosts in `NO_PROXY` and for this machine. An answer may take as long as it likes.
 */
export function createConnections(
  upstream: URL,
  environment: Readonly<Record<string, string | undefined>>,
): Connections {
  const valueOf = (name: string): string => (environment[name.toLowerCase()] ?? environment[name] ?? '').trim()
  const name = upstream.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const isDirect = [...LOOPBACK, ...valueOf('NO_PROXY').split(/[,\s]+/)].some((entry) => isOf(entry, upstream))
  const address = isDirect ? '' : valueOf(name)
  // `proxy:3128` is as common as `http://proxy:3128`.
  const proxy = address === '' || address.includes('://') ? address : `http://${address}`
  let made: Promise<Dispatcher> | null = null
  const make = async (): Promise<Dispatcher> => {
    const { Agent, ProxyAgent } = await import('undici')
    const noLimits = { headersTimeout: 0, bodyTimeout: 0 }
    return proxy === '' ? new Agent(noLimits) : new ProxyAgent({ uri: proxy, ...noLimits })
  }
  return {
    throughProxy: proxy === '' ? '' : ` through the proxy ${hostOf(proxy)}of ${name}`,
    dispatcher: () => (made ??= make()),
    close: () => void made?.then((dispatcher) => dispatcher.destroy()).catch(() => {}),
  }
}

// The address of a proxy may hold a password.
function hostOf(proxy: string): string {
  return URL.canParse(proxy) ? `${new URL(proxy).host} ` : ''
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Tells whether an entry of `NO_PROXY` means an address: `*`, a host, a domain, each maybe with a port. */
function isOf(entry: string, { hostname, port, protocol }: URL): boolean {
  const [, host = '', ofPort] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
  const isPort = ofPort === undefined || ofPort === (port || (protocol === 'https:' ? '443' : '80'))
  return entry === '*' || (host !== '' && isPort && (hostname === host || hostname.endsWith(`.${host}`)))
}
