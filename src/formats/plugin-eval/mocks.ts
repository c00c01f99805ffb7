import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { refusing } from '../../checks/schemas.ts'
import { documentAt, errorAt, errorIn, warningIn, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { readDocument, readFrontMatter } from '../../lib/documents/read-document.ts'
import type { TrackedFs } from '../../lib/documents/read-text.ts'
import type { Validated } from '../../lib/documents/validate.ts'
import { isJsonObject } from '../../lib/json.ts'
import { groupBy, sumOf } from '../../lib/lists.ts'
import { sha256 } from '../../lib/sha256.ts'
import { checkGuard } from './mock-guard.ts'
import { validateStrictly } from './validate-strictly.ts'
import type { MockExpectation, MockResponder, MockServer, MockTool } from './model.ts'

/** The mocks that apply to a case. */
export interface LoadedMocks {
  readonly servers: readonly MockServer[]
  readonly issues: readonly Issue[]
}

/** Guards of one responder. */
const MAX_GUARDS = 32

/** Entries of one folder of mocks. */
const MAX_ENTRIES = 256

const SERVER_FILE = '_server.md'
const TOOLS_FILE = '_tools.json'
const NAME = /^[A-Za-z0-9_-]+$/
const UNFILLED = 'TODO: replace with the canned result this tool should return'

/** Reads the mocks of a case. A tool of a nearer folder replaces one of the same name. */
export async function loadMocks(folders: readonly string[], fs: TrackedFs): Promise<LoadedMocks> {
  const layers = await Promise.all(folders.map((folder) => readLayer(join(folder, 'mocks'), fs)))
  const issues = layers.flatMap((layer) => layer.issues)
  const read = groupBy(
    layers.flatMap(({ value }) => value ?? []),
    ({ name }) => name,
  )
  const servers = [...read.keys()].toSorted().map((name) => mergeServer(name, read.get(name) ?? []))
  const empty = servers.filter(({ tools }) => tools.length === 0).map(({ name }) => nothingMocked(folders, name))
  return { servers: servers.filter(({ tools }) => tools.length > 0), issues: [...issues, ...empty] }
}

/** A server as one folder has it. */
interface ReadServer {
  readonly name: string
  readonly responders: readonly Responded[]
  readonly listings: ReadonlyMap<string, Listing>
}

interface Responded {
  readonly tools: readonly string[]
  readonly isServer: boolean
  readonly responder: MockResponder
}

type Listing = Pick<MockTool, 'description' | 'inputSchema' | 'toolsFile'>

type Layer = Validated<readonly ReadServer[]>

async function readLayer(folder: string, fs: TrackedFs): Promise<Layer> {
  const entries = (await fs.list(folder)).filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  if (entries.length > MAX_ENTRIES) return refuse(tooMany(folder, entries.length))
  const read = await Promise.all(entries.map(({ name }) => readServer(join(folder, name), fs)))
  return { value: read.flatMap(({ value }) => value ?? []), issues: read.flatMap(({ issues }) => issues) }
}

async function readServer(folder: string, fs: TrackedFs): Promise<Layer> {
  const name = basename(folder)
  if (!NAME.test(name) || name.includes('__')) return refuse(wrongName(folder, 'the server'))
  const entries = await fs.list(folder)
  if (entries.length > MAX_ENTRIES) return refuse(tooMany(folder, entries.length))
  const files = entries.filter((entry) => /^[^.].*\.md$/.test(entry.name) && !entry.isDirectory())
  const { value: listings, issues } = await readListings(join(folder, TOOLS_FILE), fs)
  const read = await Promise.all(files.map((file) => readResponder(join(folder, file.name), fs)))
  return {
    value: [{ name, responders: read.flatMap(({ value }) => value ?? []), listings: listings ?? new Map() }],
    issues: [...issues, ...read.flatMap((one) => one.issues)],
  }
}

// Of several `_server.md` the nearest plays the server; it never replaces the file of a tool.
function mergeServer(name: string, layers: readonly ReadServer[]): MockServer {
  const all = layers.flatMap(({ responders }) => responders)
  const ordered = [all.findLast(({ isServer }) => isServer) ?? [], ...all.filter(({ isServer }) => !isServer)].flat()
  const responders = new Map(ordered.flatMap(({ tools, responder }) => tools.map((tool) => [tool, responder] as const)))
  const listings = new Map(layers.flatMap((layer) => [...layer.listings]))
  const tools = [...responders].map(([tool, responder]): MockTool => ({
    name: tool,
    ...(listings.get(tool) ?? unlisted(responder)),
    responder,
  }))
  return { name, tools }
}

function unlisted({ file }: MockResponder): Listing {
  return { description: '', inputSchema: { type: 'object' }, toolsFile: join(dirname(file), TOOLS_FILE) }
}

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const guard = scalar.check(refusing('invalid-value', checkGuard))
const expectation: z.ZodType<MockExpectation> = z.lazy(() =>
  z.union([guard, z.array(scalar).min(1, 'is an empty list, which no value satisfies'), guards]),
)
const guards = z.record(z.string(), expectation)
const expect = guards
  .refine((value) => countGuards(value) <= MAX_GUARDS, `has more than ${MAX_GUARDS} guards`)
  .optional()

function countGuards(expected: MockExpectation): number {
  if (typeof expected === 'string' || Array.isArray(expected)) return 1
  return sumOf(Object.values(expected), countGuards)
}

const tools = z.array(z.string().regex(NAME, 'the name of a tool contains only letters, digits, _ and -'))
const abortWhen = z
  .string()
  .default('')
  .transform((text) => (text.trim() === '' ? null : text))
const played = { type: z.literal('agent'), expect, abort_when: abortWhen }
const toolSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('fixed').optional(), expect, error: z.boolean().default(false) }),
  z.strictObject(played),
])
const serverSchema = z
  .strictObject({ ...played, tools: tools.min(1, 'must list the tools that _server.md answers') })
  .refine((value) => value.expect === undefined || value.tools.length === 1, {
    error: 'would guard every tool of _server.md; write it into the <tool>.md that it is meant for',
    path: ['expect'],
  })

