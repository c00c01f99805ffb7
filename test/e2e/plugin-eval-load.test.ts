// @module-tag claude-code
import { execFile } from 'node:child_process'
import { dirname, relative, sep } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { failsFile } from '../../src/documents/issue.ts'
import { findSuitesOf } from '../support/find-suites.ts'
import { loadSuite } from '../../src/suites/load-suite.ts'
import { claudeExecutable } from '../support/engines.ts'
import type { Issue } from '../../src/documents/issue.ts'

const HI = '---\ntype: regex\n---\nhi\n'
const prose = (prompt: string, grader = HI): Readonly<Record<string, string>> => ({
  'prompt.md': prompt,
  'graders/hi.md': grader,
})
const yaml = (text: string): Readonly<Record<string, string>> => ({ 'case.yaml': text })
const LISTED = 'graders: [{type: regex, name: a, pattern: hi}]\n'

// By folder; what is wrong with each is in its name.
const CASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  good: prose('Say hi.\n'),
  'group/good': prose('Say hi.\n'),
  'good-yaml': yaml(`schema_version: "1.1"\nname: y\nunknown: 1\nexecution: {prompt: hi, unknown: 2}\n${LISTED}`),
  'good-note': { ...prose('Say hi.\n'), 'graders/note.md': 'No front matter.\n' },
  'unknown-key': prose('---\nmax_turn: 3\n---\nSay hi.\n'),
  'no-graders': { 'prompt.md': 'Say hi.\n' },
  'grader-fields': prose(
    'Say hi.\n',
    '---\ntype: regex\nfoo: 1\nweight: 0\nflags: q\nmatch: sometimes\ntarget: nowhere\n---\n',
  ),
  'grader-kind': prose('Say hi.\n', '---\ntype: code\n---\nx\n'),
  'grader-without-type': prose('Say hi.\n', '---\nweight: 2\n---\nx\n'),
  'grader-without-fields': prose('Say hi.\n', '---\ntype: tool_order\n---\n'),
  ranges: prose('---\nmax_turns: 201\ntimeout_seconds: 0\nruns: 51\nallowed_tools: Read\ntags: [1]\n---\nSay hi.\n'),
  'bad-yaml': prose('---\nmax_turns: [\n---\nSay hi.\n'),
  'open-front-matter': prose('---\nruns: 1\nSay hi.\n'),
  'list-as-front-matter': prose('---\n- a\n---\nSay hi.\n'),
  empty: { 'prompt.md': '' },
  'no-body': prose('---\nruns: 1\n---\n'),
  'no-version': yaml(`name: x\nexecution: {prompt: hi}\n${LISTED}`),
  'newer-version': yaml(`schema_version: "2.0"\nname: x\nexecution: {prompt: hi}\n${LISTED}`),
  'no-name': yaml(`schema_version: "1.0"\nexecution: {prompt: hi}\n${LISTED}`),
  'list-as-case': yaml('- a\n'),
  'no-prompt-with-history': yaml(
    `schema_version: "1.0"\nname: x\ncontext: {history_file: h}\nexecution: {}\n${LISTED}`,
  ),
  'two-of-one-name': yaml(
    'schema_version: "1.1"\nname: x\nexecution: {prompt: hi}\n' +
      'graders: [{type: regex, name: a, pattern: hi}, {type: llm, name: a, criteria: hi}]\n',
  ),
  template: prose('TODO: describe what the agent should do\n'),
  'template-of-grader': prose(
    'Say hi.\n',
    '---\ntype: llm\n---\nTODO: describe what a successful response looks like\n',
  ),
  'disallowed-pattern': prose('---\ndisallowed_tools: ["Bash(rm:*)"]\n---\nSay hi.\n'),
}

const executable = claudeExecutable()

