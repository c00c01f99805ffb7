import { expect, type Matcher } from 'vitest'
import { movedTo, callSiteOf } from '../runtime/call-site.ts'
import * as matchers from './matchers.ts'
import './augment.ts'

expect.extend(Object.fromEntries(Object.entries(matchers).map(([name, matcher]) => [name, atItsLine(matcher)])))

/** The same matcher, whose errors name the line of the test that called it instead of one of ours. */
function atItsLine(matcher: Matcher): Matcher {
  return function placed(...args) {
    const site = callSiteOf(placed)
    const move = (error: unknown): never => {
      throw movedTo(site, error)
    }
    try {
      const result = matcher.apply(this, args)
      return result instanceof Promise ? result.catch(move) : result
    } catch (error) {
      return move(error)
    }
  }
}
