/** A value by where it was set: the environment beats the suite's file, the plugin option does not. */
export interface Layered<T> {
  readonly environment: T | null
  readonly option: T | null
}

/** The nearest value: environment, suite, option, else the default. */
export function nearest<T>(set: Layered<T>, suite: T | null, fallback: T): T {
  return set.environment ?? suite ?? set.option ?? fallback
}

/** An option as its declaration types it: what a user gives, what its schema makes of that, and what a run gets. */
export interface OptionType<Given, Value, Resolved, Fields = unknown> {
  readonly given: Given
  readonly value: Value
  readonly resolved: Resolved
  readonly fields: Fields
}

/** An option with a default. */
export type Defaulted<T> = OptionType<T, T, T, { readonly default: T }>

/** An option that is `null` where nothing sets it. */
export type Optional<Given, Value = Given> = OptionType<Given, Value, Value | null>

/** An option that a suite's file may set too: it beats the plugin's option, and the environment beats the file. */
export type PerSuite<Given, Value = Given> = OptionType<Given, Value, Layered<Value>, { readonly isLayered: true }>

/** One option. Its schema, variable, flag, line of help and row in docs/options.md all come from this. */
export interface Option<Value = unknown> {
  readonly schema: ValueSchema<Value>
  /** What it does, for the help and the docs. */
  readonly help: string
  /** What its flag does, where that is not what the option does. */
  readonly flagHelp?: string
  /** Under which heading the help has its flag; a configuration has none. */
  readonly group?: OptionGroup
  /** Its default in words, for the docs, where `default` does not say it. */
  readonly usual?: string
  readonly default?: Value
  readonly isLayered?: true
  /** Whether a value in the environment is a path, which is relative to the working directory there. */
  readonly isPath?: true
  /** Whether only a configuration can set it. */
  readonly isConfigOnly?: true
  /** Its flag, where that is not its own name in kebab case. */
  readonly flag?: string
  /** What follows the flag in the help, such as `N`. */
  readonly placeholder?: string
  /** The whole left column of the help, where it has further flags. */
  readonly usage?: string
}

/** Headings of the help of `run`, by name and in order. */
export const OPTION_GROUPS = {
  run: 'What to run',
  answers: 'Answers and cost',
  judging: 'Judging',
  sandbox: 'Sandbox',
  output: 'Output',
  'plugin-evals': 'Plugin evals',
} as const

/** A name of the list of headings. */
export type OptionGroup = keyof typeof OPTION_GROUPS

/** What is used of a schema of zod here: the published types must not need zod. */
export interface ValueSchema<Value> {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: Value | undefined }
}

/** A list of options by name. */
export type Options = Readonly<Record<string, Option>>

/** The declarations that a type of options asks for. */
export type OptionsOf<Types> = {
  readonly [Name in keyof Types]: Types[Name] extends OptionType<unknown, infer Value, unknown, infer Fields>
    ? Fields & Option<Value>
    : never
}

/** Whether an option is on or off. */
export function isSwitch({ schema }: Option): boolean {
  return accepts(schema, true) && accepts(schema, false) && !accepts(schema, 'text')
}

/** The variable that sets an option. */
export function variableOf(name: string): string {
  return `AGENT_EVALS_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
}

/** The flag that sets an option, without its dashes. */
export function flagOf(name: string, { flag }: Option): string {
  return flag ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The options that the environment and the command line can set. */
export function variableOptions(options: Options): readonly (readonly [name: string, option: Option])[] {
  return Object.entries(options).filter(([, { isConfigOnly }]) => isConfigOnly !== true)
}

/** Reads a variable: a number or a word such as `true` where the option takes one, else the text. */
export function readVariable({ schema }: Option, text: string): unknown {
  // `Number('')` is 0.
  if (accepts(schema, 1) && !accepts(schema, text)) return text.trim() === '' ? Number.NaN : Number(text)
  const word = WORDS[text]
  return word !== undefined && accepts(schema, word) ? word : text
}

const WORDS: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false }

function accepts(schema: ValueSchema<unknown>, value: unknown): boolean {
  return schema.safeParse(value).success
}
