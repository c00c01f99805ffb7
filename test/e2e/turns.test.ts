// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verdicts } from '../support/eval-project.ts'
import { codexFolder, copilotVariables } from '../support/other-engines.ts'
import { bash, createPackage, describeEvals, runEvals, type PackageRun } from '../support/package-run.ts'

const verdict = (quote: string): object => ({ verdict: 'pass', reason: 'It says so.', quote })
const HAIKU = `name: haiku
turns:
  - prompt: Write a haiku into haiku.txt.
    expected:
      contains: [Written]
      file-contains: { path: haiku.txt, text: pond }
      files-created: [haiku.txt]
    judge:
      criteria: It says that it has written a haiku.
  - prompt: Make it about the sea.
    expected:
      contains: [sea]
      not-contains: [Written]
      file-contains: { path: haiku.txt, text: sea }
      max-turns: 2
expected:
  files-created: [haiku.txt]
judge:
  criteria: The haiku is about the sea at the end.
`
const ANSWERS = [
  { tools: [bash('printf pond > haiku.txt')] },
  'Written.',
  { tools: [bash('printf sea > haiku.txt')] },
  'It is about the sea.',
]
const SCENARIO = JSON.stringify({ turns: ANSWERS, judge: [[verdict('Written.')], [verdict('It is about the sea.')]] })
const PLAIN = HAIKU.replace(/ {4}judge:\n.*\n/, '').replace(/^judge:\n.*\n/m, '')

function turnsOf(run: PackageRun, name = 'haiku'): readonly string[] {
  const turns = run.run(name).turns ?? []
  return turns.map(({ turn, outcome, error }) => `${turn} ${outcome}${error === null ? '' : `: ${error}`}`)
}

