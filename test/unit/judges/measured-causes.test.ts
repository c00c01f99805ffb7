import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, onTestFinished, test } from 'vitest'
import { readChangedTexts } from '../../../src/judges/evidence/evidence-item.ts'
import { selectEvidence } from '../../../src/judges/evidence/select-evidence.ts'
import { writeTranscript } from '../../../src/judges/evidence/write-evidence.ts'
import { createQuoteFinder } from '../../../src/judges/quotes/find-quote.ts'
import { MOST_LEFT_OUT, SHORTEST } from '../../../src/judges/quotes/quote-sense.ts'
import { scoreVerdicts, type ScoredVerdict } from '../../../src/judges/score.ts'
import { splitCriteria } from '../../../src/formats/criteria.ts'
import { agentRun } from '../../support/agent-run.ts'
import { call, DEED, NOT_DONE, NOT_SAID, result, WORDS, WORK } from '../../support/judge-attack.ts'
import type { GivenQuote, Verdict } from '../../../src/judges/judgement.ts'
import type { StatementKind } from '../../../src/judges/statement-kinds.ts'

const ANSWER = [
  'Use **one index per query** and keep it small.',
  'Blockers: none',
  'The release is on Friday.',
  '| step | result |\n|---|---|\n| build | passed |\n| deploy | no |\n| notify | done at noon |',
  'He said “not before Friday”, and it’s final.',
  '```python\nif __name__ == "__main__":\n    run_test()\n```',
  'Never edit `pyproject.toml` by hand; run `uv add requests` instead.',
  'Prefer integration tests over what the framework records by itself.',
  '发布推迟到周五。',
].join('\n\n')

const FILES = [
  { name: 'store.ts', text: 'const next = { ...state, loading: true }\nMath.max(...values)\n' },
  { name: 'model.py', text: 'self.x = None\nself.y = compute(self)\n' },
  { name: 'probe.json', text: '{\n  "ok": true,\n  "name": "probe"\n}\n' },
]

/** m5 is the answer. */
const RUN = agentRun(
  {
    output: ANSWER,
    files: {
      created: [
        ...FILES.map(({ name, text }) => ({ path: name, size: text.length, hash: '' })),
        { path: 'destroy.plan', size: 4096, hash: '' },
      ],
      modified: [],
      deleted: [],
      unreadable: [],
    },
  },
  [
    call('Bash', { command: 'ls src' }, '1'),
    result('index.ts\nstore.ts'),
    call('Bash', { command: 'terraform plan -destroy -out=destroy.plan' }, '2'),
    result('Saved the plan to: destroy.plan'),
    { kind: 'message', agent: null, text: ANSWER },
  ],
)
const STATEMENTS = ['It is right.']
const SHOWN = selectEvidence({ run: RUN, files: FILES, statements: STATEMENTS })
const FIND = createQuoteFinder(SHOWN)

interface Given {
  readonly about: Pick<StatementKind, 'about' | 'absent'>
  readonly statement?: string
  readonly evidence: readonly GivenQuote[]
  readonly lookedFor?: readonly string[]
  readonly verdict?: Verdict
}

function score({
  about,
  statement = 'It is right.',
  evidence,
  lookedFor = [],
  verdict = 'pass',
}: Given): ScoredVerdict['refused'] | 'counts' {
  const [scored] = scoreVerdicts([{ statement: 1, reason: 'r', evidence, looked_for: lookedFor, verdict }], {
    statements: [statement],
    kinds: [{ ...about, by: 'judge' }],
    shown: SHOWN,
    find: FIND,
    claims: 'mark',
    hasFiles: true,
    isStored: false,
  })
  return scored?.refused ?? 'counts'
}

const said = (quote: string): readonly GivenQuote[] => [{ item: 'm5', quote }]
const at = (item: string, quote: string): readonly GivenQuote[] => [{ item, quote }]

