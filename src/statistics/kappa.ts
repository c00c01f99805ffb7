/** Counts of the decisions of two raters between pass and fail. */
export interface TwoByTwo {
  readonly bothPass: number
  readonly bothFail: number
  /** The judge passed what the person would fail. */
  readonly judgePassed: number
  /** The judge failed what the person would pass. */
  readonly judgeFailed: number
}

/** Cohen's kappa with its 95 % interval. */
export interface Kappa {
  readonly value: number
  readonly interval: readonly [low: number, high: number]
}

/**
 * Agreement beyond chance, with the interval by its large-sample standard error; `null` where no rater could have
 * disagreed, since only one answer was ever given.
 */
export function kappaInterval({ bothPass, bothFail, judgePassed, judgeFailed }: TwoByTwo): Kappa | null {
  const total = bothPass + bothFail + judgePassed + judgeFailed
  if (total === 0) return null
  const [a, b, c, d] = [bothPass / total, judgePassed / total, judgeFailed / total, bothFail / total]
  const judgePass = a + b
  const personPass = a + c
  const chance = judgePass * personPass + (1 - judgePass) * (1 - personPass)
  if (chance === 1) return null

  const value = (a + d - chance) / (1 - chance)
  // Fleiss, Cohen and Everitt (1969).
  const onDiagonal =
    a * (1 - (judgePass + personPass) * (1 - value)) ** 2 + d * (1 - (2 - judgePass - personPass) * (1 - value)) ** 2
  const beside = (1 - value) ** 2 * (b * (personPass + 1 - judgePass) ** 2 + c * (judgePass + 1 - personPass) ** 2)
  const variance = (onDiagonal + beside - (value - chance * (1 - value)) ** 2) / (total * (1 - chance) ** 2)
  const half = Z * Math.sqrt(Math.max(0, variance))
  return { value, interval: [Math.max(-1, value - half), Math.min(1, value + half)] }
}

const Z = 1.959963984540054
