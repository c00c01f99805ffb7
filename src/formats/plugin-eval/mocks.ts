import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { documentAt, errorAt, errorIn, warningIn, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { readDocument, readFrontMatter } from '../../lib/documents/read-document.ts'
import type { TrackedFs } from '../../lib/documents/read-text.ts'
import { validate } from '../../lib/documents/validate.ts'
import { isJsonObject } from '../../lib/json.ts'
import { sha256 } from '../../lib/sha256.ts'
import { checkExpectations } from './mock-guard.ts'
import type { MockExpectation, MockResponder, MockServer, MockTool } from './model.ts'

/** The mocks that apply to a case. */
export interface LoadedMocks {
  readonly servers: readonly MockServer[]
  readonly issues: readonly Issue[]
}

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
  const names = new Set(layers.flatMap(({ servers }) => servers.map(({ name }) => name)))
  const servers = [...names].toSorted().map((name) =>
    mergeServer(
      name,
      layers.flatMap((layer) => layer.servers.filter((server) => server.name === name)),
    ),
  )
  const empty = servers.filter(({ tools }) => tools.length === 0).map(({ name }) => nothingMocked(folders, name))
  return { servers: servers.filter(({ tools }) => tools.length > 0), issues: [...issues, ...empty] }
}

interface ReadServer {
  readonly name: string
  readonly tools: ReadonlyMap<string, MockResponder>
  readonly agent: { readonly responder: MockResponder; readonly tools: readonly string[] } | null
  readonly listings: ReadonlyMap<string, Listing>
}

type Listing = Pick<MockTool, 'description' | 'inputSchema' | 'toolsFile'>

interface Layer {
  readonly servers: readonly ReadServer[]
  readonly issues: readonly Issue[]
}

async function readLayer(folder: string, fs: TrackedFs): Promise<Layer> {
  const entries = (await fs.list(folder)).filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  if (entries.length > MAX_ENTRIES) return { servers: [], issues: [tooMany(folder, entries.length)] }
  const read = await Promise.all(entries.map(({ name }) => readServer(join(folder, name), fs)))
  return { servers: read.flatMap(({ servers }) => servers), issues: read.flatMap(({ issues }) => issues) }
}

async function readServer(folder: string, fs: TrackedFs): Promise<Layer> {
  const name = basename(folder)
  if (!NAME.test(name) || name.includes('__')) return { servers: [], issues: [wrongName(folder, 'the server')] }
  const entries = await fs.list(folder)
  if (entries.length > MAX_ENTRIES) return { servers: [], issues: [tooMany(folder, entries.length)] }
  const files = entries
    .filter((entry) => isResponderFile(entry.name) && !entry.isDirectory())
    .map((entry) => entry.name)
  const listings = await readListings(join(folder, TOOLS_FILE), fs)
  const read = await Promise.all(files.map((file) => readResponder(join(folder, file), fs)))
  const tools = new Map<string, MockResponder>()
  let agent: ReadServer['agent'] = null
  for (const [index, file] of files.entries()) {
    const one = read[index]
    if (one === undefined || one.responder === null) continue
    if (file === SERVER_FILE) agent = { responder: one.responder, tools: one.tools }
    else tools.set(basename(file, '.md'), one.responder)
  }
  return {
    servers: [{ name, tools, agent, listings: listings.listings }],
    issues: [...listings.issues, ...read.flatMap(({ issues }) => issues)],
  }
}

function isResponderFile(name: string): boolean {
  return name.endsWith('.md') && !name.startsWith('.')
}

