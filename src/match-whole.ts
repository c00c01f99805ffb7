import { createContext, Script } from 'node:vm'

/**
 * Whether a pattern of a repository matches a text as a whole. A pattern that takes longer than a second on this text, or
 * is invalid, does not.
 */
export function matchesWhole(pattern: string, text: string): boolean {
  if (/^[\w|-]*$/.test(pattern)) return pattern.split('|').includes(text)
  if (slow.has(pattern)) return false
  try {
    // Only a script can be stopped.
    return WHOLE.runInContext(createContext({ pattern, text }), { timeout: 1000 }) === true
  } catch {
    slow.add(pattern)
    return false
  }
}

// A thousand texts would take a thousand seconds.
const slow = new Set<string>()
const WHOLE = new Script('new RegExp(`^(?:${pattern})$`).test(text)')
