import type { WireOperation } from './wire.ts'

/** One request that an API has and engines may send. Nothing else is served or forwarded. */
export interface Route {
  readonly operation: WireOperation
  readonly method: 'GET' | 'POST'
  /** With `{model}` where the API has the name of a model. */
  readonly path: string
  /** Query parameters that may be forwarded, and the values that they may have. */
  readonly query?: Readonly<Record<string, RegExp>>
}

/** Finds the route of a request, with the path that was asked; `null` when the API of the wire has none. */
export function findRoute(routes: readonly Route[], method: string, pathname: string): Route | null {
  const found = routes.find((route) => route.method === method && modelIn(route, pathname) !== null)
  return found === undefined ? null : { ...found, path: pathname }
}

/** The model that a path names; empty where its route has no place for one, `null` for the path of another route. */
export function modelIn({ path }: Pick<Route, 'path'>, pathname: string): string | null {
  const [before = '', after] = path.split(MODEL, 2)
  if (after === undefined) return path === pathname ? '' : null
  const model = pathname.slice(before.length, pathname.length - after.length)
  return pathname === before + model + after && /^[\w.-]{1,200}$/.test(model) ? model : null
}

/** The path of a route for this model. */
export function pathFor({ path }: Pick<Route, 'path'>, model: string): string {
  return path.replace(MODEL, () => encodeURIComponent(model))
}

const MODEL = '{model}'

/** Builds a query from the parameters that a route knows; the others are left out. */
export function buildQuery({ query = {} }: Route, asked: string): string {
  const given = new URLSearchParams(asked)
  const known = Object.entries(query).flatMap(([name, pattern]) => {
    const value = given.get(name)
    return value !== null && pattern.test(value) ? [[name, value] as const] : []
  })
  return known.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(known)).toString()}`
}
