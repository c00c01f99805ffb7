import { measureNoise } from '../../statistics/noise.ts'
import { wilsonInterval } from '../../statistics/wilson.ts'
import { tallyOf } from './build-lift.ts'
import { roundInterval, thousandths } from '../../statistics/round.ts'
import type { ReportCase, ReportNoise } from '../report.ts'

/** Says how much runs of the same differ, arms apart; `null` where nothing was run twice. */
export function buildNoise(cases: readonly ReportCase[]): ReportNoise | null {
  const noise = measureNoise(cases.filter(({ arm, repeats }) => arm === null && repeats !== null).map(tallyOf))
  if (noise === null) return null
  return {
    cases: noise.cases,
    flipped: noise.flipped,
    flip_rate: thousandths(noise.flipped / noise.cases),
    flip_interval: roundInterval(wilsonInterval(noise.flipped, noise.cases)),
    disagreement: thousandths(noise.disagreement),
    floor: thousandths(noise.floor),
  }
}
