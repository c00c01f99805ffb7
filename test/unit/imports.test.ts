import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository.ts'

/** The rooms of src from the top of the house down. A module imports, types included, from its own room and below. */
const ROOMS = `
  index|test|matchers|register
  cli vitest case page report options judges session engines gateway recordings sandbox own-folder
  formats checks packages transcript lib
`
  .trim()
  .split(/\s+/)
  .map((room) => room.split('|'))

/** Dependencies with an effect, and the only places that may import each. */
const DOORS: Readonly<Record<string, RegExp>> = {
  '@anthropic-ai/sdk': /^gateway\/clients\//,
  openai: /^gateway\/clients\//,
  'node:child_process':
    /^(?:engines\/hooks\/hook-shim|sandbox\/process\/(?:launch|run-process)|sandbox\/sandbox-runtime\/launcher)\.ts$/,
  tmp: /^session\//,
  yaml: /^lib\/documents\//,
  tinyglobby: /^formats\/discover\.ts$/,
  vitest: /^(?:vitest\/|(?:index|test|matchers|register)\.ts$)/,
}

/** Places that may not load each other: workers and the main process exchange JSON, and programs run alone. */
const APART: readonly (readonly [from: RegExp, to: RegExp])[] = [
  [/^vitest\/(?:runtime|matchers)\//, /^(?:vitest\/(?:plugin|modules|watch|reporter)\/|vitest\/(?:node|config)$)/],
  [/^vitest\/(?:plugin|modules|watch|reporter)\//, /^(?:vitest\/(?:runtime|matchers)\/|vitest$)/],
]

const SRC = join(REPOSITORY, 'src')
const IMPORT = /^(?:import|export)\s(?:[^;'"]*?from\s)?'(?<name>[^']+)'/gm

const imports = globSync('**/*.{ts,tsx}', { cwd: SRC }).flatMap((file) =>
  Array.from(readFileSync(join(SRC, file), 'utf8').matchAll(IMPORT), ({ groups }) => {
    const name = groups?.['name'] ?? ''
    return { file, to: name.startsWith('.') ? relative(SRC, join(SRC, file, '..', name)) : name, own: name[0] === '.' }
  }),
)
const roomOf = (path: string): number => ROOMS.findIndex((room) => room.includes(/^[^/.]+/.exec(path)?.[0] ?? ''))

test('every module imports from its own room and those below', () => {
  expect(imports.length).toBeGreaterThan(1000)
  expect(imports.filter(({ file, to, own }) => own && !(roomOf(file) <= roomOf(to) && roomOf(file) >= 0))).toEqual([])
})

test('each dependency with an effect is imported in one place', () => {
  const doorOf = (to: string): RegExp | undefined =>
    DOORS[Object.keys(DOORS).find((name) => `${to}/`.startsWith(`${name}/`)) ?? '']
  expect(imports.filter(({ file, to, own }) => !own && doorOf(to)?.test(file) === false)).toEqual([])
})

test('a command is loaded when it is called: help and version need none', () => {
  const reached = new Set(['cli/main.ts'])
  for (const file of reached) for (const one of imports) if (one.file === file && one.own) reached.add(one.to)
  expect([...reached].filter((file) => file.startsWith('cli/commands/'))).toEqual([])
  expect(reached.size).toBeGreaterThan(5)
})

test('workers and the main process load nothing of each other', () => {
  expect(imports.filter(({ file, to }) => APART.some(([from, other]) => from.test(file) && other.test(to)))).toEqual([])
})
