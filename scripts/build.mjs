// Builds dist: a few modules with the small libraries in them, since every worker of every watch loads them anew, and
// a Node that looks for 600 files takes half a second. Of the clients of the model APIs it takes what is asked: whole,
// they are a quarter of a second for each worker with a judge, and 47 MB. What is rarely needed stays a dependency.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { z } from 'zod'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SRC = join(ROOT, 'src/')
const DIST = join(ROOT, 'dist')
// Where the compiler declares every module, and keeps what it knows for the next build.
const TYPES = join(ROOT, '.cache/types/src')
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const NOT_BUNDLED = [...Object.keys(dependencies), ...Object.keys(peerDependencies)]

// Each keeps its path: users import it, or code starts it by its path.
const ENTRIES = [
  'index',
  'test',
  'matchers',
  'register',
  'cli/main',
  'session/orphan-cleanup',
  'vitest/plugin/create-plugin',
  'vitest/runtime/setup',
  'vitest/runtime/test-case',
  'vitest/runtime/test-assertion',
]

// What a worker loads before its first test.
const WORKER_ENTRIES = ['vitest/runtime/setup', 'vitest/runtime/test-case', 'test']
const WORKER = [...WORKER_ENTRIES, 'vitest/runtime/test-record'].map((name) => join(ROOT, `src/${name}.ts`))

// What is started most: a configuration with the plugin, a run, a case in its worker, and commands.
const WAYS = {
  plugin: ['vitest/plugin/create-plugin'],
  run: ['vitest/plugin/serve-run', 'vitest/plugin/ask-early'],
  case: ['vitest/runtime/worker-state'],
  lint: ['cli/commands/lint'],
  show: ['cli/commands/show'],
}

// Each a process of its own, and whole in its one file: a sandbox shows no other.
const PROGRAMS = ['engines/hooks/hook-shim', 'engines/mocks/mock-server', 'sandbox/sandbox-runtime/launcher']

// Of all that a worker loads before its first test. Each worker of each save of a watch loads it anew.
const MOST_WORKER_BYTES = 234 * 1024

// Of the report page, without its data.
const MOST_PAGE_BYTES = 400 * 1024

rmSync(DIST, { recursive: true, force: true })
const bundled = await bundle(ENTRIES, await sharedGroups())
requireSmallWorker(bundled)
for (const program of PROGRAMS) await bundle([program])
const modules = bundled.flatMap(({ moduleIds }) => moduleIds)
writeFileSync(join(DIST, 'LICENSES.md'), licensesOf([...modules, ...(await buildPage())]))
execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'src', '--emitDeclarationOnly'], {
  cwd: ROOT,
  stdio: 'inherit',
})
await writeEditorSchemas()
await writeReportDescription()
publishDeclarations(['index', 'test', 'matchers', 'register'])

// A start would load some seventy small files, and each takes its time to be found. What the same of these ways load is
// put into one. What a worker loads before its first test is in two: the main process loads much of it too, and has no
// use for the half of Vitest that runs tests.
async function sharedGroups() {
  const imports = new Map()
  const note = { name: 'note-imports', moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds) }
  const build = await open(ENTRIES, [note])
  await build.generate()
  await build.close()
  const reached = (ids, known = new Set()) => {
    for (const id of ids) if (!known.has(id)) reached(imports.get(known.add(id) && id) ?? [], known)
    return known
  }
  const isEntry = (id) => ENTRIES.some((entry) => id === join(ROOT, `src/${entry}.ts`))
  const ours = [...reached(WORKER)].filter((id) => id.startsWith(SRC) && !isEntry(id))
  const needsVitest = new Set(ours.filter((id) => reached([id]).has('vitest')))
  const rest = new Set(ours.filter((id) => !needsVitest.has(id)))
  const ways = Object.entries(WAYS).map(([way, names]) => {
    const ids = reached(names.map((name) => join(ROOT, `src/${name}.ts`)))
    return { way, loads: (id) => ids.has(id) }
  })
  ways.push({ way: 'vitest', loads: (id) => reached([id]).has('vitest/node') })
  const loadedBy = (id) => ways.flatMap(({ way, loads }) => (loads(id) ? [way] : []))
  const loaded = new Map([...imports.keys()].map((id) => [id, loadedBy(id).join('-')]))
  const groups = [...new Set(loaded.values())]
    .filter((name) => /^(?!vitest$)./.test(name))
    .map((name) => ({
      name,
      test: (id) => loaded.get(id) === name,
      // What more ways load is imported by what fewer do, and without Vitest by what needs it.
      priority: 2 * name.split('-').length - 3 * Number(name.endsWith('vitest')),
    }))
  return [
    // A group takes with it what its modules import, unless an earlier one has that.
    { name: 'shared', test: (id) => rest.has(id), priority: 20 },
    { name: 'worker', test: (id) => needsVitest.has(id), priority: 19 },
    ...groups,
  ]
}

