import { parseCLI } from 'vitest/node'
import { AgentEvalsError, messageOf } from '../../errors.ts'
import { nearestName } from '../../documents/nearest-name.ts'
import { flagOf, variableOptions } from '../../options/option.ts'
import { OPTIONS } from '../../options/options.ts'

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
 * @throws {AgentEvalsError} `invalid-options` for a flag that is nearly one of ours. Vitest accepts any flag, and a
 * mistyped option of ours must not become a live run. Behind `--` every flag passes.
 */
export function readVitestArguments(args: readonly string[]): VitestArguments {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const mistyped = Object.keys(parse(args.slice(0, end)).options).flatMap((name) => describeMistyped(name))
  if (mistyped.length > 0)
    throw new AgentEvalsError(
      'invalid-options',
      `${mistyped.join(' ')} If it is an option of Vitest, put it behind --.`,
    )
  const { filter, options } = parse([...args.slice(0, end), ...args.slice(end + 1)])
  return { filters: filter, options: settle(options, filter) }
}

function parse(args: readonly string[]): ReturnType<typeof parseCLI> {
  try {
    return parseCLI(['vitest', 'run', ...args])
  } catch (error) {
    const reason = messageOf(error)
    throw new AgentEvalsError('invalid-options', `${reason}. See npx vitest --help.`, { cause: error })
  }
}

function describeMistyped(name: string): readonly string[] {
  const near = SIMILAR_FLAGS.has(name) ? null : nearestName(name, RUN_FLAGS.keys())
  return near === null ? [] : [`${dashed(name)} is not known. Did you mean --${RUN_FLAGS.get(near)}?`]
}

// Vitest's own, which look like one of ours.
const SIMILAR_FLAGS: ReadonlySet<string> = new Set(['expect', 'mode', 'reporter', 'run', 'shard'])

function dashed(name: string): string {
  return `${name.length === 1 ? '-' : '--'}${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

// By the name of the option, which is not always that of the flag: `kind` is `--mode`.
const RUN_FLAGS: ReadonlyMap<string, string> = new Map([
  ...variableOptions(OPTIONS).map(([name, option]) => [name, flagOf(name, option)] as const),
  ['live', 'live'],
  ['record', 'record'],
])

// What Vitest's command does between reading its options and starting.
function settle(options: VitestOptions, filters: readonly string[]): VitestOptions {
  const { exclude, ...rest } = options as VitestOptions & { exclude?: string | string[]; cliExclude?: string[] }
  return {
    ...rest,
    ...(exclude === undefined ? {} : { cliExclude: [exclude].flat() }),
    ...(filters.some((filter) => filter.includes(':')) ? { includeTaskLocation: true } : {}),
  }
}
