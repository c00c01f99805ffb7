import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { failsFile } from '../../../../src/documents/issue.ts'
import { loadSuite } from '../../../../src/suites/load-suite.ts'
import { list } from '../../../../src/cli/commands/list.ts'
import { printed } from '../../../support/printed.ts'

const SKILL = '---\nname: x\ndescription: Use it.\n---\nDo it.\n'
const ENTRY = { id: 1, prompt: 'Do it', expectations: ['Done'] }

interface Listed {
  readonly cases: readonly { readonly files: readonly string[]; readonly overlays: readonly string[] }[]
  readonly notes: readonly { readonly field: string | null; readonly message: string }[]
}

async function listOf(entry: object, files: FileTree = {}): Promise<string> {
  const suite = JSON.stringify({ evals: [{ ...ENTRY, ...entry }] })
  await using fixture = await createFixture({
    'skills/x/SKILL.md': SKILL,
    'skills/x/evals/evals.json': suite,
    ...files,
  })
  const { cases, notes } = JSON.parse(await printed(list, '--root', fixture.path, '--json')) as Listed
  return [
    ...cases.flatMap((one) => [...one.files, ...one.overlays.map((path) => `over ${path}`)]),
    ...notes.map(({ field, message }) => `${field ?? ''}: ${message}`),
  ].join(' | ')
}

const EVALS = 'skills/x/evals'

// Each of these is how an author writes it.
test.for<readonly [string, object, FileTree, string]>([
  [
    'paths below the folder of the evals, the skill and the project',
    { input_files: ['fixtures/a.csv'], attachments: ['evals/fixtures/b.pdf'], contextFiles: ['src/app.ts'] },
    { [`${EVALS}/fixtures/a.csv`]: 'a', [`${EVALS}/fixtures/b.pdf`]: 'b', 'src/app.ts': 'c' },
    'fixtures/a.csv | evals/fixtures/b.pdf | src/app.ts',
  ],
  [
    'attachments in an object of inputs',
    { inputs: { attachments: ['evals/fixtures/b.pdf'], topic: 'eigenvalues' } },
    { [`${EVALS}/fixtures/b.pdf`]: 'b' },
    'evals/fixtures/b.pdf | evals.0.inputs.topic: has no effect: unknown field',
  ],
  [
    'contents by their paths, a copy under another name, and files of a setup',
    {
      setup_files: { 'src/app.py': 'print(1)\n', '.gitignore': 'dist/', 'data/in.csv': 'fixtures/a.csv' },
      setup: { files: [{ path: 'notes.md', content: '# Notes' }], commands: ['git init'] },
    },
    { [`${EVALS}/fixtures/a.csv`]: 'a' },
    'data/in.csv | src/app.py | .gitignore | notes.md | evals.0.setup.commands: has no effect: unknown field',
  ],
  [
    'objects with a source and a place, or a path and a description',
    {
      files: [
        { source: 'fixtures/a.csv', dest: 'data/a.csv' },
        { path: 'fixtures/a.csv', description: 'Sales' },
      ],
    },
    { [`${EVALS}/fixtures/a.csv`]: 'a' },
    'data/a.csv | fixtures/a.csv | evals.0.files.1.description: has no effect: unknown field',
  ],
  [
    'a folder that the workspace begins with, by its path or its name',
    { fixture: 'evals/fixtures/shop' },
    { [`${EVALS}/fixtures/shop/src/a.ts`]: 'a' },
    'over skills/x/evals/fixtures/shop',
  ],
  [
    'the name of a folder',
    { workspace: 'shop', repo: 'owner/shop' },
    { [`${EVALS}/fixtures/shop/src/a.ts`]: 'a' },
    'over skills/x/evals/fixtures/shop | evals.0.repo: has no effect: there is no folder evals/fixtures/owner/shop',
  ],
  [
    'a file as a fixture, and several fixtures',
    { fixture: 'plan.md', fixtures: ['evals/files/ledger.csv', 'shop'] },
    { [`${EVALS}/fixtures/plan.md`]: 'a', [`${EVALS}/files/ledger.csv`]: 'b', [`${EVALS}/fixtures/shop/c`]: 'c' },
    'plan.md | evals/files/ledger.csv | over skills/x/evals/fixtures/shop',
  ],
  [
    'labels, scripts and prose',
    { fixture: 'clean-repo', setup: 'setup.sh', workspace: 'A new repository', inputs: { topic: 'pumps' } },
    {},
    [
      'evals.0.setup: has no effect: a run executes no script of a suite',
      'evals.0.inputs: has no effect: unknown field',
      'evals.0.workspace: has no effect: unknown field',
      'evals.0.fixture: has no effect: there is no folder evals/fixtures/clean-repo',
    ].join(' | '),
  ],
  [
    'sentences and addresses where a path could be, and a file that only may be meant',
    { attachments: ['See the scan', 'https://example.com/a.pdf'], inputs: ['gone.md'] },
    {},
    "evals.0.attachments: has no effect: unknown field | evals.0.inputs.0: has no effect: gone.md does not exist: neither below the folder of the evals nor below the skill's folder nor below the project",
  ],
  [
    'a file with its content under the name of its kind',
    { fixture: { filename: 'rows.csv', csv: 'a,b', capabilities: 'text' } },
    {},
    'rows.csv | evals.0.fixture.capabilities: has no effect: unknown field',
  ],
  ['no files', { attachments: [], input_files: null, fixtures: [] }, {}, ''],
])('an entry brings %s', async ([, entry, files, expected]) => {
  expect(await listOf(entry, files)).toBe(expected)
})

