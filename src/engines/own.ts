import { pathToFileURL } from 'node:url'
import { AgentEvalsError } from '../errors.ts'
import type { Engine } from './engine.ts'

/**
 * Loads the engine that a user supplies under this name; `undefined` when there is none.
 *
 * @throws {AgentEvalsError} `unsupported-engine` when the module cannot be loaded or holds no engine.
 */
export async function loadOwnEngine(
  name: string,
  modules: Readonly<Record<string, string>>,
): Promise<Engine | undefined> {
  const file = Object.hasOwn(modules, name) ? modules[name] : undefined
  if (file === undefined) return undefined
  const refuse = (why: string, cause?: unknown): AgentEvalsError =>
    new AgentEvalsError('unsupported-engine', `The engine "${name}" cannot be used: ${file} ${why}.`, { cause })
  const loaded: { readonly default?: unknown } = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw refuse(`does not load (${error instanceof Error ? error.message : String(error)})`, error)
  })
  const engine = loaded.default
  if (typeof engine !== 'object' || engine === null) throw refuse('has no default export that is an engine')
  const missing = [...FUNCTIONS, ...TEXTS].filter((field) => !isFilled(engine, field))
  if (missing.length > 0) throw refuse(`has no ${missing.map((field) => `\`${field}\``).join(', ')}`)
  return { ...(engine as Engine), name }
}

const FUNCTIONS = ['runtimeFiles', 'parseVersion', 'install', 'command', 'createReader']
const TEXTS = ['executable', 'wire', 'reaches']

function isFilled(engine: object, field: string): boolean {
  const value: unknown = Reflect.get(engine, field)
  return FUNCTIONS.includes(field) ? typeof value === 'function' : typeof value === 'string' && value !== ''
}
