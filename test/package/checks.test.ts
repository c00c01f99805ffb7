import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { outputOf } from '../support/command.ts'
import { REPOSITORY } from '../support/repository.ts'

describe('the sources', () => {
  test('are locked without the address of a registry', async () => {
    const lock = await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8')
    expect(lock.split('\n').filter((line) => /"resolved"|https?:.*registry/.test(line))).toEqual([])
  })

  test('are locked for npm ci, with the packages of every platform', async () => {
    await outputOf('npm', ['ci', '--dry-run'])
  })
})
