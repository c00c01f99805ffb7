import type { FileTree } from 'fs-fixture'

/** A folder of a case that may not load. */
export interface OddFolder {
  readonly files: FileTree
  /** Why the two differ; absent where they must not. */
  readonly differs?: string
}

const HI = '---\ntype: regex\n---\nhi\n'
const LISTED = 'graders: [{type: regex, name: a, pattern: hi}]\n'
const STRICT = 'one rule for the YAML and the text of all formats'
const LINK = 'nothing behind a link is read here'

/** A prompt with a good grader. */
const prompt = (text: string, differs?: string): OddFolder =>
  folder({ 'prompt.md': text, 'graders/hi.md': HI }, differs)
/** Front matter above a prompt. */
const front = (text: string, differs?: string): OddFolder => prompt(`---\n${text}\n---\nSay hi.\n`, differs)
/** Front matter of a grader. */
const grader = (text: string, body = 'x', differs?: string): OddFolder =>
  folder({ 'prompt.md': 'Say hi.\n', 'graders/a.md': `---\n${text}\n---\n${body}\n` }, differs)
/** `case.yaml` alone. */
const yaml = (text: string, differs?: string): OddFolder => folder({ 'case.yaml': text }, differs)
/** `case.yaml` with all that it needs, and more. */
const whole = (text: string, differs?: string): OddFolder =>
  yaml(`schema_version: "1.1"\nname: whole\nexecution: {prompt: hi}\n${LISTED}${text}\n`, differs)

function folder(files: FileTree, differs?: string): OddFolder {
  return { files, ...(differs === undefined ? {} : { differs }) }
}