function open(entries, plugins = []) {
  return rolldown({
    cwd: ROOT,
    platform: 'node',
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    // Of modules, of which half is left out; what Node would take is sixty files that nothing can be left out of.
    resolve: {
      alias: {
        'jsonc-parser': join(ROOT, 'node_modules/jsonc-parser/lib/esm/main.js'),
        yaml: join(ROOT, 'node_modules/yaml/browser/dist/index.js'),
      },
    },
    external: (id) => id.startsWith('node:') || NOT_BUNDLED.some((name) => id === name || id.startsWith(`${name}/`)),
    // What registers matchers is imported for nothing else. A library says itself what its modules do.
    treeshake: { moduleSideEffects: (id) => (id.startsWith(SRC) ? true : undefined) },
    transform: { target: 'node20.19' },
    logLevel: 'warn',
    plugins,
  })
}

async function bundle(entries, groups = []) {
  const build = await open(entries)
  const { output } = await build.write({
    dir: DIST,
    format: 'esm',
    entryFileNames: '[name].js',
    // Beside the entries, since `own-folder` asks where it lies; it is never folded into one of them.
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: [{ name: 'own-folder', test: (id) => id === join(SRC, 'own-folder.ts') }, ...groups] },
  })
  await build.close()
  return output.filter(({ type }) => type === 'chunk')
}

// One import too many makes every worker load a schema library, a parser or all engines.
function requireSmallWorker(chunks) {
  const reached = new Set()
  const reach = (name) => {
    const chunk = chunks.find(({ fileName }) => fileName === name)
    if (chunk === undefined || reached.has(chunk)) return
    reached.add(chunk)
    chunk.imports.forEach(reach)
  }
  for (const entry of WORKER_ENTRIES) reach(`${entry}.js`)
  const library = [...reached].flatMap(({ moduleIds }) => moduleIds).find((id) => id.includes('/node_modules/'))
  if (library !== undefined) throw new Error(`A worker would load ${library} before its first test.`)
  const bytes = [...reached].reduce((sum, { code }) => sum + Buffer.byteLength(code), 0)
  if (bytes > MOST_WORKER_BYTES) throw new Error(`A worker would load ${bytes} bytes before its first test.`)
}

