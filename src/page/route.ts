import { useEffect, useState } from 'preact/hooks'

/** Where in the page the reader is: everything that a link can hold. */
export interface Route {
  readonly view: 'case' | 'charts' | 'cases' | 'run'
  /** Key of the case; empty for the other views. */
  readonly key: string
  readonly query: Readonly<Record<string, string>>
}

/** Reads the part of an address after `#`. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?')
  const [view = '', key = ''] = path.split('/')
  const query = Object.fromEntries(new URLSearchParams(search))
  if (view === 'case' && key !== '') return { view, key, query }
  return { view: view === 'charts' || view === 'run' ? view : 'cases', key: '', query }
}

/** The address of a place in the page. */
export function linkTo(view: Route['view'], key = '', query: Readonly<Record<string, string | null>> = {}): string {
  const set = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== '')
  const search = new URLSearchParams(set).toString()
  const path = view === 'cases' ? '' : key === '' ? view : `${view}/${key}`
  return `#/${path}${search === '' ? '' : `?${search}`}`
}

/** Replaces the address without a step to go back to, as for each letter of a search. */
export function replaceRoute(link: string): void {
  history.replaceState(null, '', link)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** The route, kept up to date. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const update = (): void => setHash(location.hash)
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return parseRoute(hash)
}

/** One run of one case. */
export interface Choice {
  /** Of the case. */
  readonly key: string
  /** From 1. */
  readonly run: number
}

/** Reads a run from an address, `<key>:<run>`; `null` when there is none. */
export function parseChoice(text: string | undefined): Choice | null {
  const [, key, run] = /^(.+):(\d+)$/.exec(text ?? '') ?? []
  return key === undefined ? null : { key, run: Number(run) }
}

/** A run as an address holds it. */
export function formatChoice({ key, run }: Choice): string {
  return `${key}:${run}`
}
