import { parseCLI, version } from 'vitest/node'
import { similarName } from '../../lib/documents/nearest-name.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
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
 * @throws {AgentEvalsError} `invalid-options` for a flag that this Vitest does not have: its command refuses it, but what
 * reads the flags for us accepts any, and a mistyped option of ours must not become a live run. Behind `--` every flag passes.
 */
export function readVitestArguments(args: readonly string[]): VitestArguments {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const leading = args.slice(0, end)
  const flags = flagsOf(version)
  const unknown = Object.keys(parse(leading).options).filter((name) => name !== '--' && !flags.has(name))
  if (unknown.length > 0)
    throw new AgentEvalsError(
      'invalid-options',
      `${unknown.map((name) => describeUnknown(name, leading, flags)).join(' ')} If it is an option of Vitest, put it behind --.`,
    )
  const { filter, options } = parse([...leading, ...args.slice(end + 1)])
  return { filters: filter, options: settle(options, filter) }
}

// Of a later major nothing is known yet: it may have the flags of each.
function flagsOf(vitest: string): ReadonlySet<string> {
  const major = `vitest ${vitest.split('.')[0]}`
  const { both = [], ...single } = VITEST_FLAGS
  return new Set([...both, ...(single[major] ?? Object.values(single).flat())])
}

function parse(args: readonly string[]): ReturnType<typeof parseCLI> {
  try {
    return parseCLI(['vitest', 'run', ...args])
  } catch (error) {
    const reason = messageOf(error)
    throw new AgentEvalsError('invalid-options', `${reason}. See npx vitest --help.`, { cause: error })
  }
}

function describeUnknown(name: string, args: readonly string[], flags: ReadonlySet<string>): string {
  const written = args.find((arg) => flagName(arg) === name) ?? dashed(name)
  const near = similarName(name, [...RUN_FLAGS.keys(), ...[...flags].filter((one) => one.length > 1)])
  const hint = near === null ? '--help shows all options.' : `Did you mean ${dashed(RUN_FLAGS.get(near) ?? near)}?`
  return `${written.replace(/=.*/s, '')} is not known. ${hint}`
}

// As the parser names it: `--no-max-cost=1` is `maxCost`.
function flagName(argument: string): string {
  const [, name = ''] = /^--?(?:no-)?([^.=]+)/.exec(argument) ?? []
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

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

/** Names of the flags of `vitest run`, by the Vitest majors that have them. A test writes them from the help of both. */
export const VITEST_FLAGS: Readonly<Record<string, readonly string[]>> = {
  both: [
    'allowOnly',
    'api',
    'attachmentsDir',
    'bail',
    'browser',
    'c',
    'cache',
    'changed',
    'clearCache',
    'clearScreen',
    'color',
    'config',
    'configLoader',
    'coverage',
    'dangerouslyIgnoreUnhandledErrors',
    'detectAsyncLeaks',
    'diff',
    'dir',
    'disableConsoleIntercept',
    'dom',
    'environment',
    'exclude',
    'execArgv',
    'expandSnapshotDiff',
    'expect',
    'experimental',
    'fileParallelism',
    'globals',
    'h',
    'help',
    'hideSkippedTests',
    'hookTimeout',
    'includeTaskLocation',
    'inspect',
    'inspectBrk',
    'isolate',
    'listTags',
    'logHeapUsage',
    'maxConcurrency',
    'maxWorkers',
    'mergeReports',
    'mode',
    'open',
    'outputFile',
    'passWithNoTests',
    'pool',
    'printConsoleTrace',
    'project',
    'r',
    'reporter',
    'retry',
    'root',
    'run',
    'sequence',
    'shard',
    'silent',
    'slowTestThreshold',
    'standalone',
    'strictTags',
    't',
    'tagsFilter',
    'teardownTimeout',
    'testNamePattern',
    'testTimeout',
    'typecheck',
    'u',
    'ui',
    'update',
    'vmMemoryLimit',
    'w',
    'watch',
  ],
  'vitest 4': [],
  'vitest 5': [
    'fsModuleCache',
    'fsModuleCachePath',
    'injectCjsGlobals',
    'lastFailed',
    'p',
    'repeats',
    'sharedViteServer',
    'sinceLastRun',
  ],
}