// The schemas for editors come from what reads the files: tables of names and checks, and schemas.
async function writeEditorSchemas() {
  const { editorSchema } = await load('formats/skill-evals/editor-schema')
  const { CHECK_SCHEMAS } = await load('checks/check-schemas')
  const ofCase = JSON.parse(readFileSync(join(ROOT, 'schemas/eval-case.schema.json'), 'utf8'))
  ofCase.properties.expected.properties = Object.fromEntries(
    [...CHECK_SCHEMAS].map(([kind, schema]) => {
      const { $schema: _, ...field } = z.toJSONSchema(schema, { io: 'input' })
      return [kind, field]
    }),
  )
  const { configSchema } = await load('formats/aam/aam-config')
  const { NO_NAMES } = await load('formats/suite')
  const { engines } = await load('engines/registry')
  // An unknown field has no effect, and is no mistake.
  const ofConfig = z.toJSONSchema(configSchema(NO_NAMES), {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  ofConfig.properties.engine.examples = Object.keys(engines)
  for (const [name, schema] of [
    ['skill-evals', editorSchema()],
    ['eval-config', ofConfig],
    ['eval-case', ofCase],
  ]) {
    writeIfChanged(join(ROOT, `schemas/${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`)
  }
}

// A report has one description, in a library of schemas that no user has. The schema that is published comes from it, and
// so do the types: plain ones, in the place of those that the compiler wrote.
async function writeReportDescription() {
  const { reportSchema } = await load('report/report')
  const published = z.toJSONSchema(reportSchema, { override: describePlainly, unrepresentable: 'any' })
  writeIfChanged(join(ROOT, 'schemas/report.schema.json'), `${JSON.stringify(published, null, 2)}\n`)
  const { comparisonSchema } = await load('report/compare/comparison-schema')
  const ofGate = z.toJSONSchema(comparisonSchema, { override: describePlainly, unrepresentable: 'any' })
  writeIfChanged(join(ROOT, 'schemas/gate.schema.json'), `${JSON.stringify(ofGate, null, 2)}\n`)

  const { $defs, ...report } = z.toJSONSchema(reportSchema, { unrepresentable: 'any' })
  const named = Object.entries({ '': report, ...$defs }).map(
    ([id, schema]) => `${docOf(schema, '')}export interface ${typeName(id)} ${typeOf(schema, '')}\n`,
  )
  const text = ["import type { ErrorCode } from '../lib/errors.js';", ...named, 'export {};', ''].join('\n')
  mkdirSync(join(DIST, 'report'), { recursive: true })
  writeFileSync(join(DIST, 'report/report.d.ts'), text)
}

function describePlainly({ zodSchema, jsonSchema }) {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (zodSchema._zod.def.type === 'object') {
    const { shape } = zodSchema._zod.def
    const isNeeded = (key) => shape[key]._zod.def.type === 'nonoptional'
    jsonSchema.required = Object.keys(shape).filter(isNeeded)
    if (jsonSchema.required.length === 0) delete jsonSchema.required
    delete jsonSchema.additionalProperties
  }
  delete jsonSchema.name
}

function typeName(id) {
  return `Report${id.replaceAll(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())}`
}

function docOf({ description }, indent) {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n`
}

function typeOf(schema, indent) {
  const { $ref, name, enum: values, anyOf, allOf, type, items, prefixItems, properties, required = [] } = schema
  const inner = (one) => typeOf(one, indent)
  if ($ref !== undefined) return typeName($ref.replace('#/$defs/', ''))
  if (name !== undefined) return name
  if ('const' in schema) return JSON.stringify(schema.const)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(type)) return type.map((one) => inner({ ...schema, type: one })).join(' | ')
  if (anyOf !== undefined) return anyOf.map(inner).join(' | ')
  if (allOf !== undefined) return allOf.map(inner).join(' & ')
  if (prefixItems !== undefined) return `readonly [${prefixItems.map(inner).join(', ')}]`
  if (type === 'array')
    return /[ |&]/.test(inner(items)) && !inner(items).startsWith('{')
      ? `readonly (${inner(items)})[]`
      : `readonly ${inner(items)}[]`
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([key, field]) => {
      const mark = required.includes(key) ? '' : '?'
      return `${docOf(field, `${indent}    `)}${indent}    readonly ${key}${mark}: ${typeOf(field, `${indent}    `)};\n`
    })
    return `{\n${fields.join('')}${indent}}`
  }
  if (type === 'object') return `Readonly<Record<string, ${inner(schema.additionalProperties)}>>`
  const PLAIN = { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' }
  if (!(type in PLAIN)) throw new Error(`No type is known for ${JSON.stringify(schema)}`)
  return PLAIN[type]
}

function writeIfChanged(file, text) {
  if (readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}

async function load(module) {
  const build = await open([module])
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  // A file, since what a library asks of `createRequire` has no place in a data: URL.
  const file = join(DIST, `${basename(module)}.build.mjs`)
  writeFileSync(file, output[0].code)
  return import(pathToFileURL(file).href).finally(() => rmSync(file))
}

// The report page: everything in one file, which the report's data are put into. Its policy names the hashes of the one
// script and the one style sheet, so that a browser runs nothing else, whatever the data hold.
async function buildPage() {
  const build = await rolldown({
    cwd: ROOT,
    platform: 'browser',
    input: 'src/page/main.tsx',
    tsconfig: join(ROOT, 'src/page/tsconfig.json'),
    transform: { target: 'es2022', define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'warn',
  })
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
  await build.close()
  const [chunk] = output
  if (chunk.imports.length > 0)
    throw new Error(`The page would import ${chunk.imports.join(', ')}, which no browser has.`)
  // Its top level waits for the data, which a script of a file may not; and no text may end the script early.
  const script = `(async()=>{${chunk.code}})()`
  const style = readFileSync(join(ROOT, 'src/page/style.css'), 'utf8').trim()
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error('The page would end its own script.')
  const parts = { style, script, 'style-hash': hashOf(style), 'script-hash': hashOf(script) }
  const template = readFileSync(join(ROOT, 'src/page/shell.html'), 'utf8')
  mkdirSync(join(DIST, 'page'), { recursive: true })
  const page = template.replaceAll(/\{\{([\w-]+)\}\}/g, (_, name) => parts[name])
  if (Buffer.byteLength(page) > MOST_PAGE_BYTES) throw new Error(`The page has ${Buffer.byteLength(page)} bytes.`)
  writeFileSync(join(DIST, 'page/template.html'), page)
  return chunk.moduleIds
}

function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function licensesOf(files) {
  const folders = new Set(
    files.map((file) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]).filter(Boolean),
  )
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      return { title: `${name} ${version} (${license})`, text: licenseIn(folder) }
    })
    .toSorted((a, b) => (a.title < b.title ? -1 : 1))
    .map(({ title, text }) => `## ${title}\n\n${text}\n`)
    .join('\n')
}

function licenseIn(folder) {
  for (const name of ['LICENSE', 'license', 'LICENSE.md', 'LICENSE.txt', 'License', 'license.md']) {
    try {
      return readFileSync(join(folder, name), 'utf8').trim()
    } catch {}
  }
  throw new Error(`${folder} has no licence that could be passed on`)
}

// Users reach only what these entries name. What they name has to be there for a user's own compiler too: a bundled
// library is not.
function publishDeclarations(entries) {
  const published = new Set()
  const publish = (name, way = []) => {
    if (published.has(name)) return
    published.add(name)
    const trail = [...way, name]
    const file = join(DIST, name)
    // The description of a report has been written there.
    if (!existsSync(file)) {
      mkdirSync(dirname(file), { recursive: true })
      copyFileSync(join(TYPES, name), file)
    }
    for (const [, from] of readFileSync(file, 'utf8').matchAll(/(?:from|import|import\()\s*['"]([^'"]+)['"]/g)) {
      if (from.startsWith('.')) publish(join(dirname(name), from.replace(/\.[jt]s$/, '.d.ts')), trail)
      else if (!isThere(from)) throw new Error(`${trail.join(' -> ')} imports ${from}, which a user does not have`)
    }
  }
  for (const entry of entries) publish(`${entry}.d.ts`)
}

function isThere(name) {
  return name.startsWith('node:') || NOT_BUNDLED.some((own) => name === own || name.startsWith(`${own}/`))
}
