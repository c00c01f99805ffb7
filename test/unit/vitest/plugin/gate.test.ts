import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { openGate, readFilters, type GateRequest } from '../../../../src/vitest/plugin/user-projects.ts'

const plain: GateRequest = {
  name: 'evals',
  when: 'named',
  projects: [],
  filters: [],
  suites: ['/repo/evals/cases/pdf.yaml', '/repo/evals/cases/src.yaml'],
  root: '/repo',
  showOnly: false,
}

test('a plain run leaves the project out', () => {
  expect(openGate(plain)).toBeNull()
})

test.for([['evals'], ['ev*'], ['EVALS'], ['unit', 'evals']])('--project %j names it', (projects) => {
  expect(openGate({ ...plain, projects })).toBe('project-named')
})

test.for([['*'], ['!evals'], ['unit'], ['assert']])('--project %j does not name it', (projects) => {
  expect(openGate({ ...plain, projects })).toBeNull()
})

test.for(['evals/cases/pdf.yaml', '/repo/evals/cases/pdf.yaml', 'evals/cases/pdf.yaml:12', 'pdf.yaml', 'pdf.yaml:3-9'])(
  'the file filter %s names one of its files',
  (filter) => {
    expect(openGate({ ...plain, filters: [filter] })).toBe('file-named')
  },
)

test.for(['src', 'pdf', 'cases/other.yaml', 'test/a.test.ts'])('the filter %s names none', (filter) => {
  expect(openGate({ ...plain, filters: [filter] })).toBeNull()
})

test('a file filter does not open it when another project is named', () => {
  expect(openGate({ ...plain, projects: ['unit'], filters: ['evals/cases/pdf.yaml'] })).toBeNull()
})

test('the folder of the evals names them, a folder above does not', async () => {
  await using fixture = await createFixture({ 'evals/cases/pdf.yaml': '' })
  const request = { ...plain, root: fixture.path, suites: [fixture.getPath('evals/cases/pdf.yaml')] }
  expect(openGate({ ...request, filters: ['evals/cases'] })).toBe('file-named')
  expect(openGate({ ...request, filters: ['evals/'] })).toBe('file-named')
  expect(openGate({ ...request, filters: ['evals/other'] })).toBeNull()
})

test('`always` and an editor open it, and say which', () => {
  expect(openGate({ ...plain, when: 'always' })).toBe('always')
  expect(openGate({ ...plain, showOnly: true })).toBe('show-only')
  expect(openGate({ ...plain, showOnly: true, projects: ['evals'] })).toBe('project-named')
})

describe('readFilters', () => {
  test('reads the filters of a vitest command line', () => {
    const parse = (argv: string[]): { filter: string[] } => ({ filter: argv.slice(2) })
    expect(readFilters(['node', '/repo/node_modules/vitest/vitest.mjs', 'run', 'a.yaml'], parse)).toEqual(['a.yaml'])
  })

  test('reads nothing from another program, and nothing from a line that does not parse', () => {
    const refuse = (): never => {
      throw new Error('unknown option')
    }
    expect(readFilters(['node', '/opt/editor/server.js', 'a.yaml'], refuse)).toEqual([])
    expect(readFilters(['node', '/repo/vitest.mjs', '--odd'], refuse)).toEqual([])
  })
})
