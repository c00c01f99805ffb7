import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { CACHE, REPOSITORY } from '../support/repository.ts'
import type * as checking from '../../src/checks/checks.ts'
import type * as loading from '../../src/formats/load-suite.ts'

const PAGE = join(REPOSITORY, 'docs/extending.md')
const AAM =
  'name: hello\ninput:\n  prompt: Say hello.\nexpected:\n  ends-with: [hello]\njudge:\n  criteria: It greets.\n'
const BLOCK = /\*\*(?<path>src\/\S+)\*\*\n\n```(?<language>ts|diff)\n(?<text>[^]*?)```/g

test(
  'a check and a format are added by what the page on extending the code says',
  { timeout: 240_000, tags: ['slow'] },
  async () => {
    // Below the repository, so that it finds the same packages.
    await mkdir(CACHE, { recursive: true })
    await using copy = await createFixture({}, { tempDir: CACHE })
    await cp(join(REPOSITORY, 'src'), copy.getPath('src'), { recursive: true })
    await cp(join(REPOSITORY, 'tsconfig.json'), copy.getPath('tsconfig.json'))
    const blocks = [...(await readFile(PAGE, 'utf8')).matchAll(BLOCK)].map(({ groups = {} }) => groups)
    expect(blocks.length).toBeGreaterThan(3)
    for (const { path = '', language, text = '' } of blocks) {
      const file = copy.getPath(path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, language === 'ts' ? text : insert(await readFile(file, 'utf8'), text, path))
    }

    const tsc = spawnSync('npx', ['tsc', '-p', copy.getPath('src'), '--noEmit'], { cwd: REPOSITORY, encoding: 'utf8' })
    expect(tsc.stdout).toBe('')

    const root = copy.getPath('project')
    await mkdir(join(root, 'evals/cases'), { recursive: true })
    await writeFile(join(root, 'evals/hello.lines'), 'Say hello.\nhello\n')
    await writeFile(join(root, 'evals/cases/hello.yaml'), AAM)
    const { createSuiteCache, findSuites, loadSuite } = (await import(
      copy.getPath('src/formats/load-suite.ts')
    )) as typeof loading
    const { runChecks } = (await import(copy.getPath('src/checks/checks.ts'))) as typeof checking
    const cache = createSuiteCache()
    const { placed, searched } = await findSuites({ root, agentsRoot: root, cache }, false)
    expect([placed.length, searched.length]).toEqual([1, 1])
    const files = [...searched, ...placed]
    const suites = await Promise.all(files.map((file) => loadSuite(file, { root, cache })))
    const [evalCase] = suites[0]?.cases ?? []
    const expected = { prompt: 'Say hello.', checks: [{ kind: 'ends-with', value: 'hello' }] }
    expect(suites.map(({ cases }) => cases)).toMatchObject([[expected], [expected]])
    const outcomes = ['I say hello', 'hello, I say'].map((output) => {
      const run = { output } as Parameters<typeof runChecks>[1]
      return runChecks(evalCase?.checks ?? [], run, null).map(({ outcome }) => outcome)
    })
    expect(outcomes).toEqual([['passed'], ['failed']])
  },
)

test('the page on the architecture names the files of the path of a case, which exist', async () => {
  const text = await readFile(join(REPOSITORY, 'docs/architecture.md'), 'utf8')
  const path = text.slice(text.indexOf('## The path of a case'), text.indexOf('## Where is it decided?'))
  const files = (page: string): string[] => [...new Set(page.match(/(?<=`)[\w-]+\/[\w./-]+\.ts(?=`)/g))]
  expect(files(path)).not.toEqual([])
  expect(
    files(text).filter((file) => !existsSync(join(REPOSITORY, 'src', file)) && !existsSync(join(REPOSITORY, file))),
  ).toEqual([])
})

/** Applies a diff: each added line is put below the line that is shown or removed above it. */
function insert(text: string, diff: string, path: string): string {
  const lines = text.split('\n')
  let at = -1
  for (const line of diff.trimEnd().split('\n')) {
    if (line.startsWith('+')) lines.splice((at += 1), 0, line.slice(1))
    else if ((at = lines.indexOf(line.slice(1), at + 1)) === -1) throw new Error(`${path} has no line ${line}`)
    else if (line.startsWith('-')) lines.splice(at--, 1)
  }
  return lines.join('\n')
}

test('every line is printed by one file', async () => {
  // Programs of a session, and what holds the output of others back.
  const others = /^(?:engines\/(?:hooks|mocks)|sandbox\/sandbox-runtime|vitest\/command\/read-tests\.ts$)/
  const files = (await readdir(join(REPOSITORY, 'src'), { recursive: true })).filter((file) => /\.tsx?$/.test(file))
  const printing: string[] = []
  for (const file of files.filter((name) => !others.test(name))) {
    const text = await readFile(join(REPOSITORY, 'src', file), 'utf8')
    if (/\bconsole\.|\b(?:stdout|stderr)\.write\(|\blogger(?:\.(?:log|warn|error)\(|\[)/.test(text)) printing.push(file)
  }
  expect(printing).toEqual(['report/summary/terminal.ts'])
})