describeEvals('several turns', () => {
  test('are one conversation that is recorded once and goes stale by turn', async () => {
    await using project = await createPackage({
      cases: {},
      files: {
        'evals/cases/haiku.yaml': HAIKU,
        'evals/scenarios/haiku.yaml': SCENARIO,
        'evals/cases/second-fails.yaml': PLAIN.replace('haiku', 'second-fails').replace(
          'contains: [sea]',
          'contains: [ocean]',
        ),
        'evals/scenarios/second-fails.yaml': JSON.stringify({ turns: ANSWERS }),
      },
    })
    const recorded = await runEvals(project, { AGENT_EVALS_SOURCE: 'record' })
    expect(recorded.report.cases.map(({ name, verdict: is, error }) => `${name} ${is} ${error ?? ''}`)).toEqual([
      'haiku PASS ',
      'second-fails FAIL turn 2: expected the output to contain "ocean" but it does not',
    ])
    expect(turnsOf(recorded)).toEqual(['1 passed', '2 passed'])
    expect(turnsOf(recorded, 'second-fails').map((line) => line.slice(0, 8))).toEqual(['1 passed', '2 failed'])
    expect(recorded.run('haiku').turns?.map(({ files }) => [files.created.length, files.modified.length])).toEqual([
      [1, 0],
      [0, 1],
    ])
    const events = await recorded.transcript('haiku')
    expect(events.map((event) => (event.kind === 'prompt' ? event.text : event.kind))).toEqual([
      'Write a haiku into haiku.txt.',
      'tool-call',
      'tool-result',
      'message',
      'Make it about the sea.',
      'tool-call',
      'tool-result',
      'message',
    ])

    const replayed = await runEvals(project, { AGENT_EVALS_SOURCE: 'replay' })
    expect(verdicts(replayed.report)).toEqual(verdicts(recorded.report))
    expect(replayed.report.cases.map(({ source, cost_usd }) => `${source} ${cost_usd}`)).toEqual(
      recorded.report.cases.map(() => 'replay 0'),
    )
    expect(turnsOf(replayed, 'second-fails')).toEqual(turnsOf(recorded, 'second-fails'))

    await project.files.writeFile(
      'evals/cases/haiku.yaml',
      HAIKU.replace('Make it about the sea.', 'Make it about the ocean.'),
    )
    const stale = await runEvals(project, { AGENT_EVALS_SOURCE: 'replay' })
    expect(stale.case('haiku').error_code).toBe('stale')
    expect(stale.case('haiku').error).toContain('(prompt of turn 2) has changed')
    expect(stale.case('haiku').error).toContain('stale from turn 2 on')
    expect(turnsOf(stale).map((line) => line.slice(0, 9))).toEqual(['1 passed', '2 errored'])
  })

  test('are judged again turn by turn, with the files as each left them', async () => {
    // Only the file shows what it holds.
    const writing = (text: string): object => ({ tools: [bash(`printf ${text} > haiku.txt`)] })
    const turns = [writing("po''nd"), 'Written.', writing("s''ea"), 'It is about the sea.']
    const judging = (first: object, last: object): string => JSON.stringify({ turns, judge: [[first], [last]] })
    const quoting = (quote: string): object => ({ ...verdict(quote), reason: 'The file says so.' })
    const asked = HAIKU.replace('It says that it has written a haiku.', 'haiku.txt holds the word pond.')
    await using project = await createPackage({
      cases: {},
      files: {
        'evals/cases/haiku.yaml': asked,
        'evals/scenarios/haiku.yaml': judging({ ...quoting('pond'), verdict: 'fail' }, quoting('sea')),
      },
    })
    const before = await runEvals(project)
    expect(turnsOf(before).map((line) => line.slice(0, 8))).toEqual(['1 failed', '2 passed'])

    await project.files.writeFile('evals/scenarios/haiku.yaml', judging(quoting('pond'), quoting('sea')))
    const [name = ''] = await readdir(join(project.root, 'evals/reports'))
    const again = await project.agentEvals(['rejudge', `evals/reports/${name}`, '-o', 'again.json'], { merged: true })
    expect(again.exitCode, again.all).toBe(0)
    const report = JSON.parse(await readFile(join(project.root, 'again.json'), 'utf8')) as PackageRun['report']
    const [judged] = report.cases
    expect(judged).toMatchObject({ outcome: 'passed', error: null, cost_usd: 0 })
    expect(
      judged?.runs[0]?.turns?.map(({ turn, outcome, requests, files }) => [turn, outcome, requests, files]),
    ).toEqual(before.run('haiku').turns?.map(({ turn, requests, files }) => [turn, 'passed', requests, files]))
    expect(judged?.expectations?.map(({ turn, result, evidence }) => [turn, result, evidence[0]?.quote])).toEqual([
      [1, 'PASS', 'pond'],
      [undefined, 'PASS', 'sea'],
    ])

    // A report of an earlier version kept no files of turns.
    await rm(join(project.root, judged?.runs[0]?.folder ?? '', 'turns'), { recursive: true })
    const lost = await project.agentEvals(['rejudge', 'again.json', '-o', 'lost.json'], { merged: true })
    const { cases } = JSON.parse(await readFile(join(project.root, 'lost.json'), 'utf8')) as PackageRun['report']
    expect(cases[0]?.error, lost.all).toBe('What turn 1 wrote was not kept. Run the case again.')
  })

  test('run on Codex and on Copilot, which resume their sessions, and replay', async () => {
    const by = (name: string, input: (command: string) => object): object[] => {
      const calling = (command: string): object => ({ tools: [{ name, input: input(command) }] })
      return [
        calling('printf pond > haiku.txt'),
        'Written.',
        calling('printf sea > haiku.txt'),
        'It is about the sea.',
      ] as object[]
    }
    const engines = {
      codex: [by('exec_command', (cmd) => ({ cmd })), { AGENT_EVALS_ENGINES: await codexFolder() }],
      copilot: [by('bash', (command) => ({ command, description: 'Run it' })), await copilotVariables()],
    } as const
    for (const [engine, [turns, env]] of Object.entries(engines)) {
      await using project = await createPackage({
        cases: {},
        config: { engine },
        files: {
          'evals/cases/haiku.yaml': PLAIN,
          'evals/scenarios/haiku.yaml': JSON.stringify({ turns }),
        },
      })
      for (const source of ['record', 'replay']) {
        const run = await runEvals(project, { ...env, AGENT_EVALS_SOURCE: source })
        expect(run.case('haiku').error, engine).toBe(null)
        expect(turnsOf(run), engine).toEqual(['1 passed', '2 passed'])
        expect(run.case('haiku').source).toBe(source)
        expect(
          (await run.transcript('haiku')).map((event) => (event.kind === 'prompt' ? event.turn : event.kind)),
        ).toEqual([1, 'tool-call', 'tool-result', 'message', 2, 'tool-call', 'tool-result', 'message'])
      }
    }
  })
})
