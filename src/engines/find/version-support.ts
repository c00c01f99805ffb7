import { AgentEvalsError } from '../../errors.ts'
import type { FoundEngine } from './find.ts'
import type { ProgramEngine } from '../engine.ts'

/** Which versions of a program are driven, and with what. */
export interface VersionSupport {
  /** The oldest version that passes the tests. */
  readonly oldest: string
  /** npm package that holds the program. */
  readonly npmPackage: string
  readonly newerFlags: readonly NewerFlag[]
}

/** A flag of a command line that only newer versions know. */
export interface NewerFlag {
  /** As it begins an argument, such as `--verbose`. Its value, if any, is part of the same argument. */
  readonly flag: string
  /** The first version that knows it. */
  readonly since: string
  /** What a run without it lacks, as a sentence. */
  readonly lost: string
}

/** How to install the newest version of a program. */
export function installCommand({ support }: Pick<ProgramEngine, 'support'>): string | null {
  return support === undefined ? null : `\`npm i -D ${support.npmPackage}@latest\``
}

/** @throws {AgentEvalsError} `engine-too-old` */
export function requireSupported(engine: ProgramEngine, executable: string, version: string | null): void {
  const { support } = engine
  if (support === undefined || version === null || !isOlder(version, support.oldest)) return
  throw new AgentEvalsError(
    'engine-too-old',
    `${engine.name} ${version} is too old: ${support.oldest} is the oldest supported version. Update ${executable}: ${installCommand(engine)}.`,
  )
}

/** The arguments without the flags that this version does not know. A version that is unknown knows all of them. */
export function supportedArguments(
  engine: Pick<ProgramEngine, 'support'>,
  version: string | null,
  args: readonly string[],
): readonly string[] {
  const unknown = unknownFlags(engine, version)
  return args.filter((argument) => !unknown.some(({ flag }) => argument === flag || argument.startsWith(`${flag}=`)))
}

/** What runs of this version lack, one sentence for each flag. */
export function describeLosses({ engine, version }: FoundEngine<ProgramEngine>): readonly string[] {
  return unknownFlags(engine, version).map(
    ({ flag, since, lost }) =>
      `${engine.name} ${version} has no \`${flag}\` (since ${since}). ${lost} Update it: ${installCommand(engine)}.`,
  )
}

function unknownFlags({ support }: Pick<ProgramEngine, 'support'>, version: string | null): readonly NewerFlag[] {
  return version === null ? [] : (support?.newerFlags ?? []).filter(({ since }) => isOlder(version, since))
}

/** Compares `1.2.3`; what follows the numbers, such as `-alpha.1`, does not count. */
function isOlder(version: string, than: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(than)]
  const index = right.findIndex((number, at) => number !== (left[at] ?? 0))
  return index >= 0 && (left[index] ?? 0) < (right[index] ?? 0)
}

function numbersOf(version: string): readonly number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number)
}
