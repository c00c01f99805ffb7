import { describe, expect, test } from 'vitest'
import { decideStatements } from '../../../src/case/assess/decide-statements.ts'
import { readSentence } from '../../../src/checks/checks.ts'
import type { SeenFile } from '../../../src/checks/check.ts'
import { agentRun } from '../../support/agent-run.ts'
import type { AgentRun } from '../../../src/transcript/transcript.ts'

test.for([
  ['out/a.md exists', { kind: 'path-exists', value: 'out/a.md', holds: true }],
  ['A file named `out/a.md` was created.', { kind: 'path-exists', value: 'out/a.md', holds: true }],
  ['The file "./a.md" is present', { kind: 'path-exists', value: 'a.md', holds: true }],
  ['a.md does not exist', { kind: 'path-exists', value: 'a.md', holds: false }],
  ['`a.md` was not created', { kind: 'path-exists', value: 'a.md', holds: false }],
  ['a.md contains the text "**x**"', { kind: 'file-contains', value: 'a.md', text: '**x**' }],
  ["a.md does not include 'it'", { kind: 'file-not-contains', value: 'a.md', text: 'it' }],
  ['brief.md word count is between 250 and 1500', { kind: 'file-words', value: 'brief.md', least: 250, most: 1500 }],
  ['a.md has between 2 and 3 words', { kind: 'file-words', value: 'a.md', least: 2, most: 3 }],
  ['a.md has at least 2 words', { kind: 'file-words', value: 'a.md', least: 2, most: Infinity }],
  ['a.md has at most 3 words', { kind: 'file-words', value: 'a.md', least: 0, most: 3 }],
  ['out/a.json is valid JSON', { kind: 'file-is-json', value: 'out/a.json' }],
  ['a.md is byte-identical to the fixture', { kind: 'path-unchanged', value: 'a.md' }],
  ['a.md was not modified', { kind: 'path-unchanged', value: 'a.md' }],
  ['No new files are created', { kind: 'no-file', value: 'created' }],
  ['No file was deleted.', { kind: 'no-file', value: 'deleted' }],
  ['The final assistant message contains `done`', { kind: 'says', value: 'done', holds: true }],
  ['The transcript contains no Write tool calls', { kind: 'no-tool', value: 'Write' }],
  ['The transcript contains an `mcp__a__b` tool call', { kind: 'tool-called', value: 'mcp__a__b' }],
  ['The Bash tool was never used', { kind: 'no-tool', value: 'Bash' }],
  ['The "pdf" skill is invoked', { kind: 'skill-used', value: 'pdf', names: ['pdf'] }],
  ['The skill `pdf` is not used', { kind: 'skill-not-used', value: 'pdf', names: ['pdf'] }],
] as const)('%s is a sentence', ([text, sentence]) => {
  expect(readSentence(text)).toEqual(sentence)
})

test.for([
  'brief.md exists in the run folder',
  'decision-log.md exists at the path referenced in the JSON output',
  'A run folder is created with brief.md and decision-log.md',
  'It exists',
  'The `users` table exists',
  'and/or exists',
  '`/etc/passwd` exists',
  '../a.md exists',
  'out/*.md exists',
  '`{name}.md` exists',
  '`GET /users/a.b` exists',
  'a.md contains all four fields',
  'a.md contains "x" and "y"',
  'a.md contains "x" in its first line',
  'brief.md is right-sized (closer to 250-500 words than 1500)',
  'The output contains "x"',
  'The transcript contains no failed tool calls',
  'The transcript contains no Write tool calls and no Edit tool calls targeting the folder',
  'The transcript contains no clarifying questions',
  'The right skill is used',
  'No files are created outside of out/',
  'No other files are created',
  'a.md is not changed much',
  '',
])('%s is for the judge', (text) => {
  expect(readSentence(text)).toBeNull()
})

