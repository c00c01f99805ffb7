// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { expect, test } from 'vitest'
import { copilotVariables } from '../support/other-engines.ts'
import {
  bash,
  createPackage,
  describeEvals,
  runEvals,
  type PackageRun,
  type WrittenTool,
} from '../support/package-run.ts'

const COLOUR = question('Which colour should it have?', 'Colour', ['Red', 'Blue'])
const SIZE = { ...question('Which sizes do you need?', 'Size', ['Small', 'Large', 'Huge']), multiSelect: true }

function question(text: string, header: string, labels: readonly string[]): object {
  const options = labels.map((label) => ({ label, description: `It is ${label}.` }))
  return { question: text, header, options, multiSelect: false }
}

function ask(...questions: readonly object[]): WrittenTool {
  return { name: 'AskUserQuestion', input: { questions } }
}

function caseOf(name: string, answers: readonly object[] | null): string {
  return JSON.stringify(
    {
      name,
      turns: [{ prompt: 'Make a box.', expected: { contains: ['Made'] } }],
      ...(answers === null ? {} : { answers }),
    },
    null,
    2,
  )
}

const asking = JSON.stringify({ turns: [{ tools: [ask(COLOUR, SIZE)] }, 'Made.'] })
const BOX = [{ question: 'colou?r', answer: 'BLUE' }, { answer: ['small', 'Huge'] }]

function notices(run: PackageRun, name: string): readonly string[] {
  return run.case(name).notices.filter((notice) => /ask|answers/.test(notice))
}

interface Seen {
  readonly notices: readonly string[]
  readonly last: string | undefined
}

