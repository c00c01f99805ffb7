import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerResponse } from 'node:http'
import { findSkill, type EngineTraffic } from '../../conversation/traffic.ts'
import { isDeciding, type DecidingUse } from '../../transcript/deciding-use.ts'
import type { ModelRequest } from '../../conversation/model.ts'

/** Finds the requests of a run that come after the call which decides it. */
export interface Decided {
  /**
   * Waits until the run is ended, for a request that comes after its deciding call: answering it would cost, and change
   * nothing. Resolves at once for other requests, and only once per run to `false` after a wait: an engine may see the
   * call otherwise, and goes on then.
   */
  isEnded(request: ModelRequest, response: ServerResponse): Promise<boolean>
}

export function createDecided(
  use: DecidingUse | undefined,
  traffic: readonly EngineTraffic[],
  over: AbortSignal,
): Decided {
  let hasWaited = use === undefined
  return {
    async isEnded(request, response) {
      if (hasWaited || use === undefined || !followsUse(request, use, traffic)) return false
      hasWaited = true
      const left = new AbortController()
      response.once('close', () => left.abort())
      const ended = AbortSignal.any([over, left.signal])
      await sleep(PATIENCE_MS, undefined, { signal: ended }).catch(ignoreEnd)
      return ended.aborted
    },
  }
}

// A worker ends its run within some milliseconds, unless the machine is very busy.
const PATIENCE_MS = 2000

function followsUse({ thread, messages }: ModelRequest, use: DecidingUse, traffic: readonly EngineTraffic[]): boolean {
  if (thread.kind !== 'main') return false
  const parts = messages.flatMap((message) => message.parts)
  const succeeded = new Set(parts.flatMap((part) => (part.kind === 'tool-result' && !part.isError ? [part.id] : [])))
  return parts.some((part) => {
    if (part.kind !== 'tool-call' || !succeeded.has(part.id)) return false
    const skill = findSkill(traffic, part.name, part.input)
    return skill !== null && isDeciding(skill, use)
  })
}

// That the run ends is what is waited for.
function ignoreEnd(): void {}
