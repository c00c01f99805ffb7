import { createFixture } from 'fs-fixture'
import { parseCLI } from 'vitest/node'
import { describe, expect, test } from 'vitest'
import { namesOnlyOurs, openGate, readCommand, type GateRequest } from '../../../../src/vitest/plugin/user-projects.ts'

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

describe('readCommand', () => {
  test('reads the filters and projects of a vitest command line', () => {
    const argv = ['node', '/repo/node_modules/vitest/vitest.mjs', 'run', 'a.yaml', '--project', 'evals']
    expect(readCommand(argv, (args) => parseCLI(args))).toEqual({ filters: ['a.yaml'], projects: ['evals'] })
  })

  test('reads nothing from another program, and nothing from a line that does not parse', () => {
    const refuse = (): never => {
      throw new Error('unknown option')
    }
    const nothing = { filters: [], projects: [] }
    expect(readCommand(['node', '/opt/editor/server.js', 'a.yaml'], refuse)).toEqual(nothing)
    expect(readCommand(['node', '/repo/vitest.mjs', '--odd'], refuse)).toEqual(nothing)
  })

  test('knows when only projects of the plugin are named', () => {
    const api = { projectName: 'evals', assertName: 'assert', options: {} }
    const named = [['evals'], ['assert', 'evals'], ['evals', 'unit'], ['ev*'], ['!unit'], []]
    expect(named.map((projects) => namesOnlyOurs(projects, api))).toEqual([true, true, false, false, false, false])
  })
})
