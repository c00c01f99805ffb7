// @module-tag claude-code
// @module-tag slow
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { agreeing, describeEvals } from '../support/package-run.ts'
import { startMessagesServer } from '../support/messages-server.ts'
import { verdicts } from '../support/eval-project.ts'
import { bash, caseOf, runEvals, SKILLS } from '../support/skill-project.ts'
import type { Report, ReportCase } from '../../src/report/report.ts'

const major = repositoryVitest()

const EVALS = {
  evals: [
    {
      id: 'graded',
      prompt: 'Improve docs/draft.md.',
      expected_output: 'A draft that a stranger understands.',
      files: ['docs/draft.md', 'docs/style.md'],
      expectations: [
        'file-exists:docs/out.md',
        'It is friendly.',
        { type: 'not_contains', value: 'sorry' },
        'It is short.',
      ],
    },
    {
      id: 'by-checks',
      prompt: 'Write.',
      expectations: [
        { 'file-contains': { path: 'out.md', text: 'two words' } },
        { type: 'tool_not_used', tool: 'Edit' },
      ],
    },
    { id: 'unscored', prompt: 'Write.', expectations: ['file-exists:out.md', 'It is kind.', 'It is true.'] },
    { id: 'asks', prompt: 'Write.', expectations: ['contains:audience'] },
    { id: 'slow', prompt: 'Wait.', timeout: 1, expectations: ['file-exists:out.md'] },
  ],
}

const EVALS_TEXT = JSON.stringify(EVALS, null, 2)

const pass = (quote: string, weak?: string): object => ({ verdict: 'pass', reason: 'It is.', quote, weak })

const FILES = {
  ...SKILLS,
  'skills/notes/evals/evals.json': EVALS_TEXT,
  'skills/notes/evals/docs/draft.md': 'The old words.\n',
  'skills/notes/evals/docs/style.md': 'Be kind.\n',
  'evals/scenarios/graded.yaml': JSON.stringify({
    turns: [
      { text: 'I look first.', tools: [bash('cat docs/draft.md')] },
      { tools: [bash('echo "The new words." > docs/draft.md; echo more > docs/out.md')] },
      'All is done.',
    ],
    judge: [
      [
        { verdict: 'fail', reason: 'It is cold.', quote: 'The old words.' },
        pass('All is done', 'Any short text is short.'),
      ],
    ],
  }),
  'evals/scenarios/by-checks.yaml': JSON.stringify({ turns: [{ tools: [bash('echo two words > out.md')] }, 'done'] }),
  'evals/scenarios/unscored.yaml': JSON.stringify({
    turns: [{ tools: [bash('echo x > out.md')] }, 'done'],
    judge: [[pass('done'), pass('nowhere to be found')]],
  }),
  'evals/scenarios/asks.yaml': JSON.stringify({
    turns: ['I have a plan. Which audience is it for?\n\n1. Developers\n2. Everybody'],
  }),
  'evals/scenarios/slow.yaml': JSON.stringify({ turns: [{ tools: [bash('sleep 60')] }, 'done'] }),
}

interface Ran {
  readonly report: Report
  readonly all: string
  /** JSON files of the run folder, by case and name. */
  readonly json: (name: string, file: string) => unknown
  readonly summary: unknown
}

async function run(): Promise<Ran> {
  await using project = await createProject(major, FILES)
  const { report, all } = await runEvals(project)
  const kept = new Map<string, unknown>()
  const read = async (file: string): Promise<unknown> =>
    JSON.parse(await readFile(join(project.root, file), 'utf8').catch(() => 'null')) as unknown
  for (const { name, runs } of report.cases)
    for (const file of ['grading.json', 'judge.json', 'metrics.json'])
      kept.set(`${name}/${file}`, await read(`${runs[0]?.folder ?? ''}/${file}`))
  const runFolder = (report.cases[0]?.runs[0]?.folder ?? '').split('/').slice(0, 3).join('/')
  return {
    report,
    all,
    json: (name, file) => kept.get(`${name}/${file}`),
    summary: await read(`${runFolder}/execution-summary.json`),
  }
}

