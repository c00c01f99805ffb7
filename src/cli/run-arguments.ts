import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AgentEvalsError } from '../errors.ts'
import { optionVariables } from '../vitest/plugin/variables.ts'

/** A command line of `run`, taken apart. */
export interface RunArguments {
  /** What our own flags say, as the environment says it. */
  readonly environment: Readonly<Record<string, string>>
  /** Id of the one golden test that is asked for, or a part of it. */
  readonly test: string | null
  /** Everything else in its order: filters, and flags for Vitest. */
  readonly rest: readonly string[]
}

/** A flag of `run`. */
export interface RunFlag {
  readonly name: string
  readonly variable: string
  readonly isSwitch: boolean
}

/** The flags, one for each option that the environment can set. */
export const RUN_FLAGS: readonly RunFlag[] = optionVariables().map(({ option, variable, isSwitch }) => ({
  // The AAM text and BMAD call it by another name.
  name: option === 'kind' ? 'mode' : option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  variable,
  isSwitch,
}))

/**
 * Takes our own flags out of a command line; what is left is for Vitest.
 *
 * @throws {AgentEvalsError} `invalid-options` for a flag without its value.
 */
export function readRunArguments(argv: readonly string[], cwd: string): RunArguments {
  const { tokens } = parseArgs({
    args: [...argv],
    options: PARSED,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const environment: Record<string, string> = {}
  const taken = new Set<number>()
  let test: string | null = null
  for (const token of tokens) {
    if (token.kind === 'option-terminator') break
    if (token.kind !== 'option' || !Object.hasOwn(PARSED, token.name)) continue
    if (token.name === 'test') test = valueOf(token)
    else Object.assign(environment, say(token, cwd, environment))
    taken.add(token.index)
    if (token.value !== undefined && !token.inlineValue) taken.add(token.index + 1)
  }
  return { environment, test, rest: argv.filter((_, index) => !taken.has(index)) }
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function say(token: OptionToken, cwd: string, said: RunArguments['environment']): RunArguments['environment'] {
  const { name, rawName, value } = token
  if (name === 'live' || name === 'record') return { AGENT_EVALS_SOURCE: name }
  // Reports are written anyway; the word is the AAM text's. A place is said with -o.
  if (name === 'report' && value === undefined) return {}
  if (name === 'report' || name === 'report-file') return { AGENT_EVALS_REPORT: resolve(cwd, valueOf(token)) }
  if (name === 'html') return { AGENT_EVALS_HTML: token.inlineValue === true ? resolve(cwd, valueOf(token)) : '1' }
  if (name === 'no-html') return { AGENT_EVALS_HTML: '0' }
  // Everything is what runs anyway; the word is the golden tests' own.
  if (name === 'all') return {}
  if (name === 'no-write') return { AGENT_EVALS_REPORT: '0', AGENT_EVALS_RUN_LOG: '0' }
  if (name === 'no-report') return { AGENT_EVALS_REPORT: '0' }

  const isOff = name.startsWith('no-')
  const flag = RUN_FLAGS.find((one) => one.name === (isOff ? name.slice(3) : name))
  if (flag === undefined) throw new AgentEvalsError('invalid-options', `${rawName} is not known.`)
  if (flag.isSwitch) return { [flag.variable]: isOff ? '0' : (value ?? '1') }
  const before = name === 'engine' ? said[flag.variable] : undefined
  return { [flag.variable]: [...(before === undefined ? [] : [before]), valueOf(token)].join(',') }
}

function valueOf({ rawName, value, inlineValue }: OptionToken): string {
  const isAnother = inlineValue !== true && value?.startsWith('-') === true && value !== '-'
  if (value !== undefined && value !== '' && !isAnother) return value
  throw new AgentEvalsError('invalid-options', `${rawName} needs a value.`)
}

const PARSED: Readonly<Record<string, { readonly type: 'boolean' | 'string'; readonly short?: string }>> = {
  ...Object.fromEntries(
    RUN_FLAGS.flatMap(({ name, isSwitch }): [string, { type: 'boolean' | 'string' }][] =>
      isSwitch
        ? [
            [name, { type: 'boolean' }],
            [`no-${name}`, { type: 'boolean' }],
          ]
        : [[name, { type: 'string' }]],
    ),
  ),
  report: { type: 'boolean' },
  // A place is given with `=` only: what follows may be a filter.
  html: { type: 'boolean' },
  'no-html': { type: 'boolean' },
  'no-report': { type: 'boolean' },
  'report-file': { type: 'string', short: 'o' },
  test: { type: 'string' },
  all: { type: 'boolean' },
  'no-write': { type: 'boolean' },
  live: { type: 'boolean' },
  record: { type: 'boolean' },
}
