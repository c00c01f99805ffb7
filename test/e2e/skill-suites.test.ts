// @module-tag claude-code
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caseSlug } from '../../src/case/plan/plan-case.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { describeShared } from '../support/shared.ts'
import { config, readReport, verdicts } from '../support/eval-project.ts'
import { bash, caseOf, doing, runEvals, skill, SKILLS, transcriptOf, use } from '../support/skill-project.ts'
import { keptText } from '../support/kept-text.ts'

const major = repositoryVitest()

interface Eval {
  readonly id: string
  readonly files: readonly string[]
  readonly expectations: readonly string[]
}

interface Query {
  readonly query: string
  readonly should_trigger: boolean
}

function firstOfEach<T>(all: readonly T[], kindOf: (one: T) => unknown): readonly T[] {
  return all.filter((one, index) => all.findIndex((other) => kindOf(other) === kindOf(one)) === index)
}

describeShared('the suite of bmad-product-brief', (shared) => {
  test(
    'is 30 named tests with scenarios, of which every kind runs, with fixtures at their declared paths',
    { tags: ['slow'] },
    async () => {
      const suite = join(shared, 'suites/bmad-product-brief')
      const folder = join(suite, 'evals/bmm-skills/bmad-product-brief')
      const { evals } = JSON.parse(await readFile(join(folder, 'evals.json'), 'utf8')) as { evals: readonly Eval[] }
      const queries = JSON.parse(await readFile(join(folder, 'triggers.json'), 'utf8')) as readonly Query[]
      const ofEval = ({ id, files, expectations }: Eval): [string, string] => [
        `answers/${id}.yaml`,
        doing(
          [bash(`wc -c ${files.length === 0 ? '.claude/skills/*/SKILL.md' : files.join(' ')}; ls -A . evals`)],
          expectations.length,
        ),
      ]
      const ofQuery = ({ query, should_trigger: should }: Query): [string, string] => [
        `answers/${caseSlug({ id: 't-', prompt: query, trigger: { skill: null, shouldTrigger: should, runs: 1, threshold: null } })}.yaml`,
        doing(should ? [bash('ls'), use('bmad-product-brief')] : []),
      ]

      await using project = await createProject(major, {
        'vitest.config.ts': config("{ sandbox: 'prefer', scenarios: './answers' }"),
        ...Object.fromEntries([...evals.map(ofEval), ...queries.map(ofQuery)]),
      })
      for (const part of ['src', 'evals']) await cp(join(suite, part), join(project.root, part), { recursive: true })
      const dry = await project.agentEvals(['run', '--dry-run'], { merged: true })
      const planned = [...dry.all.matchAll(/^\S+:\d+ {2}(.+) {2}dry run: claude-code, answered by scenario$/gm)]
      expect(planned.map(([, name = '']) => name).toSorted(), dry.all).toEqual(
        [...evals.map(({ id }) => id), ...queries.map(({ query }) => query)].toSorted(),
      )

      // An eval with each number of fixtures, and a query of each kind.
      const chosenEvals = firstOfEach(evals, ({ files }) => files.length)
      const chosenQueries = firstOfEach(queries, ({ should_trigger: should }) => should)
      const names = [...chosenEvals.map(({ id }) => id), ...chosenQueries.map(({ query }) => query)]
      const { exitCode, all } = await project.agentEvals(['run', '--runs', '1', ...names], { merged: true })
      const report = await readReport(project)
      expect(verdicts(report), all).toEqual(names.map((name) => `${name} PASS`))
      expect(exitCode).toBe(0)
      for (const { id, files } of chosenEvals) {
        const transcript = await transcriptOf(project, caseOf(report, id))
        for (const file of files) expect(transcript).toContain(`${(await readFile(join(suite, file))).length} ${file}`)
        expect(transcript).not.toMatch(/evals\.json|triggers\.json|answers/)
      }
      expect(
        report.cases.filter(({ trigger }) => trigger !== null).map(({ trigger }) => trigger?.should_trigger),
      ).toEqual([true, false])
    },
  )
})

const ENTRY = '"id": 1, "prompt": "x", "expectations": ["y"]'

/** What a file may get wrong, one mistake in each. */
const MALFORMED = {
  'no JSON': '{ "evals": [',
  'a number': '7',
  'no list': '{ "evals": {} }',
  'a misspelt list': `{ "eval": [{ ${ENTRY} }] }`,
  'an entry that is none': '[\n  "x"\n]',
  'no prompt': '[\n  { "id": 1, "expectations": ["y"] }\n]',
  'a misspelt field': '{\n  "evals": [\n    { "id": 1, "prompt": "x", "expectation": ["y"] }\n  ]\n}\n',
  'a dangerous field': `[{ ${ENTRY}, "__proto__": {} }]`,
  'a wrong timeout': `[\n  { ${ENTRY},\n    "timeout": "10m" }\n]`,
  'the same id': `[\n  { ${ENTRY} },\n  { ${ENTRY} }\n]`,
  'an empty expectation': '[{ "id": 1, "prompt": "x", "expectations": ["y", ""] }]',
  'an unknown assertion': '[{ "id": 1, "prompt": "x", "assertions": [\n  { "type": "magic" }\n] }]',
  'a wrong pattern': '[{ "id": 1, "prompt": "x", "assertions": [\n  { "type": "regex", "pattern": "(" }\n] }]',
  'an unsafe path': `[{ ${ENTRY}, "files": [\n  "../secret.md"\n] }]`,
  'a missing file': `[{ ${ENTRY}, "files": [\n  "missing.md"\n] }]`,
  'an ambiguous file': `[{ ${ENTRY}, "files": [\n  "twice.md"\n] }]`,
  'a file that configures': `[{ ${ENTRY}, "files": [\n  { "path": ".claude/settings.json", "content": "{}" }\n] }]`,
} as const

