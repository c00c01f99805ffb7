import { useEffect, useState } from 'preact/hooks'

/**
 * How many of these parts to show: enough for the first view at once, the rest while the browser has nothing else to do.
 * Other parts start anew, and paper shows all.
 */
export function useGrowing(parts: readonly unknown[], first: number, step: number): number {
  const [state, setState] = useState({ parts, shown: first })
  const shown = state.parts === parts ? state.shown : first
  const show = (most: number): void => setState({ parts, shown: most })
  useEffect(() => (shown >= parts.length ? undefined : whenIdle(() => show(shown + step))), [shown, parts])
  useEffect(() => {
    const all = (): void => show(parts.length)
    addEventListener('beforeprint', all)
    return () => removeEventListener('beforeprint', all)
  }, [parts])
  return Math.min(shown, parts.length)
}

/** Cuts a list into parts of this size, the last one aside. */
export function inParts<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

// Not every browser says when it is idle.
function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, 40)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(work, { timeout: 2000 })
  return () => cancelIdleCallback(asked)
}
