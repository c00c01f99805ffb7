import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadSuites } from '../../../src/cli/find/search.ts'
import { meaningOf } from '../../../src/cli/output/list-meaning.ts'
import { describeShared } from '../../support/shared.ts'

interface Written {
  readonly prompt: string
  readonly sentences: readonly string[]
}

/** What the authors of a file wrote, read by nothing of ours. */
async function writtenIn(file: string): Promise<readonly Written[]> {
  const text = await readFile(file, 'utf8')
  if (file.endsWith('.yaml')) {
    const { input, judge } = parse(text) as { input: { prompt: string }; judge: { criteria: string } }
    return [{ prompt: input.prompt, sentences: [judge.criteria] }]
  }
  if (file.endsWith('.md')) return [{ prompt: '', sentences: [] }]
  const value = JSON.parse(text) as { evals?: readonly Entry[] } | readonly Entry[]
  const entries = 'evals' in value ? (value.evals ?? []) : (value as readonly Entry[])
  return entries.map(({ prompt, query, expectations = [] }) => ({
    prompt: prompt ?? query ?? '',
    sentences: expectations,
  }))
}

interface Entry {
  readonly prompt?: string
  readonly query?: string
  readonly expectations?: readonly string[]
}

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

describeShared('suite files of other repositories', (shared) => {
  test('at least 98 % of their cases are listed with every sentence of their authors', async () => {
    await using fixture = await createFixture({})
    await cp(join(shared, 'suites'), fixture.path, { recursive: true })
    const root = fixture.path.replace(/\/$/, '')
    const { suites } = await loadSuites(root)
    let all = 0
    let listed = 0
    for (const suite of suites) {
      const meanings = suite.cases.map((evalCase) => meaningOf(suite, evalCase))
      for (const { prompt, sentences } of await writtenIn(suite.file)) {
        all += 1
        const isMeant = meanings.some((one) => {
          const meaning = plain([...one.expects.map(({ text }) => text), ...one.context].join(' '))
          return (
            (prompt === '' || plain(one.prompt) === plain(prompt)) &&
            sentences.every((text) => meaning.includes(plain(text)))
          )
        })
        if (isMeant) listed += 1
      }
    }
    console.log(`${listed} of ${all} cases in ${suites.length} files are listed with their meaning`)
    expect(all).toBeGreaterThanOrEqual(30)
    expect(listed / all).toBeGreaterThanOrEqual(0.98)
  })
})
