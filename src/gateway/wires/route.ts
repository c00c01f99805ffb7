import type { WireOperation } from './wire.ts'

/** One request that an API has and engines may send. Nothing else is served or forwarded. */
export interface Route {
  readonly operation: WireOperation
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Query parameters that may be forwarded, and the values that they may have. */
  readonly query?: Readonly<Record<string, RegExp>>
}

/** Finds the route of a request; `null` when the API of the wire has none. */
export function findRoute(routes: readonly Route[], method: string, pathname: string): Route | null {
  return routes.find((route) => route.method === method && route.path === pathname) ?? null
}

/** Builds a query from the parameters that a route knows; the others are left out. */
export function buildQuery({ query = {} }: Route, asked: string): string {
  const given = new URLSearchParams(asked)
  const known = Object.entries(query).flatMap(([name, pattern]) => {
    const value = given.get(name)
    return value !== null && pattern.test(value) ? [[name, value] as const] : []
  })
  return known.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(known)).toString()}`
}
