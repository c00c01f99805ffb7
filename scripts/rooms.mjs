// The architecture as data. `node scripts/rooms.mjs` writes the lint rules that follow from it to .oxlintrc.rooms.json.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The rooms of src from the top of the house down. A module imports, types included, from its own room and below. */
export const ROOMS = [
  'entries',
  'cli',
  'vitest',
  'case',
  'replay',
  'assert',
  'agent',
  'page',
  'report',
  'cleanup',
  'rerun-command',
  'results',
  'settings',
  'options',
  'judges',
  'sandbox',
  'workspace',
  'engines',
  'recordings',
  'inputs',
  'checks',
  'gateway',
  'suites',
  'conversation',
  'packages',
  'transcript',
  'documents',
  'json-fields',
  'statistics',
  'process',
  'write-atomically',
  'errors',
  'own-folder',
  'files',
  'lists',
  'texts',
  'json',
  'sha256',
]

/** The public entries of the package, together the topmost room. */
export const ENTRIES = ['index', 'test', 'matchers', 'register']

/** Dependencies with an effect, and the only places that may import each. */
export const DOORS = {
  '@anthropic-ai/sdk': ['src/gateway/clients/**'],
  openai: ['src/gateway/clients/**'],
  execa: ['src/process.ts', 'src/process/launch.ts'],
  'node:child_process': ['src/engines/hooks/hook-shim.ts', 'src/sandbox/sandbox-runtime/launcher.ts'],
  tmp: ['src/workspace/**'],
  yaml: ['src/documents/**'],
  tinyglobby: ['src/suites/discover.ts'],
  vitest: [...ENTRIES.map((name) => `src/${name}.ts`), 'src/vitest/**'],
}

/** Rooms that read no file, start nothing and open no connection, so that their results depend on their input alone. */
export const PURE = ['checks', 'conversation', 'recordings', 'statistics', 'suites/formats', 'transcript']

const PURITY = {
  regex: '^node:(fs|http|https|net|os|tls|dgram|cluster|worker_threads|child_process)(/|$)',
  message: 'This room is pure: pass the value in.',
}

/** What the main process and a worker may not load of each other: they exchange JSON. */
const PROCESSES = [
  {
    places: ['vitest/runtime', 'vitest/matchers'],
    patterns: [
      {
        regex: '^\\.\\./(plugin|modules|watch|reporter)/',
        message: 'A worker meets the main process only through JSON.',
      },
      { regex: '^vitest/(node|config)$', message: 'This code runs in a worker; vitest/node is for the main process.' },
    ],
  },
  {
    places: ['vitest/plugin', 'vitest/modules', 'vitest/watch', 'vitest/reporter'],
    patterns: [
      { regex: '^\\.\\./(runtime|matchers)/', message: 'The main process meets a worker only through JSON.' },
      { regex: '^vitest$', message: 'The main process must not load vitest itself, only vitest/node.' },
    ],
  },
]

/** Programs of their own, each complete in its one file in dist. */
const PROGRAMS = [
  {
    file: 'src/engines/hooks/hook-shim.ts',
    patterns: [
      {
        regex: '^\\.(\\./|/([^h]|h[^o]|ho[^o]|hoo[^k]))',
        allowTypeImports: true,
        message: 'The shim runs inside a session: it imports only engines/hooks/hook-* and types.',
      },
    ],
  },
  {
    file: 'src/engines/mocks/mock-server.ts',
    patterns: [
      {
        regex: '^\\.(\\./|/([^m]|m[^o]|mo[^c]|moc[^k]))',
        allowTypeImports: true,
        message: 'The mock server runs inside a session: it imports only engines/mocks/mock-* and types.',
      },
    ],
  },
  {
    file: 'src/sandbox/sandbox-runtime/launcher.ts',
    patterns: [{ regex: '^\\.', allowTypeImports: true, message: 'The launcher runs alone: it imports only types.' }],
  },
]

/** Lint configuration that enforces the above. Of two overrides that match a file the later one counts. */
export function lintRules() {
  return {
    overrides: [
      ...ROOMS.flatMap((room) => modulesOf(room).map((file) => rule(file, upwards(room, 1)))),
      ...ROOMS.filter((room) => room !== 'entries').flatMap((room) => folder(room)),
      ...PURE.flatMap((place) =>
        folder(place, (depth) => [PURITY, relativeImport(depth, ['process'], PURITY.message)]),
      ),
      rule('src/recordings/store.ts', upwards('recordings', 2)),
      rule('src/suites/discover.ts', upwards('suites', 2)),
      rule('src/process/launch.ts', upwards('process', 2)),
      ...folder('gateway/clients'),
      ...PROCESSES.flatMap(({ places, patterns }) => places.flatMap((place) => folder(place, () => patterns))),
      ...PROGRAMS.map(({ file, patterns }) => rule(file, patterns)),
    ],
  }
}

/** Rules of all files in a folder of src, a glob for each depth, since a relative import says how far up it goes. */
function folder(place, further = () => []) {
  const [room, ...below] = place.split('/')
  return Array.from({ length: DEEPEST }, (_, index) => {
    const depth = below.length + index + 2
    return rule(`src/${place}${'/*'.repeat(index + 1)}`, [...upwards(room, depth), ...further(depth)])
  })
}

const DEEPEST = 4

function modulesOf(room) {
  return (room === 'entries' ? ENTRIES : [room]).map((name) => `src/${name}.ts`)
}

function upwards(room, depth) {
  const above = ROOMS.slice(0, ROOMS.indexOf(room)).flatMap((name) => (name === 'entries' ? ENTRIES : [name]))
  return above.length === 0 ? [] : [relativeImport(depth, above, 'Imports point downwards only (scripts/rooms.mjs).')]
}

function relativeImport(depth, rooms, message) {
  const up = depth === 1 ? '\\./' : `(\\.\\./){${depth - 1}}`
  return { regex: `^${up}(${rooms.join('|')})(/|\\.ts$)`, message }
}

function rule(file, patterns) {
  const closed = Object.keys(DOORS).filter((name) => !DOORS[name].some((door) => fits(file, door)))
  const door = {
    regex: `^(${closed.join('|')})(/|$)`,
    message: 'A dependency with an effect has one door (scripts/rooms.mjs).',
  }
  return { files: [file], rules: { 'no-restricted-imports': ['error', { patterns: [door, ...patterns] }] } }
}

function fits(file, door) {
  return file === door || (door.endsWith('/**') && file.startsWith(door.slice(0, -2)))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const overrides = lintRules().overrides.map((override) => `    ${JSON.stringify(override)}`)
  const text = `{\n  "overrides": [\n${overrides.join(',\n')}\n  ]\n}\n`
  writeFileSync(new URL('../.oxlintrc.rooms.json', import.meta.url), text)
}
