import { parseCLI } from 'vitest/node'
import { AgentEvalsError } from '../../errors.ts'

/** What Vitest makes of a command line. */
export interface VitestArguments {
  readonly filters: readonly string[]
  readonly options: VitestOptions
}

/** Options as Vitest's own command line spells them. */
export type VitestOptions = ReturnType<typeof parseCLI>['options']

/**
 * Reads what is left of a command line as Vitest would.
 *
 * @throws {AgentEvalsError} `invalid-options` for a flag that Vitest does not know either.
 */
export function readVitestArguments(args: readonly string[]): VitestArguments {
  try {
    const { filter, options } = parseCLI(['vitest', 'run', ...args])
    return { filters: filter, options: settle(options, filter) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AgentEvalsError(
      'invalid-options',
      `${reason}. See agent-evals run --help, and vitest --help for the rest.`,
      {
        cause: error,
      },
    )
  }
}

// What Vitest's command does between reading its options and starting.
function settle(options: VitestOptions, filters: readonly string[]): VitestOptions {
  const { exclude, ...rest } = options as VitestOptions & { exclude?: string | string[]; cliExclude?: string[] }
  return {
    ...rest,
    ...(exclude === undefined ? {} : { cliExclude: [exclude].flat() }),
    ...(filters.some((filter) => filter.includes(':')) ? { includeTaskLocation: true } : {}),
  }
}
