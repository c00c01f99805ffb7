/** The present time, by a clock that is set once and never jumps: differences are durations. */
export function steadyNow(): Date {
  return new Date(performance.timeOrigin + performance.now())
}