describe('an eval of a skill', () => {
  test('that cannot be read fails as its file, at line and column, and the others run', async () => {
    const malformed = Object.entries(MALFORMED).map(([, text], index) => [`s${index}`, text] as const)
    await using project = await createProject(major, {
      ...SKILLS,
      ...Object.fromEntries(
        malformed.flatMap(([name, text]) => [
          [`skills/${name}/SKILL.md`, skill(name, 'Is broken.')],
          [`skills/${name}/evals/evals.json`, text],
          [`skills/${name}/evals/twice.md`, 'one'],
          [`skills/${name}/twice.md`, 'other'],
        ]),
      ),
      'skills/notes/evals/triggers.json': '[{ "query": "q" }]',
      'skills/letters/evals/triggers.json': JSON.stringify([
        { id: 'fine', query: 'fine', should_trigger: true },
        { id: 'odd', query: 'odd', should_trigger: true, expected_skill: null },
      ]),
      'skills/empty/SKILL.md': skill('empty', 'Has no evals yet.'),
      'skills/empty/evals/evals.json': '[]',
      'evals/scenarios/fine.yaml': doing([use('letters')]),
    })
    const { report, all, exitCode } = await runEvals(project, [], { AGENT_EVALS_RUNS: '1' })
    expect(exitCode).toBe(1)
    expect(all).toContain('0.should_trigger missing; expected true or false (line 1).')
    expect(verdicts(report).toSorted()).toMatchInlineSnapshot(`
      [
        "1 s10: x ERROR invalid-suite",
        "1 s11: x ERROR invalid-suite",
        "1 s12: x ERROR invalid-suite",
        "1 s13: x ERROR invalid-suite",
        "1 s14: x ERROR invalid-suite",
        "1 s15: x ERROR invalid-suite",
        "1 s16: x ERROR invalid-suite",
        "1 s5 ERROR invalid-suite",
        "1 s6: x ERROR invalid-suite",
        "1 s8: x ERROR invalid-suite",
        "1 s9: x (2) ERROR invalid-suite",
        "1 s9: x SKIP",
        "evals ERROR invalid-suite",
        "evals ERROR invalid-suite",
        "evals ERROR invalid-suite",
        "evals ERROR invalid-suite",
        "evals ERROR invalid-suite",
        "fine PASS",
        "odd ERROR invalid-suite",
        "q ERROR invalid-suite",
        "x ERROR invalid-suite",
      ]
    `)
    expect(caseOf(report, 'odd').error).toBe(
      '1.should_trigger contradicts "expected_skill", which names no skill; keep one of them (line 1).',
    )
    expect(all).toContain('agent-evals: skills/empty/evals/evals.json is no suite: contains no entry.')
    const errors = new Map(report.cases.map(({ file, error }) => [file, error ?? '']))
    for (const [name] of malformed) expect(all).toContain(errors.get(`skills/${name}/evals/evals.json`)?.split('\n')[0])
    expect(
      Object.keys(MALFORMED).map(
        (what, index) =>
          `${what}: ${(errors.get(`skills/s${index}/evals/evals.json`) ?? '').replaceAll(`skills/s${index}/evals/`, '')}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "no JSON: evals.json:1:13 expected "," or "]" in this list",
        "a number: evals.json:1:1 expected a list of evals, or an object with "evals", got a number",
        "no list: evals.json:1:12 evals: expected a list, got an object",
        "a misspelt list: evals.json:1:3 eval: unknown field. Did you mean "evals"?",
        "an entry that is none: 0.should_trigger missing; expected true or false (line 2).",
        "no prompt: 0.prompt missing; expected a string, the prompt of the agent (line 2).",
        "a misspelt field: evals.0.expectation unknown field. Did you mean "expectations"? (line 3).",
        "a dangerous field: evals.json:1:51 "__proto__" is not a field; remove it",
        "a wrong timeout: 0.timeout expected a number, got a string; write the number alone (line 3).",
        "the same id: 1.id the id "1" is also at line 2; rename one (line 3).",
        "an empty expectation: 0.expectations.1 must not be empty: it would always hold (line 1).",
        "an unknown assertion: 0.assertions.0 unknown type "magic". Write "text" for a sentence that the judge decides, or a type such as "contains", "file_exists" or "tool-called" (line 2).",
        "a wrong pattern: 0.assertions.0.pattern is not a JavaScript regular expression: Invalid regular expression: /(/: Unterminated group (line 2).",
        "an unsafe path: 0.files.0 the path leaves the folder with ".." (line 2).",
        "a missing file: 0.files.0 missing.md does not exist: neither below the folder of the evals nor below the skill's folder nor below the project. If the agent is to write it, name it in "artifacts" (line 2).",
        "an ambiguous file: 0.files.0 twice.md is ambiguous: below the folder of the evals and below the skill's folder are different files; rename one (line 2).",
        "a file that configures: 0.files.0 .claude/settings.json configures the agent; move it to the overlay setup/ (line 2).",
      ]
    `)
  })
})

/** What the project of {@link FILES} is looked at with. */
const LOOK =
  'cat a.txt b.txt c.txt evals/files/letter.txt docs/e.txt; head -20 .claude/skills/*/SKILL.md; ls -A; ls evals 2>&1'

/** Evals of which one looks at its workspace, one edits a fixture, one has no expectations and one a regular expression. */
const FILES: FileTree = {
  ...SKILLS,
  '.env': 'SECRET=1',
  'a.txt': 'project a',
  'b.txt': 'project b',
  'c.txt': 'project c',
  '.claude/skills/notes/SKILL.md': skill('notes', 'An installed copy.'),
  'skills/notes/evals/evals.json': JSON.stringify([
    {
      id: 0,
      prompt: 'Look.',
      assertions: ['It looked.'],
      files: ['evals/files/letter.txt', { path: 'docs/e.txt', content: ' letter' }],
    },
    { id: 'edit', prompt: 'Improve docs/draft.md.', files: ['docs/draft.md'], expectations: ['It is better.'] },
    { id: 'open', prompt: 'Look.' },
    { id: 'said', prompt: 'Look.', expectations: [{ text: 'says done', type: 'regex', pattern: '(?i)DONE' }] },
  ]),
  'skills/notes/evals/docs/draft.md': 'old\n',
  'skills/notes/evals/files/letter.txt': ' letter',
  'skills/notes/evals/setup/b.txt': 'base b',
  'skills/notes/evals/setup/c.txt': 'base c',
  'skills/notes/evals/setup/.claude/skills/Notes/SKILL.md': skill('notes', 'A copy of the base overlay.'),
  'skills/notes/evals/setup/.claude/skills/twin/SKILL.md': skill('notes', 'A twin of another name.'),
  'skills/notes/evals/setup/.claude/skills/helper/SKILL.md': skill('helper', 'A dependency.'),
  'skills/notes/evals/0/setup/c.txt': 'case c',
  'skills/notes/evals/0/setup/.claude/skills/notes/extra.md': 'A file that the skill does not have.',
  'evals/scenarios/0.yaml': doing([bash(LOOK)], 1),
  'evals/scenarios/edit.yaml': doing([bash('echo new > docs/draft.md; echo more > docs/more.md')], 1),
  'evals/scenarios/open.yaml': doing([]),
  'evals/scenarios/said.yaml': doing([]),
}

describe('an eval of a skill', () => {
  let project: TestProject
  let run: Awaited<ReturnType<typeof runEvals>>

  beforeAll(async () => {
    project = await createProject(major, FILES)
    run = await runEvals(project)
  })
  afterAll(() => project?.[Symbol.asyncDispose]())

  test('finds what it edited beside what it created among its artifacts', () => {
    const edit = caseOf(run.report, 'edit')
    expect(edit.verdict, run.all).toBe('PASS')
    const folder = join(project.root, edit.runs[0]?.folder ?? '')
    expect(keptText(folder, 'docs/draft.md')).toBe('new\n')
    expect(keptText(folder, 'docs/more.md')).toBe('more\n')
    expect(edit.notices).toContainEqual(expect.stringContaining('docs/draft.md'))
  })

  test('gets the project, its overlays and its files, and none of them can replace the skill', async () => {
    const looked = caseOf(run.report, '0 notes: Look.')
    const transcript = await transcriptOf(project, looked)
    expect(transcript).toContain('project abase bcase c letter letter')
    expect(transcript).toContain('Writes release notes.')
    expect(transcript).toContain('A dependency.')
    expect(transcript).not.toMatch(/installed copy|base overlay|twin|extra\.md|SECRET|evals\.json/)
    expect(looked.notices.filter((notice) => notice.includes('another copy'))).toEqual([
      'Copies of the overlay skills/notes/evals/setup leave out 2 files and folders: .claude/skills/Notes/ and 1 more (another copy of the skill under test).',
      'Copies of the overlay skills/notes/evals/0/setup leave out 1 file or folder: .claude/skills/notes/ (another copy of the skill under test).',
    ])
  })

  test('is skipped when nothing says what would be right', () => {
    expect(verdicts(run.report)).toEqual(['0 notes: Look. PASS', 'edit PASS', 'open SKIP', 'said PASS'])
    expect(caseOf(run.report, 'open').skip_reason).toBe('no expectations, so no result can be right or wrong')
  })
})