/** Each cause for which honest verdicts were refused, with one that is right and a lie of the same form. */
const CAUSES: Readonly<Record<string, readonly [right: Given, lie: Given]>> = {
  'marks of Markdown are dropped': [
    { about: WORDS, evidence: said('Use one index per query and keep it small.') },
    { about: WORDS, evidence: said('Use no index per query and keep it small.') },
  ],
  'a quote is short': [
    { about: WORDS, evidence: said('Blockers: none') },
    { about: WORDS, evidence: said('Blockers') },
  ],
  'a short pair of JSON': [
    { about: WORK, evidence: at('f3', '"ok": true,') },
    { about: WORK, evidence: at('f3', '"ok": false,') },
  ],
  'two rows of a table': [
    { about: WORDS, evidence: said('| build | passed |\n| deploy | no |') },
    { about: WORDS, evidence: said('| build | passed |\n| deploy | passed |') },
  ],
  'a cell behind "no"': [
    { about: WORDS, evidence: said('| notify | done at noon |') },
    { about: WORDS, evidence: said('| deploy | done at noon |') },
  ],
  'three dots in code': [
    { about: WORK, evidence: at('f1', '{ ...state, loading: true }') },
    { about: WORK, evidence: at('f1', '{ ...state, loading: false }') },
  ],
  'two spreads in code': [
    { about: WORK, evidence: at('f1', 'const next = { ...state, loading: true }\nMath.max(...values)') },
    { about: WORK, evidence: at('f1', 'Math.max(...values)\nconst next = { ...state, loading: true }') },
  ],
  'the line behind "none"': [
    { about: WORDS, evidence: said('The release is on Friday.') },
    { about: WORDS, evidence: said('release is on Monday.') },
  ],
  'the line behind None': [
    { about: WORK, evidence: at('f2', 'self.y = compute(self)') },
    { about: WORK, evidence: at('f2', 'y = compute') },
  ],
  'a label of our own is shortened': [
    { about: DEED, evidence: at('e1', 'Bash: ls src') },
    { about: DEED, evidence: at('e1', 'Bash: rm src') },
  ],
  'an ellipsis': [
    { about: WORDS, evidence: said('Use one index per query ... keep it small.') },
    { about: WORDS, evidence: said('Blockers: ... The release is on Friday. ... small.') },
  ],
  'straight quotes for curly ones': [
    { about: WORDS, evidence: said(`He said "not before Friday", and it's final.`) },
    { about: WORDS, evidence: said(`before Friday", and it's final.`) },
  ],
  'JSON with other blanks': [
    { about: DEED, evidence: at('e1', '{"command": "ls src"}') },
    { about: DEED, evidence: at('e1', '{"command": "rm src"}') },
  ],
  'two quotes, one each': [
    { about: DEED, evidence: [...at('e1', '{"command":"ls src"}'), ...at('e2', 'index.ts')] },
    { about: DEED, evidence: at('e1', '{"command":"ls src"} index.ts') },
  ],
  '"uses" is about code in the answer': [
    {
      about: { about: 'either', absent: false },
      statement: 'Uses `run_test()` as the entry point.',
      evidence: said('    run_test()'),
    },
    { about: DEED, statement: 'Ran `run_test()`.', evidence: said('    run_test()') },
  ],
  '"tests" is about what is recommended': [
    { about: NOT_SAID, statement: 'Does not recommend snapshot tests.', evidence: [], lookedFor: ['snapshot'] },
    { about: NOT_SAID, statement: 'Does not recommend integration tests.', evidence: [], lookedFor: ['integration'] },
  ],
  '"edits" is about what is forbidden': [
    {
      about: WORDS,
      statement: 'Forbids direct edits to `pyproject.toml`.',
      evidence: said('Never edit `pyproject.toml` by hand'),
    },
    { about: DEED, statement: 'Edited `pyproject.toml`.', evidence: said('edit `pyproject.toml` by hand') },
  ],
  '"run" is about a command that is only shown': [
    { about: WORDS, statement: 'Provides the exact command to run.', evidence: said('run `uv add requests` instead') },
    { about: DEED, statement: 'Added the dependency.', evidence: said('run `uv add requests` instead') },
  ],
  'nothing can be quoted for a fail': [
    { about: WORDS, statement: 'Discusses read replicas.', evidence: [], lookedFor: ['replica'], verdict: 'fail' },
    { about: WORDS, statement: 'Names an index.', evidence: [], lookedFor: ['index'], verdict: 'fail' },
  ],
  'a deed that was not done': [
    { about: NOT_DONE, statement: 'Did not delete anything.', evidence: [], lookedFor: ['rm -'] },
    { about: NOT_DONE, statement: 'Did not run `terraform`.', evidence: [], lookedFor: ['delete'] },
  ],
  'a word is only a part of another': [
    { about: NOT_SAID, statement: 'Does not mention `ran`.', evidence: [], lookedFor: ['ran', 'in', 'for'] },
    { about: NOT_SAID, statement: 'Does not mention `uv add`.', evidence: [], lookedFor: ['uv'] },
  ],
  'a word that ends in no letter': [
    { about: NOT_SAID, statement: 'Imports nothing.', evidence: [], lookedFor: ['import(', '.only('] },
    { about: NOT_SAID, statement: 'Calls nothing.', evidence: [], lookedFor: ['_test('] },
  ],
  'a word in writing without blanks': [
    { about: NOT_SAID, statement: 'Does not mention money.', evidence: [], lookedFor: ['钱'] },
    { about: NOT_SAID, statement: 'Does not mention Friday.', evidence: [], lookedFor: ['周五'] },
  ],
  'the call that saves a file which cannot be shown': [
    { about: DEED, statement: 'Saves a plan to `destroy.plan`.', evidence: at('e3', '-out=destroy.plan') },
    { about: WORK, statement: '`destroy.plan` destroys two servers.', evidence: said('The release is on Friday.') },
  ],
  'a file that a program made': [
    { about: WORK, statement: 'Writes the name of the probe.', evidence: at('f3', '"name": "probe"') },
    { about: DEED, statement: 'Ran the probe.', evidence: at('f3', '"name": "probe"') },
  ],
  'how the run ended': [
    { about: DEED, statement: 'exit_status:completed', evidence: at('r1', 'run ended: status completed, exit code 0') },
    { about: DEED, statement: 'exit_status:timed-out', evidence: at('r1', 'run ended: status timed-out, exit code 0') },
  ],
}

