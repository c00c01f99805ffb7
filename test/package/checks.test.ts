import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { outputOf } from '../support/command.ts'
import { REPOSITORY } from '../support/repository.ts'
import { packedTarball } from '../support/tarball.ts'

describe('the sources', () => {
  test.each(['lint', 'format:check', 'typecheck', 'knip'])('pass npm run %s', async (script) => {
    await outputOf('npm', ['run', '--silent', script])
  })

  test('have no file that is named after nothing', async () => {
    const files = (await readdir(join(REPOSITORY, 'src'), { recursive: true })).map((path) => basename(path))
    expect(files.filter((name) => /^(utils?|helpers?|types|common|misc|constants)\.ts$/.test(name))).toEqual([])
  })

  test('are locked without the address of a registry', async () => {
    expect(await outputOf('grep', ['-c', '"lockfileVersion"', 'package-lock.json'])).toBe('1')
    await expect(outputOf('grep', ['-c', '"resolved"', 'package-lock.json'])).rejects.toThrow('exited with 1\n0')
  })
})

describe('the packed package', () => {
  test('passes publint', async () => {
    await outputOf('node_modules/.bin/publint', ['run', await packedTarball(), '--strict'])
  })

  test('resolves for every consumer of ES modules', async () => {
    await outputOf('node_modules/.bin/attw', [await packedTarball(), '--profile', 'esm-only'])
  })
})