/** Odd folders of cases, by name. */
export const ODD_FOLDERS: Readonly<Record<string, OddFolder>> = {
  good: prompt('Say hi.\n'),
  '.hidden': prompt('Say hi.\n'),
  'cases/grouped': prompt('Say hi.\n'),
  'name in ünïcode': prompt('Say hi.\n'),
  'graders-empty': folder({ 'prompt.md': 'Say hi.\n', 'graders/note.txt': 'x' }),
  'graders-upper-case': folder({ 'prompt.md': 'Say hi.\n', 'graders/A.MD': HI }),
  'graders-nested': folder({ 'prompt.md': 'Say hi.\n', 'graders/sub/a.md': HI }),
  'graders-hidden': folder({ 'prompt.md': 'Say hi.\n', 'graders/.a.md': HI }),
  'graders-file': folder({ 'prompt.md': 'Say hi.\n', graders: 'x' }),
  'graders-link': folder(
    { 'prompt.md': 'Say hi.\n', graders: ({ symlink }) => symlink('../good/graders') },
    'a linked folder fails each run there',
  ),
  'graders-too-many': folder({
    'prompt.md': 'Say hi.\n',
    ...Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`graders/g${index}.md`, HI])),
  }),
  'grader-link': folder(
    { 'prompt.md': 'Say hi.\n', 'graders/a.md': ({ symlink }) => symlink('../../good/graders/hi.md') },
    LINK,
  ),
  'grader-link-to-nothing': folder({ 'prompt.md': 'Say hi.\n', 'graders/a.md': ({ symlink }) => symlink('none') }),
  'grader-empty': folder({ 'prompt.md': 'Say hi.\n', 'graders/a.md': '' }),
  'grader-open': folder({ 'prompt.md': 'Say hi.\n', 'graders/a.md': '---\ntype: regex\nhi\n' }),
  'grader-no-fields': folder({ 'prompt.md': 'Say hi.\n', 'graders/a.md': '---\n---\nhi\n' }),
  'grader-no-type': grader('weight: 2'),
  'grader-type-null': grader('type:'),
  'grader-type-list': grader('type: [regex]'),
  'grader-type-code': grader('type: code'),
  'grader-type-case': grader('type: Regex'),
  'grader-yaml': grader('type: ['),
  'grader-list': grader('- a'),
  'grader-twice': grader('type: regex\ntype: llm', 'x', STRICT),
  'grader-same-name': folder({
    'prompt.md': 'Say hi.\n',
    'graders/a.md': HI,
    'graders/b.md': '---\ntype: regex\nname: a\n---\nx\n',
  }),
  'grader-too-large': grader('type: regex', 'x'.repeat(1_050_000)),
  'regex-invalid': grader('type: regex', '('),
  'regex-flags-twice': grader('type: regex\nflags: ii'),
  'regex-flags-unknown': grader('type: regex\nflags: q'),
  'regex-flags-number': grader('type: regex\nflags: 3'),
  'regex-no-pattern': grader('type: regex', ''),
  'regex-match-negative': grader('type: regex\nmatch: "count:-1"'),
  'regex-match-map': grader('type: regex\nmatch: {count: 2}'),
  'regex-unknown-key': grader('type: regex\nfocus: trace'),
  'llm-unknown-key': grader('type: llm\ntarget: trace'),
  'llm-no-criteria': grader('type: llm', ''),
  'llm-two-criteria': grader('type: llm\ncriteria: front', 'body'),
  'baseline-no-file': grader('type: baseline'),
  'baseline-missing': grader('type: baseline\nbaseline_file: none.jsonl'),
  'tool-used-negative': grader('type: tool_used\ntool: Read\nmin: -1', ''),
  'tool-used-crossed': grader('type: tool_used\ntool: Read\nmin: 3\nmax: 1', ''),
  'tool-used-pattern': grader('type: tool_used\ntool: Read\ninput_match: "("', ''),
  'file-exists-text': grader('type: file_exists\npath: a\nexists: "no"', ''),
  'file-absolute': grader('type: file_exists\npath: /etc/passwd', ''),
  'weight-zero': grader('type: regex\nweight: 0'),
  'weight-negative': grader('type: regex\nweight: -1'),
  'weight-text': grader('type: regex\nweight: "2"'),
  'weight-nan': grader('type: regex\nweight: .nan'),
  'weight-infinite': grader('type: regex\nweight: .inf', 'x', STRICT),
  'arm-without': grader('type: regex\narm: without'),
  'target-empty': grader('type: regex\ntarget: ""'),
  'target-null': grader('type: regex\ntarget:'),
  'target-word': grader('type: regex\ntarget: file'),
  'target-case': grader('type: regex\ntarget: Trace'),
  'target-source': grader('type: regex\ntarget: {source: web, path: x}'),
  'target-no-path': grader('type: regex\ntarget: {source: file}'),
  'target-outside': grader('type: regex\ntarget: {source: file, path: ../../x}'),
  bom: prompt('\uFEFF---\nruns: 2\n---\nSay hi.\n'),
  'bom-wrong': prompt('\uFEFF---\nrunz: 2\n---\nSay hi.\n'),
  'bom-yaml': yaml(`\uFEFFschema_version: "1.1"\nname: bom\nexecution: {prompt: hi}\n${LISTED}`),
  crlf: prompt('---\r\nruns: 2\r\n---\r\nSay hi.\r\n'),
  'crlf-wrong': prompt('---\r\nrunz: 2\r\n---\r\nSay hi.\r\n'),
  'name-one': front('name: same'),
  'name-two': front('name: same'),
  'name-empty': front('name: ""'),
  'name-number': front('name: 3'),
  'runs-zero': front('runs: 0'),
  'runs-half': front('runs: 1.5'),
  'runs-text': front('runs: "3"'),
  'runs-null': front('runs:'),
  'runs-too-many': front('runs: 51'),
  'turns-zero': front('max_turns: 0'),
  'timeout-half': front('timeout_seconds: 0.5'),
  'timeout-long': front('timeout_seconds: 3601'),
  'env-list': front('env: [A=1]'),
  'env-number': front('env: {EVAL_A: 1}'),
  'env-other': front('env: {PATH: x}'),
  'tools-number': front('allowed_tools: ["", "Bash(", 3]'),
  'disallowed-empty': front('disallowed_tools: [""]'),
  'disallowed-server': front('disallowed_tools: [mcp__a__b]'),
  'disallowed-unknown': front('disallowed_tools: [Nope]', 'the names of built-in tools differ by version'),
  'tags-text': front('tags: one'),
  'plugins-missing': front('plugins: [../../none]'),
  'plugins-outside': front('plugins: [../../../..]'),
  'plugins-text': front('plugins: ../..'),
  'key-proto': front('__proto__: {runs: 2}'),
  'key-constructor': front('constructor: 1'),
  'key-of-yaml': front('execution: {max_turns: 1}'),
  'key-graders': front('graders: []'),
  'key-twice': front('runs: 1\nruns: 2', STRICT),
  'front-text': front('hello'),
  'front-comment': front('# nothing'),
  'front-open': prompt('---\nruns: 1\n...\nSay hi.\n'),
  'prompt-empty': prompt(''),
  'prompt-blank': prompt('---\nruns: 1\n---\n  \n'),
  'prompt-too-large': prompt('x'.repeat(1_050_000)),
  'prompt-large': prompt('x'.repeat(1_000_000)),
  'prompt-nul': prompt('Say\0hi.\n'),
  'prompt-latin-1': folder({ 'prompt.md': Buffer.from('Say h\xEF.\n', 'latin1'), 'graders/hi.md': HI }, STRICT),
  'prompt-utf-16': folder({ 'prompt.md': Buffer.from('\uFEFFSay hi.', 'utf16le'), 'graders/hi.md': HI }, STRICT),
  'prompt-link': folder({ 'prompt.md': ({ symlink }) => symlink('../good/prompt.md'), 'graders/hi.md': HI }, LINK),
  'prompt-link-to-nothing': folder({ 'prompt.md': ({ symlink }) => symlink('none'), 'graders/hi.md': HI }),
  'case-link': folder({ link: ({ symlink }) => symlink('../good') }, LINK),
  both: folder({
    'prompt.md': 'Say hi.\n',
    'graders/b.md': HI,
    'case.yaml': `schema_version: "1.1"\nname: both\nexecution: {prompt: no}\n${LISTED}`,
  }),
  'both-same-grader': folder({
    'prompt.md': 'Say hi.\n',
    'graders/a.md': HI,
    'case.yaml': `schema_version: "1.1"\nname: both2\n${LISTED}`,
  }),
  'both-wrong-yaml': folder({ 'prompt.md': 'Say hi.\n', 'graders/a.md': HI, 'case.yaml': 'name: [\n' }),
  'both-list': folder({ 'prompt.md': 'Say hi.\n', 'graders/a.md': HI, 'case.yaml': '- a\n' }),
  'both-empty-yaml': folder({ 'prompt.md': 'Say hi.\n', 'graders/a.md': HI, 'case.yaml': '# nothing\n' }),
  'both-no-version': folder({ 'prompt.md': 'Say hi.\n', 'graders/a.md': HI, 'case.yaml': 'name: x\n' }),
  'yaml-folder': folder({ 'prompt.md': 'Say hi.\n', 'graders/a.md': HI, 'case.yaml/x': 'y' }),
  'yaml-empty': yaml(''),
  'yaml-null': yaml('null\n'),
  'yaml-text': yaml('hello\n'),
  'yaml-two-documents': whole('---\nx: 1'),
  'yaml-syntax': yaml('schema_version: "1.1"\nname: x\n  bad: [\n'),
  'yaml-tab': yaml(`schema_version: "1.1"\nname: x\nexecution:\n\tprompt: hi\n${LISTED}`),
  'yaml-key-twice': whole('name: other', STRICT),
  'yaml-anchor': yaml(`schema_version: "1.1"\nname: &n x\nexecution: {prompt: *n}\n${LISTED}`, STRICT),
  'yaml-alias-to-nothing': whole('description: *none'),
  'yaml-tag': whole('description: !foo x', STRICT),
  'yaml-unknown-keys': yaml(
    `schema_version: "1.1"\nname: keys\ncontext: {foo: 1}\nexecution: {prompt: hi, bar: 2}\nbaz: 3\n${LISTED}`,
  ),
  'yaml-unknown-key-of-grader': yaml(
    'schema_version: "1.1"\nname: x\nexecution: {prompt: hi}\ngraders: [{type: regex, name: a, pattern: hi, foo: 1}]\n',
  ),
  'yaml-unknown-key-of-target': yaml(
    'schema_version: "1.1"\nname: x\nexecution: {prompt: hi}\ngraders: [{type: regex, name: a, pattern: hi, target: {source: file, path: x, foo: 1}}]\n',
  ),
  'yaml-unknown-key-of-tool': yaml(
    'schema_version: "1.1"\nname: x\nexecution: {prompt: hi}\ngraders: [{type: tool_order, name: a, before: {tool: x, foo: 1}, after: y}]\n',
  ),
  'yaml-no-grader-name': yaml(
    'schema_version: "1.1"\nname: x\nexecution: {prompt: hi}\ngraders: [{type: regex, pattern: hi}]\n',
  ),
  'yaml-no-graders': yaml('schema_version: "1.1"\nname: x\nexecution: {prompt: hi}\ngraders: []\n'),
  'yaml-graders-map': yaml('schema_version: "1.1"\nname: x\nexecution: {prompt: hi}\ngraders: {a: 1}\n'),
  'yaml-context-null': whole('context:'),
  'yaml-add-dirs-text': whole('context: {add_dirs: no}'),
  'yaml-version-number': yaml(`schema_version: 1.1\nname: x\nexecution: {prompt: hi}\n${LISTED}`),
  'yaml-version-word': yaml(`schema_version: "v1"\nname: x\nexecution: {prompt: hi}\n${LISTED}`),
  'yaml-version-2': yaml(`schema_version: "2.0"\nname: x\nexecution: {prompt: hi}\n${LISTED}`),
  'yaml-version-0': yaml(`schema_version: "0.9"\nname: v0\nexecution: {prompt: hi}\n${LISTED}`),
  'yaml-too-large': yaml(`schema_version: "1.1"\nname: x\nexecution: {prompt: ${'x'.repeat(1_050_000)}}\n${LISTED}`),
  yml: folder({ 'case.yml': `schema_version: "1.1"\nname: x\nexecution: {prompt: hi}\n${LISTED}` }),
  'outer-case': prompt('Say hi.\n'),
  'outer-case/inner': prompt('---\nnot: read\n---\n'),
  'mocks/inner': prompt('---\nnot: read\n---\n'),
  'results/inner': prompt('---\nnot: read\n---\n'),
  'node_modules/inner': prompt('---\nnot: read\n---\n'),
}
