import { setTimeout as sleep } from 'node:timers/promises'
import { sweepLeftovers } from './sweep-leftovers.ts'

// A program: it runs when the process that had sessions was killed. Workers of that process may notice a moment later.
for (const pauseMs of [0, 500, 2000]) {
  await sleep(pauseMs)
  await sweepLeftovers().catch(leaveToNextStart)
}

function leaveToNextStart(): void {}
