import { setTimeout as sleep } from 'node:timers/promises'
import { sweepLeftovers } from './sweep-leftovers.ts'

// A program: it runs when the process that had sessions was killed. Workers of that process may notice a moment later,
// on a busy machine a long one.
for (const pauseMs of [0, 500, 2000, 4000, 8000]) {
  await sleep(pauseMs)
  await sweepLeftovers().catch(leaveToNextStart)
}

function leaveToNextStart(): void {}