test.for(Object.entries(CAUSES))('a right verdict counts, and a lie of its form does not: %s', ([, [right, lie]]) => {
  expect([score(right), score(lie) === 'counts']).toEqual(['counts', false])
})

test('a modified file is read before 300 created ones', async () => {
  const created = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`node_modules/${index}.js`, 'x']))
  const folder = await createFixture({ ...created, 'src/index.ts': 'export const version = 2\n' })
  onTestFinished(() => folder.rm())
  const sized = (path: string): { path: string; size: number; hash: string } => ({ path, size: 1, hash: '' })
  const files = {
    created: Object.keys(created).map(sized),
    modified: [sized('src/index.ts')],
    deleted: [],
    unreadable: [],
  }
  const texts = await readChangedTexts(folder.path, files)
  const shown = selectEvidence({
    run: agentRun({ files }),
    files: texts,
    statements: ['src/index.ts exports version 2'],
  })
  expect(createQuoteFinder(shown)('export const version = 2')[0]?.place).toBe('src/index.ts')
})

test('each event of a long run has its line, whatever the statements name', () => {
  const text = 'unit tests of the order service '.repeat(100)
  const events = Array.from({ length: 100 }, (_, index) => [
    call('Bash', { command: index === 60 ? 'npm test' : `cat part-${index}.ts` }, `${index}`),
    result(text, `${index}`),
  ]).flat()
  const statements = Array.from(
    { length: 10 },
    (_, index) => `The agent runs the unit tests of the order service (${index}).`,
  )
  const shown = selectEvidence({ run: agentRun({}, events), files: [], statements })
  expect(shown.transcript.leftOut).toEqual([])
  expect(createQuoteFinder(shown)('{"command":"npm test"}')).toHaveLength(1)
})

test('what nobody can decide alone is no statement', () => {
  expect(splitCriteria('Evaluate the grader script quality:\n\nIt reads stdin.')).toEqual(['It reads stdin.'])
  // Background is told from a statement by the judge; nothing has to be shown for it, and no opinion of it fails.
  const nothing = { about: 'nothing', absent: false } as const
  expect(score({ about: nothing, statement: 'This is a negative test case.', evidence: [] })).toBe('counts')
  expect(score({ about: nothing, statement: 'This is a negative test case.', evidence: [], verdict: 'fail' })).toBe(
    'counts',
  )
})

test('a binary that a statement names is listed by its name, size and kind, and is no text', () => {
  const files = { created: [{ path: 'chart.bin', size: 4096, hash: '' }], modified: [], deleted: [], unreadable: [] }
  const shown = selectEvidence({ run: agentRun({ files }), files: [], statements: ['chart.bin shows three bars.'] })
  const written = writeTranscript(shown, 'nonce')
  expect(written).toContain('[c1] file created: chart.bin (4096 bytes)')
  expect(written).toContain('[not shown: the contents of chart.bin, which are no text or too large (bin)]')
})

test('docs/judge.md says in ten lines what counts as evidence, with the limits of the code', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/judge.md'), 'utf8')
  const section = /### What counts as evidence\n\n((?:\d+\. .*\n)+)/.exec(page)?.[1] ?? ''
  expect(section.trim().split('\n')).toHaveLength(10)
  for (const kind of ['words', 'work', 'deeds', 'either', 'absent']) expect(section).toContain(`*${kind}*`)
  expect(section).toContain(`at least ${SHORTEST} characters`)
  expect(section).toContain(`at most ${MOST_LEFT_OUT} characters`)
})