test.skipIf(executable === null)('refuses to load what claude plugin eval refuses, for the same fields', async () => {
  await using fixture = await createFixture({
    '.claude-plugin/plugin.json': '{"name":"plug","version":"0.1.0"}',
    ...Object.fromEntries(
      Object.entries(CASES).flatMap(([name, files]) =>
        Object.entries(files).map(([path, text]) => [`evals/${name}/${path}`, text]),
      ),
    ),
  })
  const root = fixture.path.replace(/\/$/, '')
  const theirs = await askClaude(root)
  const ours = await readOurs(root)
  expect([...theirs].filter(([, fields]) => fields.length === 0)).toEqual([])
  expect(ours.size).toBeGreaterThan(15)
  expect([...ours.keys()].toSorted()).toEqual([...theirs.keys()].toSorted())
  // It ends at the first unknown field; here all mistakes of a case are listed.
  const missing = [...theirs].map(([name, fields]) => [
    name,
    fields.filter((one) => ours.get(name)?.includes(one) !== true),
  ])
  expect(missing.filter(([, fields]) => fields?.length !== 0)).toEqual([])
})

async function askClaude(root: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const env = {
    PATH: process.env['PATH'],
    HOME: `${root}/home`,
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    CLAUDE_CODE_MAX_RETRIES: '0',
  }
  const args = ['plugin', 'eval', '.', '--runs', '1', '--trust-plugin', '--no-publish', '--output-dir', `${root}/out`]
  // Without a credential it ends after it has loaded the cases.
  const { stderr } = await promisify(execFile)(executable ?? '', args, { cwd: root, env }).catch(
    (error: unknown) => error as { readonly stderr: string },
  )
  const lines = stripVTControlCharacters(stderr).split('\n')
  const found = lines.flatMap((line) => {
    const [, file, message] = /^✗ (.+?\/evals\/[^:]*): (.*)$/.exec(line) ?? []
    return file === undefined || message === undefined ? [] : [[caseOf(root, file), fieldsOf(message)] as const]
  })
  return new Map(found)
}

async function readOurs(root: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const ours = await findSuitesOf('plugin-eval', root)
  const found = await Promise.all(
    ours.map(async (file) => {
      const { issues } = await loadSuite(file, { root })
      return [caseOf(root, file), issues.filter(failsFile).map(fieldOf)] as const
    }),
  )
  return new Map(found.filter(([, fields]) => fields.length > 0))
}

function caseOf(root: string, file: string): string {
  const folder = /\/(?:case\.yaml|prompt\.md)$/.test(file) ? dirname(file) : file
  return relative(`${root}/evals`, folder).split(sep).join('/')
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/frontmatter must include "type:"/, 'type'],
  [/unterminated frontmatter/, 'front matter'],
  [/invalid YAML frontmatter/, 'syntax'],
  [/must be a YAML object/, 'object'],
  [/no case definition/, 'empty'],
  [/requires? execution\.prompt|execution\.prompt is required/, 'prompt'],
  [/blank `init` template/, 'template'],
  [/schema_version/, 'schema_version'],
  [/cannot be disallowed/, 'disallowed_tools'],
]

function fieldsOf(message: string): readonly string[] {
  const [, unknown] = /unknown frontmatter key "(.+?)"/.exec(message) ?? []
  if (unknown !== undefined) return [unknown]
  if (!message.startsWith('invalid case.yaml:'))
    return WORDS.filter(([words]) => words.test(message)).map(([, word]) => word)
  const [, list = ''] = message.split('invalid case.yaml:')
  return [...list.matchAll(/ {2}([\w.]+): (.*?)(?= {2}|$)/g)].map(([, field = '', why = '']) => {
    const [, key] = /Unrecognized key\(s\) in object: '(.+?)'/.exec(why) ?? []
    if (/duplicate grader name/.test(why)) return 'name'
    return key ?? shorten(field)
  })
}

function fieldOf({ code, field }: Issue): string {
  if (code === 'placeholder') return 'template'
  if (code === 'front-matter') return 'front matter'
  if (code === 'empty-file') return 'empty'
  if (field === '') return code === 'wrong-type' ? 'object' : 'syntax'
  return shorten(field)
}

function shorten(field: string): string {
  return field
    .replace(/^graders\.\d+\./, '')
    .replace(/^execution\./, '')
    .replace(/^disallowed_tools\.\d+$/, 'disallowed_tools')
}
