import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AgentEvalsError } from '../lib/errors.ts'
import {
  OPTION_GROUPS,
  flagOf,
  isSwitch,
  variableOf,
  variableOptions,
  type Option,
  type Options,
} from '../options/option.ts'
import { OPTIONS } from '../options/options.ts'
import { formatOptions } from './flags.ts'

/** A command line of `run`, taken apart. */
export interface RunArguments {
  /** What our own flags say, as the environment says it. */
  readonly environment: Readonly<Record<string, string>>
  /** Id of the one golden test that is asked for, or a part of it. */
  readonly test: string | null
  /** Whether it may spend without asking first. */
  readonly yes: boolean
  /** Everything else in its order: filters, and flags for Vitest. */
  readonly rest: readonly string[]
}

/**
 * Takes our own flags out of a command line; what is left is for Vitest.
 *
 * @throws {AgentEvalsError} `invalid-options` for a flag without its value.
 */
export function readRunArguments(argv: readonly string[], cwd: string, options: Options = OPTIONS): RunArguments {
  const parsed = parsedFlags(options)
  const { tokens } = parseArgs({
    args: [...argv],
    options: parsed,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const environment: Record<string, string> = {}
  const taken = new Set<number>()
  let test: string | null = null
  let yes = false
  for (const token of tokens) {
    if (token.kind === 'option-terminator') break
    if (token.kind !== 'option' || !Object.hasOwn(parsed, token.name)) continue
    requireNoValue(token, parsed, options)
    refusePage(token, argv[token.index + 1])
    if (token.name === 'test') test = valueOf(token)
    else if (token.name === 'yes') yes = true
    else Object.assign(environment, variablesOf(token, cwd, environment, options))
    taken.add(token.index)
    if (token.value !== undefined && !token.inlineValue) taken.add(token.index + 1)
  }
  return { environment, test, yes, rest: argv.filter((_, index) => !taken.has(index)) }
}

/** An error about an option, in the words of the command line where a flag sets it. */
export function nameFlag(error: unknown, flags: RunArguments['environment']): unknown {
  if (!(error instanceof AgentEvalsError)) return error
  const named = variableOptions(OPTIONS).find(
    ([name]) => variableOf(name) in flags && error.message.startsWith(`${variableOf(name)} `),
  )
  if (named === undefined) return error
  const message = error.message.replace(variableOf(named[0]), `--${flagOf(...named)}`)
  return new AgentEvalsError(error.code, message, { cause: error })
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function variablesOf(
  token: OptionToken,
  cwd: string,
  earlier: RunArguments['environment'],
  options: Options,
): RunArguments['environment'] {
  const { name, rawName, value } = token
  if (name === 'live' || name === 'record') return { AGENT_EVALS_SOURCE: name }
  // Reports are written anyway; the word is the AAM text's. A place is named with -o.
  if (name === 'report' && value === undefined) return {}
  if (name === 'report' || name === 'report-file') return { AGENT_EVALS_REPORT: resolve(cwd, valueOf(token)) }
  if (name === 'html' || name === 'cache')
    return { [variableOf(name)]: token.inlineValue === true ? resolve(cwd, valueOf(token)) : '1' }
  if (name === 'no-html' || name === 'no-cache') return { [variableOf(name.slice(3))]: '0' }
  // Everything is what runs anyway; the word is the golden tests' own.
  if (name === 'all') return {}
  if (name === 'no-write') return { AGENT_EVALS_REPORT: '0', AGENT_EVALS_RUN_LOG: '0' }
  if (name === 'no-report') return { AGENT_EVALS_REPORT: '0' }

  const isOff = name.startsWith('no-')
  const flag = isOff ? name.slice(3) : name
  const [option, declared] = variableOptions(options).find((one) => flagOf(...one) === flag) ?? []
  if (option === undefined || declared === undefined)
    throw new AgentEvalsError('invalid-options', `${rawName} is not known.`)
  const variable = variableOf(option)
  if (isSwitch(declared)) return { [variable]: isOff ? '0' : value === undefined ? '1' : valueOf(token) }
  const before = REPEATABLE.has(option) ? earlier[variable] : undefined
  return { [variable]: [...(before === undefined ? [] : [before]), valueOf(token)].join(',') }
}

// `--live=no` would go live.
function requireNoValue(
  { name, rawName, value, inlineValue }: OptionToken,
  parsed: ParsedFlags,
  options: Options,
): void {
  const isSwitchOnly =
    parsed[name]?.type === 'boolean' && !variableOptions(options).some((one) => flagOf(...one) === name)
  if (inlineValue !== true || !isSwitchOnly) return
  throw new AgentEvalsError('invalid-options', `${rawName} takes no value, but has ${JSON.stringify(value)}.`)
}

// The file would be taken for a filter.
function refusePage({ name, inlineValue }: OptionToken, next: string | undefined): void {
  if (name !== 'html' || inlineValue === true || next?.endsWith('.html') !== true) return
  throw new AgentEvalsError('invalid-options', `The file of --html comes after "=". Write --html=${next}.`)
}

function valueOf({ rawName, value, inlineValue }: OptionToken): string {
  // A negative number is a value, and refused as one.
  const isAnother = inlineValue !== true && value !== undefined && /^-[^\d.]/.test(value)
  if (value !== undefined && value !== '' && !isAnother) return value
  throw new AgentEvalsError('invalid-options', `${rawName} needs a value.`)
}

type ParsedFlags = Readonly<Record<string, { readonly type: 'boolean' | 'string'; readonly short?: string }>>

function parsedFlags(options: Options): ParsedFlags {
  const flags = variableOptions(options).flatMap(([name, option]): ParsedFlags[] => {
    const flag = flagOf(name, option)
    if (name === 'report') return [REPORT_FLAGS]
    // A place is given with `=` only: what follows may be a filter.
    const type = isSwitch(option) || name === 'html' || name === 'cache' ? 'boolean' : 'string'
    return [{ [flag]: { type } }, type === 'boolean' ? { [`no-${flag}`]: { type } } : {}, MORE_FLAGS[name] ?? {}]
  })
  return Object.assign({}, ...flags) as ParsedFlags
}

const REPORT_FLAGS: ParsedFlags = {
  report: { type: 'boolean' },
  'no-report': { type: 'boolean' },
  'no-write': { type: 'boolean' },
  'report-file': { type: 'string', short: 'o' },
}

const MORE_FLAGS: Readonly<Record<string, ParsedFlags>> = {
  category: { test: { type: 'string' }, all: { type: 'boolean' } },
  source: { live: { type: 'boolean' }, record: { type: 'boolean' } },
  maxCostUsd: { yes: { type: 'boolean', short: 'y' } },
}

/** The help of the flags of options, in two columns. */
export function optionHelp(options: Options = OPTIONS): readonly string[] {
  return formatOptions(variableOptions(options).map(([name, option]) => describeFlag(name, option)))
}

/** The help of all flags of `run`, each under the heading of its group. */
export function groupedHelp(paint: (heading: string) => string): readonly string[] {
  const flags = variableOptions(OPTIONS)
  const rows = Object.entries(OPTION_GROUPS).flatMap(([group, heading]): readonly FlagRow[] => {
    const ofGroup = flags.filter(([, option]) => option.group === group)
    const [first, ...rest] = [
      ...ofGroup.map(([name, option]) => describeFlag(name, option)),
      ...(MORE_HELP[group] ?? []),
    ]
    return first === undefined ? [] : [{ heading, columns: first }, ...rest.map((columns) => ({ columns }))]
  })
  const lines = formatOptions(rows.map(({ columns }) => columns))
  return rows.flatMap(({ heading }, index) => [
    ...(heading === undefined ? [] : [...(index === 0 ? [] : ['']), paint(heading)]),
    lines[index] ?? '',
  ])
}

type Columns = readonly [name: string, meaning: string]

interface FlagRow {
  readonly heading?: string
  readonly columns: Columns
}

function describeFlag(name: string, option: Option): Columns {
  const { help, flagHelp, placeholder, usage = `--${flagOf(name, option)} ${placeholder ?? ''}`.trimEnd() } = option
  return [usage, flagHelp ?? help]
}

// What is no option.
const MORE_HELP: Readonly<Record<string, readonly Columns[]>> = {
  answers: [['-y, --yes', 'in a terminal, spend without asking first, as --live and --record do']],
}

/** These options alone, for a command that has only some of the flags of `run`. */
export function pickOptions(...names: readonly (keyof typeof OPTIONS)[]): Options {
  return Object.fromEntries(names.map((name): [string, Option] => [name, OPTIONS[name] as Option]))
}

/** Options of which the flag may be there several times. */
const REPEATABLE: ReadonlySet<string> = new Set(['budgets', 'engine', 'tag'])
