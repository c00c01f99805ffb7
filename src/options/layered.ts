/** A value by where it was set: the environment beats the suite's file, the plugin option does not. */
export interface Layered<T> {
  readonly environment: T | null
  readonly option: T | null
}

/** The nearest value: environment, suite, option, else the default. */
export function nearest<T>(set: Layered<T>, suite: T | null, fallback: T): T {
  return set.environment ?? suite ?? set.option ?? fallback
}
