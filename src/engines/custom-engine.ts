import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { WIRE_NAMES } from '../gateway/wires/apis.ts'
import { AgentEvalsError, messageOf } from '../lib/errors.ts'
import type { EngineCommand, Installation, ProgramEngine } from './engine.ts'
import type { StreamSummary } from './stream.ts'
import { engines } from './registry.ts'

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
  const wrong = Object.entries(FIELDS).filter(
    ([field, schema]) => !schema.safeParse(Reflect.get(engine, field)).success,
  )
  const fields = wrong.map(([field, { description = '' }]) => `\`${field}\` (${description})`)
  if (fields.length > 0) throw refuse(`has no ${fields.join(', ')}`)
  return validateCustomEngine(engine as ProgramEngine, name, file)
}

/** An engine of the user's own, whose mistakes are reported as its own, by the function that made them. */
function validateCustomEngine(engine: ProgramEngine, name: string, file: string): ProgramEngine {
  const check = checkerOf(name, file)
  return {
    ...engine,
    name,
    runtimeFiles: (executable) => check('runtimeFiles', () => engine.runtimeFiles(executable), TEXTS),
    parseVersion: (stdout) => check('parseVersion', () => engine.parseVersion(stdout), TEXT_OR_NULL),
    install: (request) => check('install', () => engine.install(request), INSTALLATION),
    command: (request) => check('command', () => engine.command(request), COMMAND),
    createReader() {
      const reader = check('createReader', () => engine.createReader(), READER)
      return {
        line: (text) => check('line', () => reader.line(text), EVENTS),
        end: () => check('end', () => reader.end(), SUMMARY),
      }
    },
  }
}

type Check = <T>(name: string, work: () => T, shape: z.ZodType) => T

function checkerOf(engine: string, file: string): Check {
  const fail = (name: string, what: string, cause?: unknown): AgentEvalsError =>
    new AgentEvalsError('engine-failed', `The engine "${engine}" has a mistake: \`${name}\` of ${file} ${what}.`, {
      cause,
    })
  return (name, work, shape) => {
    const value = attempt(work, (error) => fail(name, `threw ${describe(error)}`, error))
    const [issue] = shape.safeParse(value).error?.issues ?? []
    if (issue === undefined) return value
    const place = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `
    throw fail(name, `returned an invalid value (${place}${issue.message})`)
  }
}

function attempt<T>(work: () => T, failure: (error: unknown) => AgentEvalsError): T {
  try {
    return work()
  } catch (error) {
    throw failure(error)
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}`.replace(/\.$/, '') : String(error)
}

const TEXTS = z.array(z.string())
const TEXT_OR_NULL = z.string().nullable()
const FUNCTION = z.custom((value) => typeof value === 'function', 'expected a function').describe('a function')

/** What an engine must have. */
const FIELDS: Readonly<Record<string, z.ZodType>> = {
  executable: z.string().min(1).describe('a name'),
  wire: z.enum(WIRE_NAMES).describe(WIRE_NAMES.join(', ')),
  transport: z.enum(['socket', 'tcp']).describe('socket, tcp'),
  versionArguments: TEXTS.describe('a list of texts'),
  runtimeFiles: FUNCTION,
  parseVersion: FUNCTION,
  install: FUNCTION,
  command: FUNCTION,
  createReader: FUNCTION,
}

const INSTALLATION: z.ZodType<Installation> = z.object({
  files: z.array(z.object({ to: z.string(), content: z.string() })),
  copies: z.array(z.object({ from: z.string(), to: z.string(), exclude: TEXTS })),
  configFiles: z.array(z.object({ to: z.string(), content: z.string() })),
  hookPlan: z.object({
    packageRoot: z.string(),
    hooks: z.array(z.object({ id: z.string(), event: z.string(), command: z.string(), timeout: z.number() })),
  }),
  warnings: TEXTS,
})

const COMMAND: z.ZodType<EngineCommand> = z.object({
  arguments: TEXTS,
  env: z.record(z.string(), z.string()),
  stdin: z.string(),
})

const READER = z.looseObject({ line: FUNCTION, end: FUNCTION })

const KINDS = z.enum(['message', 'tool-call', 'tool-result', 'skill-used', 'hook', 'api-retry', 'notice'])
const EVENTS = z.array(z.looseObject({ kind: KINDS, agent: TEXT_OR_NULL }))

const SUMMARY: z.ZodType<StreamSummary> = z.object({
  status: z.enum(['completed', 'timed-out', 'cancelled', 'api-error', 'limit-reached', 'crashed']).nullable(),
  problem: TEXT_OR_NULL,
  version: TEXT_OR_NULL,
  sessionId: TEXT_OR_NULL,
  model: TEXT_OR_NULL,
  output: z.string(),
  finalMessage: z.string(),
  skills: TEXTS.nullable(),
  hooksWithoutVerdict: z.number(),
})
