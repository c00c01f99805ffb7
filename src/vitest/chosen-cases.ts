/** Cases that a command line names, by absolute path of their suite file: their ids. */
export type ChosenCases = ReadonlyMap<string, ReadonlySet<string>>

/** Makes runs that a line selects run these cases alone, where more start at the line. */
export function chooseCases(cases: ChosenCases): void {
  Reflect.set(globalThis, CHOSEN, cases)
}

/** Ids of the cases of a suite file that the command line names; `undefined` where it names none. */
export function chosenCasesOf(file: string): ReadonlySet<string> | undefined {
  const chosen: unknown = Reflect.get(globalThis, CHOSEN)
  // Another copy of this module may have set it, as pnpm installs them: it is a map of the same form.
  return chosen instanceof Map ? (chosen as ChosenCases).get(file) : undefined
}

const CHOSEN = Symbol.for('vitest-agent-evals:chosen-cases')
