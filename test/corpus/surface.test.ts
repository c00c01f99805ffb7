import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { startProcess, type FinishedProcess } from '../support/running-process.ts'
import { REPOSITORY } from '../support/repository.ts'

const SNAPSHOTS = join(import.meta.dirname, 'surface')
const MAIN = join(REPOSITORY, 'dist/cli/main.js')

test('the help of every command is as before', async () => {
  const overview = await command(REPOSITORY, '--help')
  const names = Array.from(overview.stdout.matchAll(/^ {2}([a-z]+)(?:, [a-z]+)? {2,}/gm), ([, name = '']) => name)
  expect(names.length).toBeGreaterThan(10)
  const pages = await Promise.all(names.map(async (name) => (await command(REPOSITORY, name, '--help')).stdout))
  await expect([overview.stdout, ...pages].join('\n')).toMatchFileSnapshot(join(SNAPSHOTS, 'help.txt'))
})

test('the public types are as before', async () => {
  const entries = ['index', 'test', 'matchers', 'register'].map((name) => `${name}.d.ts`)
  const texts = await Promise.all(entries.map(read))
  const named = texts.flatMap((text) =>
    Array.from(text.matchAll(/from '\.\/([^']+)\.[jt]s'/g), ([, name]) => `${name}.d.ts`),
  )
  const files = [...new Set([...entries, ...named])]
  const all = await Promise.all(files.map(async (file) => `## ${file}\n${await read(file)}`))
  await expect(all.join('\n')).toMatchFileSnapshot(join(SNAPSHOTS, 'types.txt'))
})

/** Reads a file of types without its comments, whose words may change. */
async function read(file: string): Promise<string> {
  const text = await readFile(join(REPOSITORY, 'dist', file), 'utf8')
  return text.replace(/^[ \t]*\/\*\*[^]*?\*\/\n/gm, '')
}

test('commands end as before where something is wrong', async () => {
  const good = 'name: a\ninput: { prompt: Do it. }\njudge: { criteria: It is done. }\n'
  await using project = await createFixture({
    'package.agent.json': '{ "name": "p", "version": "1.0.0" }\n',
    'evals/cases/a.yaml': good,
    'evals/cases/broken.yaml': 'name: b\ninput: [',
    'empty/file.txt': '',
  })
  const calls = [
    ['nope'],
    ['list', '--root', 'empty'],
    ['list', 'no-such-case'],
    ['list', '--engine', 'cursor'],
    ['lint'],
    ['lint', 'empty'],
    ['show'],
    ['diff', 'a.json', 'b.json'],
    ['merge'],
    ['help', 'stale'],
    ['run', '--runs', '0'],
    ['costs'],
    ['audit'],
  ]
  const ends = await Promise.all(
    calls.map(async (call) => {
      const { exitCode, stdout, stderr } = await command(project.path, ...call)
      return [`$ ${call.join(' ')}`, stdout.trimEnd(), stderr.trimEnd(), `exit ${exitCode}`, ''].join('\n')
    }),
  )
  const text = ends.join('\n').replaceAll(project.path, '<root>/').replaceAll(REPOSITORY, '<repository>')
  await expect(text).toMatchFileSnapshot(join(SNAPSHOTS, 'ends.txt'))
})

function command(cwd: string, ...args: readonly string[]): Promise<FinishedProcess> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1', COLUMNS: '120' }
  return startProcess(process.execPath, [MAIN, ...args], { cwd, env }).finished
}
