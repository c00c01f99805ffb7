import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { openTrackedFs } from '../../../../src/lib/documents/read-text.ts'
import { checkGuard, findViolation } from '../../../../src/formats/plugin-eval/mock-guard.ts'
import { mockLayers } from '../../../../src/formats/plugin-eval/model.ts'
import { loadMocks, type LoadedMocks } from '../../../../src/formats/plugin-eval/mocks.ts'

async function load(files: Readonly<Record<string, string>>, folders = ['.']): Promise<LoadedMocks> {
  await using fixture = await createFixture(files)
  const root = fixture.path.replace(/\/$/, '')
  const { servers, issues } = await loadMocks(
    folders.map((folder) => (folder === '.' ? root : `${root}/${folder}`)),
    openTrackedFs(),
  )
  return JSON.parse(JSON.stringify({ servers, issues }).replaceAll(`${root}/`, '')) as LoadedMocks
}

function words({ issues }: LoadedMocks): readonly string[] {
  return issues.map(({ file, line, severity, code, field }) => `${file}:${line} ${severity} ${code} ${field}`.trim())
}

test('tools, an agent for several tools, and saved listings make one server', async () => {
  const loaded = await load({
    'mocks/tracker/create_issue.md':
      '---\nexpect:\n  project: CORE\n  labels: [bug, task]\n  priority: number\n---\n{"id": "{{input.title}}"}\n',
    'mocks/tracker/delete_issue.md': '---\nerror: true\n---\nNot found\n',
    'mocks/tracker/_server.md':
      '---\ntype: agent\ntools: [list_issues, create_issue]\nabort_when: A wipe.\n---\nA tracker.\n',
    'mocks/tracker/_tools.json':
      '{"result": {"tools": [{"name": "list_issues", "description": "Lists.", "inputSchema": {"type": "object", "properties": {}}}]}}',
    'mocks/tracker/fixture.json': '{}',
  })
  expect(words(loaded)).toEqual([])
  expect(loaded.servers).toMatchObject([
    {
      name: 'tracker',
      tools: [
        {
          name: 'list_issues',
          description: 'Lists.',
          inputSchema: { type: 'object', properties: {} },
          responder: { kind: 'agent', prompt: 'A tracker.', abortWhen: 'A wipe.', replayDir: 'mocks/.replay/tracker' },
        },
        {
          name: 'create_issue',
          description: '',
          responder: {
            kind: 'fixed',
            body: '{"id": "{{input.title}}"}',
            isError: false,
            expect: { project: 'CORE', labels: ['bug', 'task'], priority: 'number' },
            file: 'mocks/tracker/create_issue.md',
          },
        },
        { name: 'delete_issue', responder: { kind: 'fixed', isError: true } },
      ],
    },
  ])
})

test('a nearer folder replaces a tool and keeps the others', async () => {
  expect(mockLayers('/p/evals/group/case', '/p/evals')).toEqual(['/p/evals', '/p/evals/group', '/p/evals/group/case'])
  const loaded = await load(
    {
      'evals/mocks/a/one.md': 'far one\n',
      'evals/mocks/a/two.md': 'far two\n',
      'evals/case/mocks/a/one.md': 'near one\n',
    },
    ['evals', 'evals/case'],
  )
  const [server] = loaded.servers
  expect(server?.tools.map(({ name, responder }) => [name, 'body' in responder ? responder.body : null])).toEqual([
    ['one', 'near one'],
    ['two', 'far two'],
  ])
})

