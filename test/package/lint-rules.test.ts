import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { ENTRIES, lintRules, ROOMS } from '../../scripts/rooms.mjs'
import { REPOSITORY } from '../support/repository.ts'

/** A file in every room that imports from the room above it, values and types alike, and one that imports downwards. */
const BY_ROOM = Object.fromEntries(
  ROOMS.flatMap((room, index) => {
    const above = ROOMS[index - 1]
    if (above === undefined) return []
    const target = above === 'entries' ? 'index' : above
    return [
      [`src/${room}.ts`, upwards(`./${target}.ts`)],
      [`src/${room}/up.ts`, upwards(`../${target}/other.ts`)],
      [`src/${room}/type.ts`, upwardsType(`../${target}.ts`)],
      [`src/${room}/inner/up.ts`, upwards(`../../${target}.ts`)],
      [`src/${above === 'entries' ? 'test' : `${above}/down`}.ts`, good(imports(fromAbove(above, room)))],
    ]
  }),
)

/** One deliberately bad file for each rule of the house, and one good twin where the rule has an exception. */
const FILES: Record<string, { text: string; findings: string[] }> = {
  ...BY_ROOM,
  'src/suites/agent/same-name.ts': good(imports('../agent/run.ts')),
  'src/vitest/runtime/main-process.ts': upwards('../plugin/options.ts'),
  'src/vitest/runtime/node.ts': upwards('vitest/node'),
  'src/vitest/plugin/worker.ts': upwards('../runtime/test-case.ts'),
  'src/vitest/plugin/vitest.ts': upwards('vitest'),

  'src/engines/execa.ts': upwards('execa'),
  'src/engines/child-process.ts': upwards('node:child_process'),
  'src/report/yaml.ts': upwards('yaml'),
  'src/gateway/tmp.ts': upwards('tmp'),
  'src/gateway/sdk.ts': upwards('@anthropic-ai/sdk'),
  'src/gateway/clients/sdk.ts': good(imports('openai')),
  'src/gateway/clients/up.ts': upwards('../../judges/ask.ts'),
  'src/judges/sdk.ts': upwards('@anthropic-ai/sdk'),
  'src/suites/tinyglobby.ts': upwards('tinyglobby'),
  'src/suites/discover.ts': good(imports('tinyglobby')),
  'src/suites/yaml.ts': upwards('yaml'),
  'src/documents/yaml.ts': good(imports('yaml')),
  'src/case/vitest.ts': upwards('vitest'),
  'src/process/execa.ts': upwards('execa'),
  'src/engines/hooks/hook-shim.ts': good(imports('node:child_process')),
  'src/workspace/folder.ts': good(imports('tmp')),
  'src/matchers.ts': good(imports('vitest')),

  'src/checks/reads.ts': upwards('node:fs'),
  'src/recordings/opens.ts': upwards('node:http'),
  'src/transcript/clock.ts': { text: 'export const now = Date.now()\n', findings: ['no-restricted-globals'] },
  'src/suites/formats/environment.ts': {
    text: "export const home = process.env['HOME']\n",
    findings: ['no-restricted-globals'],
  },

  'src/cycle-a.ts': {
    text: "import { b } from './cycle-b.ts'\nexport const a = (): number => b()\n",
    findings: ['no-cycle'],
  },
  'src/cycle-b.ts': {
    text: "import { a } from './cycle-a.ts'\nexport const b = (): number => a()\n",
    findings: ['no-cycle'],
  },
  'src/long.ts': { text: 'export const a = 1\n'.padEnd(300, '\n'), findings: ['max-lines'] },
  'src/CamelCase.ts': { text: 'export const a = 1\n', findings: ['filename-case'] },
  'src/any.ts': { text: 'const b: unknown = 1\nexport const a: any = b\n', findings: ['no-explicit-any'] },
  'src/untyped.ts': {
    text: 'export const a = (): unknown => 1\nexport const b = () => 1\n',
    findings: ['explicit-module-boundary-types'],
  },
  'src/ignore.ts': { text: '// @ts-ignore\nexport const a: string = 1\n', findings: ['ban-ts-comment'] },
  'src/default.ts': { text: 'export default 1\n', findings: ['no-default-export'] },
  'src/floating.ts': {
    text: 'const wait = async (): Promise<void> => {}\nwait()\n',
    findings: ['no-floating-promises'],
  },
  'src/misused.ts': {
    text: 'const wait = async (): Promise<boolean> => true\nif (wait()) throw new Error("never")\n',
    findings: ['no-misused-promises'],
  },
  'src/exhaustive.ts': {
    text: "export function f(a: 'x' | 'y'): void {\n  switch (a) {\n    case 'x':\n      return\n  }\n}\n",
    findings: ['switch-exhaustiveness-check'],
  },
  'src/type-import.ts': {
    text: "import { Suite } from './suites/suite.ts'\nexport type One = Suite\n",
    findings: ['consistent-type-imports'],
  },
}