describeEvals('the expectations of an eval', () => {
  let ran: Ran
  beforeAll(async () => {
    ran = await run()
  })
  const found = (name: string): ReportCase => caseOf(ran.report, name)

  test('are decided one by one, by a check or by the judge', () => {
    expect(verdicts(ran.report)).toEqual([
      'graded FAIL',
      'by-checks PASS',
      'unscored ERROR judge-failed',
      'asks PASS',
      'slow ERROR timed-out',
    ])
    expect(
      found('graded').expectations?.map(({ text, result, reason, evidence_found_in: where }) =>
        [result, text, reason, where].join(' | '),
      ),
    ).toEqual(['FAIL | It is friendly. | It is cold. | transcript', 'PASS | It is short. | It is. | output'])
    expect(found('graded').checks?.map(({ kind, result }) => `${kind} ${result}`)).toEqual([
      'file-exists PASS',
      'not-contains PASS',
    ])
    expect(found('by-checks')).toMatchObject({
      judge_verdict: null,
      judge_skipped: null,
      expectations: null,
      checks: [
        { kind: 'file-contains', result: 'PASS' },
        { kind: 'no-tool', result: 'PASS' },
      ],
    })
    expect(found('unscored').expectations?.map(({ result }) => result)).toEqual(['PASS', 'ERROR'])
  })

  test('fail each at its own line', () => {
    const lines = EVALS_TEXT.split('\n')
    const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1
    const frames = [...ran.all.matchAll(/❯ skills\/notes\/evals\/evals\.json:(\d+):\d+/g)].map(([, line]) =>
      Number(line),
    )
    expect(frames).toEqual(expect.arrayContaining(['It is friendly.', 'It is true.'].map(lineOf)))
    expect(frames).not.toContain(lineOf('It is short.'))
    expect(ran.all).toContain('× It is friendly.\n    It is cold.\n    transcript: "The old words."')
  })

  test('are judged by numbered events, changes, contents before and after, and the expected output as context', () => {
    const { exchanges, system } = ran.json('graded', 'judge.json') as {
      readonly system: string
      readonly exchanges: readonly { readonly user: string; readonly nonce: string }[]
    }
    expect(exchanges).toHaveLength(1)
    const [{ user, nonce } = { user: '', nonce: '' }] = exchanges
    // Every item begins with its id.
    expect(user).toMatch(/\n\[c1\] file created: docs\/out\.md/)
    const shown = user.replaceAll(nonce, 'NONCE').replaceAll(/^\[[cefm]\d+\] /gm, '')
    expect(system).toContain('read in the light of the criteria as a whole')
    expect(shown).toContain('as context and not as a statement:\nA draft that a stranger understands.')
    expect(shown).toContain('one verdict:\n1. It is friendly.\n2. It is short.\n')
    expect(shown).toMatch(/\ntool call Bash\n\| .*cat docs\/draft\.md/)
    expect(shown).toContain('file created: docs/out.md (5 bytes)\nfile modified: docs/draft.md (15 bytes)\n')
    expect(shown).toContain('fixture changed: docs/draft.md\nfixture unchanged: docs/style.md\n')
    expect(shown).toContain('file "docs/draft.md">\n| The new words.\n')
    expect(shown).toContain('file "docs/draft.md (before the run)">\n| The old words.\n')
    expect(shown).toContain('\nmessage\n| I look first.\nthe final message\n| All is done.\n')
  })

  test('that prove little are warned of in terminal, report and grading', () => {
    const weak = 'It also holds on an untouched workspace, so alone it does not show that the agent did anything.'
    expect(found('graded').expectations?.map((one) => one.weak)).toEqual([null, 'Any short text is short.'])
    expect(found('graded').checks?.map((one) => one.weak)).toEqual([null, weak])
    expect(ran.all).toContain('3 weak expectations, named in the report')
    expect(ran.all).toContain('graded: It is short. Any short text is short.')
    expect(ran.all).toContain(`by-checks: no-tool: Edit ${weak}`)
  })

  test('leave grading.json, metrics.json and execution-summary.json in the upstream shape', () => {
    expect(ran.json('graded', 'grading.json')).toEqual({
      eval_id: 'graded',
      expectations: [
        { text: 'file-exists: docs/out.md', passed: true, evidence: 'The check has passed.' },
        { text: 'It is friendly.', passed: false, evidence: 'It is cold. (transcript: "The old words.")' },
        { text: 'not-contains: sorry', passed: true, evidence: 'The check has passed.' },
        { text: 'It is short.', passed: true, evidence: 'It is. (output: "All is done")' },
      ],
      summary: { passed: 3, failed: 1, total: 4, pass_rate: 0.75 },
      eval_feedback: {
        suggestions: [
          expect.objectContaining({ assertion: 'not-contains: sorry' }),
          { assertion: 'It is short.', reason: 'Any short text is short.' },
        ],
        overall: '2 of 4 assertions prove little.',
      },
    })
    expect(ran.json('unscored', 'grading.json')).toMatchObject({
      expectations: [{ passed: true }, { text: 'It is kind.', passed: true }],
      summary: { passed: 2, failed: 0, total: 2 },
      grading_error: expect.stringContaining('could not be scored'),
      ungraded: [{ text: 'It is true.' }],
    })
    expect(ran.json('slow', 'grading.json')).toMatchObject({
      expectations: [],
      summary: { total: 0, pass_rate: null },
      grading_error: expect.stringMatching(
        /^The run did not end within its 1 s\..* Raise `timeout` if it needs longer\.$/,
      ),
    })
    expect(ran.json('graded', 'metrics.json')).toEqual({
      elapsed_s: expect.any(Number),
      return_code: 0,
      tool_calls: { Bash: 2 },
      total_tool_calls: 2,
      total_steps: 4,
      output_chars: 'I look first.\n\nAll is done.'.length,
      transcript_chars: expect.any(Number),
      stderr_tail: '',
    })
    expect(ran.json('slow', 'metrics.json')).toMatchObject({ return_code: -1 })
    expect(ran.summary).toMatchObject({
      run_id: expect.any(String),
      completed_at: expect.any(String),
      skill_name: 'notes',
      total: 5,
      executed: 5,
      exec_failures: 1,
      results: [
        { eval_id: 'graded', outcome: 'failed', executed: true, return_code: 0 },
        { eval_id: 'by-checks', outcome: 'passed' },
        { eval_id: 'unscored', outcome: 'errored' },
        { eval_id: 'asks', outcome: 'passed' },
        { eval_id: 'slow', outcome: 'errored', status: 'timed-out', return_code: -1 },
      ],
    })
  })

  test('of a run that ends by asking are decided, and the question is noted', () => {
    expect(found('asks').notices).toContain(
      'The run ended by asking "Which audience is it for?" and no user answers. Add the answer to the prompt, or state that the run is headless.',
    )
    expect(found('graded').notices).toContain('The run changed fixtures: docs/draft.md.')
  })
})