describeEvals('answers to what the agent asks', () => {
  test('are given by pattern or option, recorded, replayed at no cost, and go stale with the case', async () => {
    await using project = await createPackage({
      cases: {},
      files: {
        'evals/cases/box.yaml': caseOf('box', BOX),
        'evals/scenarios/box.yaml': asking,
        'evals/cases/half.yaml': caseOf('half', [{ question: '^Which colour', answer: 'any warm one' }]),
        'evals/scenarios/half.yaml': asking,
        'evals/cases/free.yaml': caseOf('free', [{ question: '(?i)^colour$', answer: 'any warm one' }]),
        'evals/scenarios/free.yaml': JSON.stringify({ turns: [{ tools: [ask(COLOUR)] }, 'Made.'] }),
      },
    })
    const recorded = await runEvals(project, { AGENT_EVALS_SOURCE: 'record' })
    expect(recorded.report.cases.map(({ name, outcome, error }) => `${name} ${outcome} ${error ?? ''}`)).toEqual([
      'box passed ',
      'free passed ',
      'half passed ',
    ])
    expect(await recorded.toolResults('box')).toEqual([
      'Your questions have been answered: "Which colour should it have?"="Blue", "Which sizes do you need?"="Small, Huge". You can now continue with these answers in mind.',
    ])
    expect(notices(recorded, 'box')).toEqual([])
    expect((await recorded.toolResults('free'))[0]).toContain('"Which colour should it have?"="any warm one"')
    expect(await recorded.toolResults('half')).toEqual(['Nobody is there to answer.'])
    expect(notices(recorded, 'half')).toEqual([
      'The agent asked "Which sizes do you need?", and no entry of `answers` fits.',
      expect.stringContaining('The run ended by asking "Which colour should it have?"'),
    ])

    const replayed = await runEvals(project, { AGENT_EVALS_SOURCE: 'replay' })
    expect(replayed.report.cases.map(({ name, outcome, cost_usd }) => `${name} ${outcome} ${cost_usd}`)).toEqual(
      ['box', 'free', 'half'].map((name) => `${name} passed 0`),
    )
    expect(await replayed.toolResults('box')).toEqual(await recorded.toolResults('box'))

    await project.files.writeFile(
      'evals/cases/box.yaml',
      caseOf('box', [{ question: 'colou?r', answer: 'Red' }, ...BOX.slice(1)]),
    )
    const stale = await runEvals(project, { AGENT_EVALS_SOURCE: 'replay' })
    expect(stale.case('box').error_code).toBe('stale')
    expect(stale.case('box').error).toMatch(/^evals\/cases\/box\.yaml.* \(answers\) has changed since the model saw it/)
  })

  test('open nothing that is closed to a session without them', async () => {
    const say = (name: string, output: object): string =>
      JSON.stringify({ hookSpecificOutput: { hookEventName: name, ...output } })
    const asks = say('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'Is that wanted?' })
    const allows = say('PermissionRequest', { decision: { behavior: 'allow' } })
    const onlyFor = (text: string, output: string): string => `grep -q ${text} && echo '${output}' || true`
    const hook = (matcher: string, command: string): object => ({
      matcher,
      hooks: [{ type: 'command', command }],
    })
    const run = async (hooks: object, answers: readonly object[] | null, asked = false): Promise<Seen> => {
      const calls = [{ tools: [bash('ls')] }, { tools: [bash('echo done > done.txt')] }]
      const turns = [...calls, ...(asked ? [{ tools: [ask(COLOUR)] }] : []), 'Made.']
      await using project = await createPackage({
        cases: {},
        files: {
          'hooks/hooks.json': JSON.stringify({ hooks }),
          'evals/cases/box.yaml': caseOf('box', answers),
          'evals/scenarios/box.yaml': JSON.stringify({ turns }),
        },
      })
      const done = await runEvals(project)
      expect(done.case('box').error).toBe(null)
      expect(done.run('box').files.created).toEqual([])
      const results = (await done.transcript('box')).filter(({ kind }) => kind === 'tool-result')
      expect(results[1]).toMatchObject({ text: 'Is that wanted?', isError: true, blockedBy: 'hook' })
      return { notices: notices(done, 'box'), last: await done.toolResults('box').then((all) => all.at(-1)) }
    }
    const closed = { PreToolUse: [hook('Bash', onlyFor('done', asks))] }
    await run(closed, null)
    const answered = await run(closed, BOX, true)
    expect(answered.last).toContain('"Which colour should it have?"="Blue"')

    const opened = { ...closed, PermissionRequest: [hook('*', `echo '${allows}'`)] }
    await run(opened, null)
    const refused = await run(opened, BOX)
    expect(refused.notices).toEqual([
      'The `answers` of the case are not given: hooks of permission-request would be asked for leave too, and could give it where a session without a user refuses.',
    ])
  })

  test('are given without a sandbox too, where calls beyond the workspace stay refused', async () => {
    const outside = { name: 'Write', input: { file_path: '/etc/agent-evals-answers.txt', content: 'x' } }
    await using project = await createPackage({
      cases: {},
      options: "{ sandbox: 'none' }",
      files: {
        'evals/cases/box.yaml': caseOf('box', BOX),
        'evals/scenarios/box.yaml': JSON.stringify({
          turns: [{ tools: [outside] }, { tools: [ask(COLOUR)] }, 'Made.'],
        }),
        'evals/cases/plain.yaml': caseOf('plain', null),
        'evals/scenarios/plain.yaml': JSON.stringify({ turns: [{ tools: [outside, bash('ls')] }, 'Made.'] }),
      },
    })
    const run = await runEvals(project)
    for (const name of ['box', 'plain']) {
      expect(run.case(name).error).toBe(null)
      const first = (await run.transcript(name)).find(({ kind }) => kind === 'tool-result')
      expect(first).toMatchObject({
        isError: true,
        blockedBy: 'permission',
        text: expect.stringMatching(/^Permission to use Write has been denied/),
      })
    }
    expect((await run.toolResults('box'))[1]).toContain('"Which colour should it have?"="Blue"')
  })

  test('are named where an engine has no user', async () => {
    await using project = await createPackage({
      cases: {},
      config: { engine: 'copilot' },
      files: {
        'evals/cases/box.yaml': caseOf('box', BOX),
        'evals/scenarios/box.yaml': JSON.stringify({ turns: ['Made.'] }),
      },
    })
    const run = await runEvals(project, { ...(await copilotVariables()) })
    expect(run.case('box').error).toBe(null)
    expect(notices(run, 'box')).toEqual([
      'The `answers` of the case are not given: a session of copilot has no user whom it could ask.',
    ])
  })
})