function upwards(specifier: string): { text: string; findings: string[] } {
  return { text: imports(specifier), findings: ['no-restricted-imports'] }
}

function upwardsType(specifier: string): { text: string; findings: string[] } {
  return { text: `import type { A } from '${specifier}'\nexport type B = A\n`, findings: ['no-restricted-imports'] }
}

function imports(specifier: string): string {
  return `import { a } from '${specifier}'\nexport const b = [a]\n`
}

// A pure room may not start processes either, so statistics imports from the room below that one.
function fromAbove(above: string, below: string): string {
  const room = below === 'process' ? 'errors' : below
  return above === 'entries' ? `./${room}/any.ts` : `../${room}/any.ts`
}

function good(text: string): { text: string; findings: string[] } {
  return { text, findings: [] }
}

test('the lint rules are those of the list of rooms', async () => {
  const written = JSON.parse(await readFile(join(REPOSITORY, '.oxlintrc.rooms.json'), 'utf8')) as unknown

  expect(written, 'run `node scripts/rooms.mjs`').toEqual(lintRules())
})

test('every module of src is in a room', async () => {
  const inSrc = (await readdir(join(REPOSITORY, 'src'), { withFileTypes: true })).map(({ name }) =>
    name.replace(/\.ts$/, ''),
  )
  const known = new Set([...ROOMS, ...ENTRIES, 'tsconfig.json'])

  expect(inSrc.filter((name) => !known.has(name))).toEqual([])
})

test('every rule of the house fires on a bad file, and only there', async () => {
  const sources: FileTree = Object.fromEntries(Object.entries(FILES).map(([path, { text }]) => [path, text]))
  await using project = await createFixture({
    '.oxlintrc.json': ({ symlink }) => symlink(join(REPOSITORY, '.oxlintrc.json')),
    '.oxlintrc.rooms.json': ({ symlink }) => symlink(join(REPOSITORY, '.oxlintrc.rooms.json')),
    'tsconfig.json': ({ symlink }) => symlink(join(REPOSITORY, 'tsconfig.json')),
    node_modules: ({ symlink }) => symlink(join(REPOSITORY, 'node_modules')),
    ...sources,
  })

  const found = findingsByFile(await oxlint(project.path))

  expect(found).toEqual(Object.fromEntries(Object.entries(FILES).map(([path, { findings }]) => [path, findings])))
})

function oxlint(cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(OXLINT, ['--type-aware', '--format', 'json', 'src'], { cwd }, (_, stdout) => resolve(stdout))
  })
}

function findingsByFile(report: string): Record<string, string[]> {
  const { diagnostics } = JSON.parse(report) as { diagnostics: { code: string; filename: string }[] }
  const found: Record<string, string[]> = Object.fromEntries(Object.keys(FILES).map((path) => [path, []]))
  for (const { code, filename } of diagnostics) {
    const rule = /\((.+)\)/.exec(code)?.[1] ?? code
    const rules = (found[filename] ??= [])
    if (!rules.includes(rule)) rules.push(rule)
  }
  return found
}

const OXLINT = join(REPOSITORY, 'node_modules/.bin/oxlint')