describeEvals('the prompt of an eval', () => {
  test('reaches the model as it is written, and a changed fixture fails the case only where it is asked to', async () => {
    const prompt = '--version "$HOME" \'q\' `ls` ${WORKSPACE} %s \\n\n  Two lines: ünïcode 🙂, <b>&amp;</b>\t{{x}}'
    const evals = [{ id: 'literal', prompt, files: ['a.md'], expectations: ['It does.'] }]
    await using upstream = await startMessagesServer((request) => {
      const judged = agreeing(request, 'done')
      if (judged !== null) return judged
      return request.index === 0 ? { tools: [{ name: 'Bash', input: { command: 'echo b > a.md' } }] } : { text: 'done' }
    })
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/evals.json': JSON.stringify(evals),
      'skills/notes/evals/a.md': 'a\n',
    })
    const env = { AGENT_EVALS_SOURCE: 'live', ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-1' }
    const { report, all } = await runEvals(project, [], { ...env, AGENT_EVALS_READ_ONLY_FIXTURES: 'true' })
    const sent = upstream.requests.flatMap(({ body }) => JSON.stringify(body.messages))
    expect(sent.some((messages) => messages.includes(JSON.stringify(prompt)))).toBe(true)
    const literal = caseOf(report, 'literal')
    expect(await readFile(join(project.root, literal.runs[0]?.folder ?? '', 'prompt.txt'), 'utf8')).toBe(prompt)
    expect(literal).toMatchObject({
      verdict: 'FAIL',
      error: 'expected the fixture a.md to stay as it was but a.md was changed',
      judge_skipped: 'a check failed',
      checks: [{ kind: 'file-unchanged', value: 'a.md', result: 'FAIL', weak: null }],
    })
    expect(all).toContain('expected the fixture a.md to stay as it was but a.md was changed')
  })
})

describeEvals('a recording of an eval', () => {
  test('holds the verdicts of its judge until the expected output changes', async () => {
    const entry = (id: string, expectedOutput: string): object => {
      const expectations = [{ 'file-contains': { path: 'docs/out.md', text: 'new' } }, 'It is friendly.']
      return { id, prompt: `Write ${id}.`, expected_output: expectedOutput, expectations }
    }
    const scenario = JSON.stringify({
      turns: [{ tools: [bash('mkdir -p docs; echo new > docs/out.md')] }, 'All is done.'],
      judge: [[pass('All is done.')]],
    })
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/evals.json': JSON.stringify([entry('kept', 'Good.'), entry('changed', 'Good.')]),
      'evals/scenarios/kept.yaml': scenario,
      'evals/scenarios/changed.yaml': scenario,
    })
    const recorded = await runEvals(project, [], { AGENT_EVALS_SOURCE: 'record' })
    expect(verdicts(recorded.report), recorded.all).toEqual(['changed PASS', 'kept PASS'])

    await project.files.rm('evals/scenarios')
    await project.files.rm('evals/reports')
    await project.files.writeFile(
      'skills/notes/evals/evals.json',
      JSON.stringify([entry('kept', 'Good.'), entry('changed', 'Better.')]),
    )
    const { report, all } = await runEvals(project, [], { AGENT_EVALS_SOURCE: 'replay' })
    expect(verdicts(report), all).toEqual(['changed ERROR missing-answers', 'kept PASS'])
    expect(caseOf(report, 'kept').expectations).toMatchObject([{ text: 'It is friendly.', result: 'PASS' }])
    for (const name of ['kept', 'changed'])
      expect(caseOf(report, name).checks).toMatchObject([{ kind: 'file-contains', result: 'PASS' }])
  })
})