test('a missing file breaks its case alone and names similar ones; a folder with answers is no fixture', async () => {
  await using fixture = await createFixture({
    'skills/x/SKILL.md': SKILL,
    'skills/x/evals/evals.json': JSON.stringify([
      { ...ENTRY, attachments: ['files/report.pdf'] },
      { ...ENTRY, id: 2, input_files: ['../secret.txt'] },
      { ...ENTRY, id: 3, files: ['fixtures/a.md'], workspace: 'skills/x' },
      { query: 'Do it', should_trigger: true, fixture: 'shop' },
    ]),
    'skills/x/evals/files/2026/report.pdf': 'a',
    'skills/x/evals/fixtures/a.md': 'a',
    'skills/x/evals/fixtures/shop/b.md': 'b',
    'skills/x/evals/fixtures/link': ({ symlink }) => symlink('../../../../..'),
  })
  const suite = await loadSuite(fixture.getPath('skills/x/evals/evals.json'), { root: fixture.path })
  expect(suite.cases.map(({ id, broken, files }) => [id, broken, files.map(({ to }) => to)])).toEqual([
    [
      '1',
      "0.attachments.0 files/report.pdf does not exist: neither below the folder of the evals nor below the skill's folder nor below the project. Did you mean evals/files/2026/report.pdf? (line 1).",
      [],
    ],
    ['2', '1.input_files.0 the path leaves the folder with ".." (line 1).', []],
    ['3', undefined, ['fixtures/a.md']],
    [expect.any(String), undefined, []],
  ])
  expect(suite.issues.map(({ severity, field, message }) => `${severity} ${field}: ${message}`)).toEqual([
    'error 1.input_files.0: the path leaves the folder with ".."',
    expect.stringContaining('error 0.attachments.0: files/report.pdf does not exist'),
    'warning 2.workspace: has no effect: skills/x is not a fixture: it contains the skill or its evals',
    'warning 3.fixture: has no effect: a trigger query gets no fixture; write "files"',
  ])
  expect(suite.issues.some(failsFile)).toBe(false)
})

test('the place of a case on a shared line has its column, as a run wants it', async () => {
  const suite = [ENTRY, { ...ENTRY, id: 2 }]
  await using fixture = await createFixture({
    'skills/x/SKILL.md': SKILL,
    'skills/x/evals/evals.json': JSON.stringify(suite),
    'skills/x/evals/triggers.json': JSON.stringify([{ id: 'asks', query: 'Do it', should_trigger: true }]),
  })
  for (const flag of ['--explain', '--verbose']) {
    const places = (await printed(list, '--root', fixture.path, flag)).match(/skills\/x\S+json:[\d:]+/g)
    expect(places, flag).toEqual([
      'skills/x/evals/evals.json:1:8',
      `skills/x/evals/evals.json:1:${JSON.stringify(suite).lastIndexOf('"id":') + 6}`,
      'skills/x/evals/triggers.json:1',
    ])
  }
})