function refuse(...issues: readonly Issue[]): Validated<never> {
  return { value: null, issues }
}

async function readResponder(file: string, fs: TrackedFs): Promise<Validated<Responded>> {
  const isServer = basename(file) === SERVER_FILE
  const tool = basename(file, '.md')
  if (!isServer && (!NAME.test(tool) || tool.includes('__'))) return refuse(wrongName(file, 'the tool'))
  const { text, issue } = await fs.readText(file)
  if (issue !== null) return refuse(issue)
  const { document, body, issues } = readFrontMatter(text, file)
  const problems = issues.filter(({ code }) => code !== 'empty-file')
  if (problems.length > 0) return refuse(...problems)

  const front = document !== null && document.value !== undefined ? document : emptyDocument(file)
  const read: Validated<PlayedServer | PlayedTool> = validateStrictly(front, isServer ? serverSchema : toolSchema)
  const { value } = read
  if (value === null) return refuse(...read.issues)
  const content = body.replace(/^\n+/, '').trimEnd()
  const problem = content.includes(UNFILLED)
    ? 'contains the placeholder of the template; write the answer of the tool'
    : value.type === 'agent' && content === ''
      ? 'needs a description of the server that it plays as its body'
      : null
  if (problem !== null) return refuse(errorAt(front, [], 'invalid-mock', problem))
  const base = { expect: value.expect ?? null, file, hash: sha256(text.replaceAll('\r\n', '\n'), 16) }
  const responder: MockResponder =
    value.type === 'agent'
      ? {
          ...base,
          kind: 'agent',
          prompt: content,
          abortWhen: value.abort_when,
          replayDir: join(dirname(dirname(file)), '.replay', basename(dirname(file))),
        }
      : { ...base, kind: 'fixed', body: content, isError: value.error }
  return { value: { tools: 'tools' in value ? value.tools : [tool], isServer, responder }, issues: [] }
}

type PlayedServer = z.output<typeof serverSchema>
type PlayedTool = z.output<typeof toolSchema>

const listingSchema = z.object({
  tools: z.array(
    z.object({
      name: z.string().min(1),
      description: z.string().default(''),
      inputSchema: z.record(z.string(), z.json()).default({ type: 'object' }),
    }),
  ),
})

async function readListings(file: string, fs: TrackedFs): Promise<Validated<ReadonlyMap<string, Listing>>> {
  if (fs.look(file) === null) return { value: null, issues: [] }
  const { text, issue } = await fs.readText(file)
  if (issue !== null) return refuse(issue)
  const document = readDocument(text, { kind: 'json', file, what: 'tools' })
  if (document.issues.length > 0) return refuse(...document.issues)
  const isResponse = isJsonObject(document.value) && document.value['result'] !== undefined
  const part = isResponse ? documentAt(document, ['result']) : document
  const { success, data } = listingSchema.safeParse(part.value)
  if (!success) {
    const message = 'expected the response to tools/list: {"tools": [{"name", "description", "inputSchema"}]}'
    return refuse(errorAt(part, ['tools'], 'invalid-mock', message))
  }
  const listings = data.tools.map(({ name, ...listing }) => [name, { ...listing, toolsFile: file }] as const)
  return { value: new Map(listings), issues: [] }
}

function emptyDocument(file: string): ReadDocument {
  return readDocument('{}', { kind: 'yaml', file })
}

function wrongName(file: string, what: string): Issue {
  const message = `must have the name of ${what}: letters, digits, - and single _ only`
  return errorIn(file, 'invalid-mock', message)
}

function tooMany(file: string, count: number): Issue {
  return errorIn(file, 'too-many-files', `there are ${count} entries; at most ${MAX_ENTRIES} are read`)
}

function nothingMocked(folders: readonly string[], name: string): Issue {
  const file = join(folders.at(-1) ?? '', 'mocks', name)
  const message = `mocks/${name} has no <tool>.md, so that nothing is mocked for ${name}`
  return { ...warningIn(file, 'no-effect', message), noEffect: true }
}
