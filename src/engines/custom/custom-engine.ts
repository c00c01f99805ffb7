import { WIRE_NAMES } from '../../gateway/wires/apis.ts'
import { pathToFileURL } from 'node:url'
import { AgentEvalsError, messageOf } from '../../errors.ts'
import { validateCustomEngine } from './validate-custom-engine.ts'
import { engines } from '../registry.ts'
import type { ProgramEngine } from '../engine.ts'

/**
 * Loads the engine that a user supplies under this name; `undefined` when there is none.
 *
 * @throws {AgentEvalsError} `unsupported-engine` when the module cannot be loaded or holds no engine.
 */
export async function loadCustomEngine(
  name: string,
  modules: Readonly<Record<string, string>>,
): Promise<ProgramEngine | undefined> {
  const file = Object.hasOwn(modules, name) ? modules[name] : undefined
  if (file === undefined) return undefined
  const refuse = (why: string, cause?: unknown): AgentEvalsError =>
    new AgentEvalsError('unsupported-engine', `The engine "${name}" cannot be used: ${file} ${why}.`, { cause })
  if (Object.hasOwn(engines, name)) throw refuse('has the name of a built-in engine; rename it')
  const loaded: { readonly default?: unknown } = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw refuse(`does not load (${messageOf(error)})`, error)
  })
  if (typeof loaded.default !== 'object' || loaded.default === null)
    throw refuse('has no default export that is an engine')
  const engine = loaded.default
  const wrong = Object.entries(FIELDS).filter(([field, { is }]) => !is(Reflect.get(engine, field)))
  if (wrong.length > 0) throw refuse(`has no ${wrong.map(([field, { what }]) => `\`${field}\` (${what})`).join(', ')}`)
  return validateCustomEngine(engine as ProgramEngine, name, file)
}

interface Field {
  readonly what: string
  readonly is: (value: unknown) => boolean
}

const FUNCTION: Field = { what: 'a function', is: (value) => typeof value === 'function' }

const FIELDS: Readonly<Record<string, Field>> = {
  executable: { what: 'a name', is: (value) => typeof value === 'string' && value !== '' },
  wire: oneOf(...WIRE_NAMES),
  transport: oneOf('socket', 'tcp'),
  versionArguments: {
    what: 'a list of texts',
    is: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  },
  runtimeFiles: FUNCTION,
  parseVersion: FUNCTION,
  install: FUNCTION,
  command: FUNCTION,
  createReader: FUNCTION,
}

function oneOf(...names: readonly string[]): Field {
  return { what: names.join(', '), is: (value) => typeof value === 'string' && names.includes(value) }
}