test.each([
  ['an unknown field', 'a.md', '---\nfoo: 1\n---\nx', '2 error unknown-field foo'],
  ['a field close to a known one', 'a.md', '---\nexpects: {}\n---\nx', '2 error unknown-field expects'],
  ['an unknown type', 'a.md', '---\ntype: nope\n---\nx', '2 error wrong-type type'],
  ['the placeholder', 'a.md', 'TODO: replace with the canned result this tool should return', '1 error invalid-mock'],
  ['tools outside of _server.md', 'a.md', '---\ntools: [b]\n---\nx', '2 error unknown-field tools'],
  ['an abort of a fixed answer', 'a.md', '---\nabort_when: x\n---\nx', '2 error unknown-field abort_when'],
  ['an error of an agent', 'a.md', '---\ntype: agent\nerror: true\n---\nx', '3 error unknown-field error'],
  ['an agent without a description', 'a.md', '---\ntype: agent\n---\n', '2 error invalid-mock'],
  ['a fixed _server.md', '_server.md', '---\ntools: [a]\n---\nx', '2 error missing-field type'],
  ['_server.md without tools', '_server.md', '---\ntype: agent\n---\nx', '2 error missing-field tools'],
  [
    'a guard for several tools',
    '_server.md',
    '---\ntype: agent\ntools: [a, b]\nexpect: { x: 1 }\n---\nx',
    '4 error invalid-value expect',
  ],
  ['an empty list of values', 'a.md', '---\nexpect: { x: [] }\n---\nx', '2 error out-of-range expect.x'],
  ['a wrong name of a tool', 'a b.md', 'x', '1 error invalid-mock'],
  ['a listing of another shape', '_tools.json', '[]', '1 error invalid-mock tools'],
])('%s breaks the case at its line', async (_, name, text, expected) => {
  const loaded = await load({ [`mocks/srv/${name}`]: text })
  expect(words(loaded).filter((one) => one.includes(' error '))).toEqual([`mocks/srv/${name}:${expected}`])
})

test.each([
  [{ a: 'x' }, { a: 'x' }, null],
  [{ a: 'x' }, { a: 'y' }, 'a = "y" is not "x"'],
  [{ a: '5' }, { a: 5 }, null],
  [{ a: 'number' }, { a: '5' }, 'a = "5" is not a number'],
  [{ a: 'array' }, { a: [] }, null],
  [{ a: ['x', 'y'] }, { a: 'z' }, 'a = "z" is not one of [x, y]'],
  [{ 'a.b': 'x' }, { a: { b: 'x' } }, null],
  [{ a: { b: 'x' } }, { a: { b: 'y' } }, 'a.b = "y" is not "x"'],
  [{ a: '/^CORE-[0-9]+$/' }, { a: 'CORE-12' }, null],
  [{ a: '/^core/i' }, { a: 'CORE-12' }, null],
  [{ a: '/^CORE/' }, { a: 'X' }, 'a = "X" does not match /^CORE/'],
  [{ a: 'string' }, {}, 'a = (missing) is not a string'],
  [{ constructor: 'string' }, {}, 'constructor = (missing) is not a string'],
])('expect %j of %j', (guards, input, violation) => {
  expect(findViolation(input, guards)).toBe(violation)
})

test.each(['/x/g', '/[/', '/(/'])('the guard %s is refused when it is loaded', async (guard) => {
  expect(checkGuard(guard)).not.toBeNull()
  const loaded = await load({ 'mocks/srv/a.md': `---\nexpect: { field: "${guard}" }\n---\nx` })
  expect(words(loaded).filter((one) => one.includes(' error '))).toEqual([
    'mocks/srv/a.md:2 error invalid-value expect.field',
  ])
})

test('a guard may be any pattern; one that takes for ever, and a value that is too long, end the run', () => {
  expect(findViolation({ a: 'bb' }, { a: '/^(a|b){2}$/' })).toBeNull()
  expect(findViolation({ a: `${'a'.repeat(40)}!` }, { a: '/^(a+)+$/' })).toContain('took longer than')
  expect(findViolation({ a: 'x'.repeat(8193) }, { a: '/x/' })).toContain('8193 characters, more than')
})

test('a responder has at most 32 guards', async () => {
  const guards = (count: number): string => Array.from({ length: count }, (_, index) => `f${index}: x`).join(', ')
  const text = (count: number): string => `---\nexpect: { ${guards(count)} }\n---\nx`
  expect(words(await load({ 'mocks/srv/a.md': text(32) }))).toEqual([])
  expect(words(await load({ 'mocks/srv/a.md': text(33) }))[0]).toContain('error invalid-value expect')
})
