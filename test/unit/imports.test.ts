import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository.ts'

/** The files of a room, each with those of the room that it imports, types included. */
function importsIn(room: string): ReadonlyMap<string, readonly string[]> {
  const root = join(REPOSITORY, 'src', room)
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  const files = names.map((name) => join(root, name))
  return new Map(
    files.map((file) => {
      const paths = readFileSync(file, 'utf8').matchAll(/\b(?:from|import\()\s*'(\.[^']+)'/g)
      return [
        file,
        Array.from(paths, ([, path = '']) => join(dirname(file), path)).filter((one) => files.includes(one)),
      ]
    }),
  )
}

/** The files between which there is a circle; empty where imports have a direction. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const left = new Map(imports)
  for (;;) {
    const imported = new Set([...left.values()].flat())
    const ends = [...left].filter(([file, to]) => !imported.has(file) || !to.some((one) => left.has(one)))
    if (ends.length === 0) return [...left.keys()]
    for (const [file] of ends) left.delete(file)
  }
}

test.for([
  'formats',
  'checks',
  'packages',
  'lib',
  'gateway',
  'recordings',
  'sandbox',
  'engines',
  'session',
  'case',
  'report',
  'judges',
  'options',
  'vitest',
  'cli',
  'page',
  'transcript',
])('no file of %s imports in a circle', (room) => {
  expect(circleIn(importsIn(room)).map((file) => file.slice(REPOSITORY.length))).toEqual([])
})
