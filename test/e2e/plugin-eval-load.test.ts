// @module-tag claude-code
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { claudeLoadErrors, ourLoadErrors } from '../support/plugin-eval/load-errors.ts'

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

test.skipIf(claudeExecutable() === null)(
  'refuses to load what claude plugin eval refuses, for the same fields',
  async () => {
    await using fixture = await createFixture({
      '.claude-plugin/plugin.json': '{"name":"plug","version":"0.1.0"}',
      ...Object.fromEntries(
        Object.entries(CASES).flatMap(([name, files]) =>
          Object.entries(files).map(([path, text]) => [`evals/${name}/${path}`, text]),
        ),
      ),
    })
    const root = fixture.path.replace(/\/$/, '')
    const theirs = await claudeLoadErrors(root)
    const ours = await ourLoadErrors(root)
    expect([...theirs].filter(([, fields]) => fields.length === 0)).toEqual([])
    expect(ours.size).toBeGreaterThan(15)
    expect([...ours.keys()].toSorted()).toEqual([...theirs.keys()].toSorted())
    // It ends at the first unknown field; here all mistakes of a case are listed.
    const missing = [...theirs].map(([name, fields]) => [
      name,
      fields.filter(({ field }) => ours.get(name)?.some((one) => one.field === field) !== true),
    ])
    expect(missing.filter(([, fields]) => fields?.length !== 0)).toEqual([])
  },
)
