import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { isJsonObject } from '../../lib/json.ts'
import { nearest } from '../../options/option.ts'
import type { RunSettings } from '../../options/settings.ts'
import { BEFORE } from '../../formats/before.ts'
import { nameVariant, tagsOf, variantsOf, type Variant } from '../../formats/variants.ts'
import { packageRootOf } from '../../packages/package-root.ts'
import { sha256 } from '../../lib/sha256.ts'
import '../provided.ts'
import { tryReadJson } from '../../lib/files.ts'

/**
 * Notes the code of each test, by which two reports know whether they tell of the same one, and makes it one per engine
 * and model, by name and tags, where several are asked for: as cases of files are.
 */
export function declareTests<Test extends object>(test: Test): Test {
  return new Proxy(test, {
    // Without a frame more than it takes: Vitest finds the line of a test among the first ten.
    apply(target, _self, args: readonly unknown[]) {
      let made: unknown
      for (const one of declarations(args)) made = (target as Declare)(...one)
      return made
    },
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function' || typeof name !== 'string') return value
      if (SAME.has(name)) return declareTests(value)
      if (MAKES_SAME.has(name))
        return (...args: unknown[]) => declareTests(Reflect.apply(value, target, args) as object)
      return value
    },
  })
}

type Declare = (...args: unknown[]) => unknown

// What they give declares tests too.
const SAME: ReadonlySet<string> = new Set(['concurrent', 'fails', 'only', 'sequential', 'skip', 'todo'])
const MAKES_SAME: ReadonlySet<string> = new Set(['each', 'extend', 'for', 'runIf', 'skipIf'])

function declarations(args: readonly unknown[]): readonly (readonly unknown[])[] {
  const [name, ...rest] = args
  const noted = withOptions(rest)
  const variants = variantsAsked()
  const text = typeof name === 'function' ? name.name : String(name)
  const all =
    variants.length === 0
      ? [[name, ...noted]]
      : variants.map((variant) => [nameVariant(text, variant), ...withTags(noted, tagsOf(variant))])
  if (!hasBefore()) return all
  return all.flatMap((one) => [one, [`${typeof one[0] === 'string' ? one[0] : text}${BEFORE}`, ...one.slice(1)]])
}

interface DeclaredOptions {
  readonly tags?: string | readonly string[]
  readonly meta?: object
}

// Options stand before the function; a number after it is Vitest's older way to say the timeout.
function withOptions(rest: readonly unknown[]): readonly unknown[] {
  const [first, second] = rest
  const [options, body] =
    typeof first === 'function' ? [typeof second === 'number' ? { timeout: second } : {}, first] : [first, second]
  if (typeof body !== 'function' || typeof options !== 'object' || options === null) return rest
  const { meta = {} } = options as DeclaredOptions
  return [{ ...options, meta: { ...meta, agentEvalsCode: hashOfCode(body as Declare) } }, withoutValue(body as Declare)]
}

// Vitest keeps what a test returns until its file is over, and the assertion of a test in one line holds a transcript.
// It finds the fixtures of a test in its text. Bound and chained, since a function would be a frame of ours in errors.
function withoutValue(body: Declare): Declare {
  // oxlint-disable-next-line promise/prefer-await-to-then -- an `await` is a frame too
  const bare = (...args: unknown[]): Promise<void> =>
    Promise.resolve()
      .then(Reflect.apply.bind(undefined, body, undefined, args))
      .then(returnNothing)
  return Object.assign(bare, { toString: () => body.toString() })
}

function returnNothing(): void {}

// How imports are called in it is the bundler's.
function hashOfCode(body: Declare): string {
  const code = body
    .toString()
    .replaceAll(/\(0,\s*__[a-z]+(?:_[a-z]+)*_import_\d+__\.(\w+)\)|__[a-z]+(?:_[a-z]+)*_import_\d+__\./g, '$1')
  return sha256(code)
}

function withTags([options, ...rest]: readonly unknown[], further: readonly string[]): readonly unknown[] {
  if (typeof options !== 'object' || options === null) return [options, ...rest]
  const { tags = [] } = options as DeclaredOptions
  return [{ ...options, tags: [tags, further].flat(2) }, ...rest]
}

// Tests of the user's own projects are not compared.
function hasBefore(): boolean {
  const settings = inject('agentEvals') as RunSettings | undefined
  return settings?.before !== undefined
}

function variantsAsked(): readonly Variant[] {
  const settings = inject('agentEvals') as RunSettings | undefined
  const file = expect.getState().testPath
  if (settings === undefined || file === undefined) return []
  const { engineMatrix, modelMatrix } = settings
  const { environment, option } = engineMatrix
  if ((environment ?? option ?? []).length < 2) return variantsOf([], modelMatrix)
  return variantsOf(nearest(engineMatrix, configuredEngine(packageRootOf(file, settings.root)), []), modelMatrix)
}

// Tests are declared before anything can be awaited. What is wrong with the file is reported where it is used.
function configuredEngine(packageRoot: string): readonly string[] | null {
  const config = tryReadJson(join(packageRoot, 'evals', 'eval-config.json'))
  return isJsonObject(config) && typeof config['engine'] === 'string' ? [config['engine']] : null
}
