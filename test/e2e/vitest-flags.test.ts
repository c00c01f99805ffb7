// @module-tag no-engine
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { VITEST_FLAGS } from '../../src/vitest/command/vitest-arguments.ts'
import { repositoryVitest, vitestMajors, type VitestMajor } from '../support/majors.ts'
import { REPOSITORY } from '../support/repository.ts'
import { startProcess } from '../support/running-process.ts'

/** The flags in the help of a Vitest: their first names, as its parser gives them, and their letters. */
async function flagsIn({ node, vitestBin }: VitestMajor): Promise<readonly string[]> {
  const { stdout } = await startProcess(node, [vitestBin, 'run', '--help', '--expand-help'], { env: { NO_COLOR: '1' } })
    .finished
  const [, options = ''] = stdout.split('Options:')
  const flags = [...options.matchAll(/^ *(?:-([a-z]), )?--(?:no-)?([A-Za-z-]+)/gim)]
  return [...new Set(flags.flatMap(([, letter, name]) => [letter, name]).filter((one) => one !== undefined))].toSorted()
}

test('the installed Vitest has the flags that are known of its major', async () => {
  const { both = [], 'vitest 4': own = [] } = VITEST_FLAGS
  expect(await flagsIn(repositoryVitest())).toEqual([...both, ...own].toSorted())
})

test('the flags come from the help of each major; write them with vitest -u', { tags: ['major'] }, async () => {
  const [four = [], five = []] = await Promise.all((await vitestMajors()).map(flagsIn))
  const groups: Readonly<Record<string, readonly string[]>> = {
    both: four.filter((flag) => five.includes(flag)),
    "'vitest 4'": four.filter((flag) => !five.includes(flag)),
    "'vitest 5'": five.filter((flag) => !four.includes(flag)),
  }
  const file = join(REPOSITORY, 'src/vitest/command/vitest-arguments.ts')
  const lines = Object.entries(groups).map(([name, flags]) => {
    const whole = `  ${name}: [${flags.map((flag) => `'${flag}'`).join(', ')}],`
    return whole.length <= 120 ? whole : `  ${name}: [\n${flags.map((flag) => `    '${flag}',\n`).join('')}  ],`
  })
  const text = await readFile(file, 'utf8')
  const written = text.replace(/= \{[^]*\}\n$/, `= {\n${lines.join('\n')}\n}\n`)
  await expect(written).toMatchFileSnapshot(file)
})
