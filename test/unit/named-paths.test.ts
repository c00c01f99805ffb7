import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENTRIES, ROOMS } from '../../scripts/rooms.mjs'
import { REPOSITORY } from '../support/repository.ts'

const PATH = /(?<![\w./@-])(?:src|scripts|bench|test\/(?:support|unit|e2e|package|types))\/[\w./-]*\w/g

// The files of an example are those of its reader.
const EXAMPLE = /```yaml\n.*?```/gs

/** The paths of this repository that a text names and that do not exist, without what benches write. */
function missingPaths(text: string): readonly string[] {
  const paths = (text.replaceAll(EXAMPLE, '').match(PATH) ?? []).filter((path) => !path.startsWith('bench/results'))
  return paths.filter((path) => !existsSync(join(REPOSITORY, path)))
}

function filesBelow(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !/(?:^|\/)(?:node_modules|results)\//.test(name))
    .map((name) => join(folder, name))
}

function textOf(file: string): string {
  return readFileSync(join(REPOSITORY, file), 'utf8')
}

const TEXTS = [
  ...readdirSync(REPOSITORY).filter((name) => name.endsWith('.md')),
  ...filesBelow('docs', /\.(?:md|ya?ml)$/),
  ...filesBelow('bench', /\.(?:md|mjs)$/),
  ...filesBelow('scripts', /\.m(?:js|ts)$/),
]

test('docs, benches and scripts name no file that does not exist', () => {
  const missing = TEXTS.flatMap((file) => {
    const text = textOf(file)
    // Files that the page on the architecture adds.
    const added = new Set(Array.from(text.matchAll(/\*\*(\S+)\*\*\n\n```ts\n/g), ([, path = '']) => path))
    return missingPaths(text)
      .filter((path) => !added.has(path))
      .map((path) => `${file}: ${path}`)
  })
  expect(missing).toEqual([])
})

test('comments of tests name no file that does not exist', () => {
  const missing = filesBelow('test', /\.m?ts$/).flatMap((file) => {
    const comments = textOf(file).match(/^\s*(?:\/\/|\/\*\*|\* ).*$/gm) ?? []
    return missingPaths(comments.join('\n')).map((path) => `${file}: ${path}`)
  })
  expect(missing).toEqual([])
})

test('benches load modules of the sources that exist', () => {
  const missing = filesBelow('bench', /\.mjs$/).flatMap((file) => {
    const modules = Array.from(textOf(file).matchAll(/new URL\('([\w./-]+)\.js', sources\)/g), ([, name = '']) => name)
    return modules.filter((name) => !existsSync(join(REPOSITORY, `src/${name}.ts`))).map((name) => `${file}: ${name}`)
  })
  expect(missing).toEqual([])
})

test('the page on the architecture lists every room, and no other', () => {
  const rows = textOf('docs/architecture.md').match(/^\| `.*$/gm) ?? []
  const named = rows.flatMap((row) =>
    Array.from((row.split('|')[1] ?? '').matchAll(/`([\w-]+)(?:\.ts)?`/g), ([, name = '']) => name),
  )
  const rooms = ROOMS.filter((room) => room !== 'entries')
  expect(named.filter((name) => !rooms.includes(name) && !ENTRIES.includes(name))).toEqual([])
  expect(rooms.filter((room) => !named.includes(room))).toEqual([])
})

test.for(['see src/session/run.ts', 'in `src/vitest/options`', 'test/support/gone.ts'])('%s names none', (text) => {
  expect(missingPaths(text)).toHaveLength(1)
})