function mergeServer(name: string, layers: readonly ReadServer[]): MockServer {
  const agent = layers.findLast((layer) => layer.agent !== null)?.agent ?? null
  const responders = new Map<string, MockResponder>(agent?.tools.map((tool) => [tool, agent.responder]) ?? [])
  for (const { tools } of layers) for (const [tool, responder] of tools) responders.set(tool, responder)
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
const expectation: z.ZodType<MockExpectation> = z.lazy(() =>
  z.union([scalar, z.array(scalar), z.record(z.string(), expectation)]),
)
const responderSchema = z.strictObject({
  type: z.enum(['fixed', 'agent']).default('fixed'),
  expect: z.record(z.string(), expectation).optional(),
  error: z.boolean().optional(),
  tools: z.array(z.string().regex(NAME, 'the name of a tool contains only letters, digits, _ and -')).optional(),
  abort_when: z.string().optional(),
})

interface ReadResponder {
  readonly responder: MockResponder | null
  readonly tools: readonly string[]
  readonly issues: readonly Issue[]
}

async function readResponder(file: string, fs: TrackedFs): Promise<ReadResponder> {
  const isServer = basename(file) === SERVER_FILE
  const tool = basename(file, '.md')
  if (!isServer && (!NAME.test(tool) || tool.includes('__'))) return refused(wrongName(file, 'the tool'))
  const { text, issue } = await fs.readText(file)
  if (issue !== null) return refused(issue)
  const { document, body, issues } = readFrontMatter(text, file)
  const problems = issues.filter(({ code }) => code !== 'empty-file')
  if (problems.length > 0) return { responder: null, tools: [], issues: problems }

  const front = document !== null && document.value !== undefined ? document : emptyDocument(file)
  const { value, issues: wrong } = validate(front, responderSchema)
  // An unknown field of a mock is an error, as for Claude Code.
  const strict = wrong.map((one): Issue => (one.code === 'unknown-field' ? toError(one) : one))
  if (value === null || strict.length > 0) return { responder: null, tools: [], issues: strict }
  const { type, expect = null, error, tools = [], abort_when: abortWhen } = value
  const content = body.replace(/^\n+/, '').trimEnd()
  const fail = (path: string, message: string): ReadResponder =>
    refused(errorAt(front, [path], 'invalid-mock', message))
  const guard = expect === null ? null : checkExpectations(expect)
  if (guard !== null) return refused(errorAt(documentAt(front, ['expect']), guard.path, 'invalid-mock', guard.problem))
  if (value.tools !== undefined && !isServer) return fail('tools', 'is for _server.md; this file answers its own tool')
  if (isServer && type !== 'agent')
    return fail('type', 'must be agent in _server.md; write a fixed answer into <tool>.md')
  if (isServer && tools.length === 0) return fail('tools', 'missing; list the tools that _server.md answers')
  if (isServer && expect !== null && tools.length > 1)
    return fail('expect', 'would guard every tool of _server.md; write it into the <tool>.md that it is meant for')
  const base = { expect, file, hash: sha256(text.replaceAll('\r\n', '\n'), 16) }
  if (content.includes(UNFILLED))
    return fail('', 'contains the placeholder of the template; write the answer of the tool')
  if (type === 'fixed') {
    if (abortWhen !== undefined)
      return fail('abort_when', 'needs type: agent; a fixed answer guards its input with expect')
    return { responder: { ...base, kind: 'fixed', body: content, isError: error ?? false }, tools, issues: [] }
  }
  if (error !== undefined) return fail('error', 'is for fixed answers only')
  if (content === '') return fail('', 'needs a description of the server that it plays as its body')
  const trimmed = abortWhen?.trim() ?? ''
  const replayDir = join(dirname(dirname(file)), '.replay', basename(dirname(file)))
  const responder: MockResponder = {
    ...base,
    kind: 'agent',
    prompt: content,
    abortWhen: trimmed === '' ? null : (abortWhen ?? null),
    replayDir,
  }
  return { responder, tools, issues: [] }
}

const listingSchema = z.object({
  tools: z.array(
    z.object({
      name: z.string().min(1),
      description: z.string().default(''),
      inputSchema: z.record(z.string(), z.json()).default({ type: 'object' }),
    }),
  ),
})

async function readListings(
  file: string,
  fs: TrackedFs,
): Promise<{ readonly listings: ReadonlyMap<string, Listing>; readonly issues: readonly Issue[] }> {
  if (fs.look(file) === null) return { listings: new Map(), issues: [] }
  const { text, issue } = await fs.readText(file)
  if (issue !== null) return { listings: new Map(), issues: [issue] }
  const document = readDocument(text, { kind: 'json', file, what: 'tools' })
  if (document.issues.length > 0) return { listings: new Map(), issues: document.issues }
  const isResponse = isJsonObject(document.value) && document.value['result'] !== undefined
  const part = isResponse ? documentAt(document, ['result']) : document
  const { success, data } = listingSchema.safeParse(part.value)
  if (!success) {
    const message = 'expected the response to tools/list: {"tools": [{"name", "description", "inputSchema"}]}'
    return { listings: new Map(), issues: [errorAt(part, ['tools'], 'invalid-mock', message)] }
  }
  const listings = data.tools.map(({ name, ...listing }) => [name, { ...listing, toolsFile: file }] as const)
  return { listings: new Map(listings), issues: [] }
}

function emptyDocument(file: string): ReadDocument {
  return readDocument('{}', { kind: 'yaml', file })
}

function refused(issue: Issue): ReadResponder {
  return { responder: null, tools: [], issues: [issue] }
}

function toError({ code, file, field, line, column }: Issue): Issue {
  const message = 'unknown field. A mock takes type, expect, error, tools and abort_when'
  return { code, severity: 'error', file, field, line, column, message }
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
