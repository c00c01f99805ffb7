import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Credential } from './secrets/credentials.ts'
import { createRateLimiter } from './pace/rate-limiter.ts'
import type { RateLimiter } from './pace/rate-limiter.ts'
import { createAccount, type Account } from './sources/account.ts'
import type { Api } from './sources/live.ts'

/** The model APIs that a gateway passes requests on to. */
export interface Apis {
  /** The API at that address for one run: the pace is that of every run, the connections are its own. */
  at(upstream: URL, credential: Credential): Api
}

export function createApis(allowUnknownCost: boolean): Apis {
  const paces = new Map<string, RateLimiter>()
  const accounts = new Map<string, Account>()
  return {
    at(upstream, credential) {
      const limiter = paces.get(upstream.href) ?? createRateLimiter()
      paces.set(upstream.href, limiter)
      const name = [upstream.href, credential.kind, credential.secret].join(' ')
      const account = accounts.get(name) ?? createAccount()
      accounts.set(name, account)
      const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
      return { upstream, credential, agents, pace: limiter, account, allowUnknownCost }
    },
  }
}