describe('a sentence is decided by what was left', () => {
  const files: Record<string, SeenFile> = {
    'out/a.md': { text: 'one two  three\n' },
    'b/a.md': { text: '' },
    'top.json': { text: '{"a": 1}' },
    'out/bad.json': { text: '{' },
    'out/image.png': { text: null },
    'out/link.md': 'unknown',
    'fixture.md': { text: 'given' },
  }
  const changed = (path: string): AgentRun['files']['created'][number] => ({ path, size: 1, hash: 'h' })
  const decide = async (text: string, part: Partial<AgentRun> = {}, created = ['out/a.md']): Promise<string | null> => {
    expect(readSentence(text)).not.toBeNull()
    const run = agentRun(
      { files: { created: created.map(changed), modified: [], deleted: [], unreadable: [] }, ...part },
      [
        { kind: 'tool-call', agent: null, id: '1', tool: 'Write', input: {} },
        { kind: 'skill-used', agent: null, skill: 'pdf', via: 'tool' },
      ],
    )
    const [found = null] = await decideStatements([{ text }], run, async (path) => files[path] ?? 'missing')
    return found === null ? null : `${found.holds ? 'holds' : 'fails'}: ${found.evidence}`
  }

  test.for([
    ['out/a.md exists', 'holds: out/a.md exists.'],
    ['a.md exists', 'holds: out/a.md exists.'],
    ['out/c.md exists', 'fails: out/c.md does not exist.'],
    ['out/c.md does not exist', 'holds: out/c.md does not exist.'],
    // It may lie anywhere below, in what the run did not touch.
    ['c.md exists', null],
    ['out/link.md exists', null],
    ['out/image.png exists', 'holds: out/image.png exists.'],
    ['out/image.png contains "x"', null],
    ['a.md contains "two"', 'holds: out/a.md contains "two".'],
    ['a.md does not contain "two"', 'fails: out/a.md contains "two".'],
    ['out/c.md contains "two"', 'fails: out/c.md does not exist.'],
    ['out/c.md does not contain "two"', null],
    ['a.md has between 3 and 4 words', 'holds: out/a.md has 3 words, counted as `wc -w` does.'],
    ['a.md has at most 2 words', 'fails: out/a.md has 3 words, counted as `wc -w` does.'],
    ['top.json is valid JSON', 'holds: top.json is valid JSON.'],
    ['out/bad.json is valid JSON', expect.stringMatching(/^fails: out\/bad\.json is no JSON: /)],
    ['fixture.md is unchanged', 'holds: fixture.md was not created, modified or deleted.'],
    ['out/a.md is unchanged', null],
    ['No new files are created', 'fails: created: out/a.md.'],
    ['No files were modified', 'holds: No file was modified.'],
    ['The final message contains "done"', 'holds: The final message contains "done".'],
    ['The transcript contains no Write tool calls', 'fails: Write was called at event 1.'],
    ['The Edit tool was not called', 'holds: Edit was not called.'],
    ['The "pdf" skill was used', 'holds: The run used pdf.'],
    ['The "docx" skill was used', 'fails: The run used pdf.'],
  ] as const)('%s', async ([text, outcome]) => {
    expect(await decide(text)).toEqual(outcome)
  })

  test('a plain name of which there are two is for the judge', async () => {
    expect(await decide('a.md exists', {}, ['out/a.md', 'b/a.md'])).toBeNull()
  })

  test('a changed or deleted file is not unchanged, and what could not be read is unknown', async () => {
    const none = { created: [], modified: [], deleted: [], unreadable: [] }
    const text = 'fixture.md is not changed'
    expect(await decide(text, { files: { ...none, modified: [changed('fixture.md')] } })).toBe(
      'fails: fixture.md was changed.',
    )
    expect(await decide(text, { files: { ...none, deleted: ['fixture.md'] } })).toBe('fails: fixture.md was deleted.')
    const unreadable = [{ path: '.', reason: 'was not looked at as a whole', kind: 'hidden', isNew: false } as const]
    expect(await decide(text, { files: { ...none, unreadable } })).toBeNull()
    expect(await decide('No files are created', { files: { ...none, unreadable } })).toBeNull()
  })
})
