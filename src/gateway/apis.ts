import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Credential } from './credentials.ts'
import { createPace } from './rate-limiter.ts'
import type { Pace } from './rate-limiter.ts'
import type { Api } from './sources/live.ts'

/** The model APIs that a gateway passes requests on to. */
export interface Apis {
  /** The API at that address for one run: the pace is that of every run, the connections are its own. */
  at(upstream: URL, credential: Credential): Api
}

export function createApis(): Apis {
  const paces = new Map<string, Pace>()
  return {
    at(upstream, credential) {
      const pace = paces.get(upstream.href) ?? createPace()
      paces.set(upstream.href, pace)
      const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
      return { upstream, credential, agents, pace }
    },
  }
}
