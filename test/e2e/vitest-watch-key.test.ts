// @module-tag claude-code
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { hasTerminal } from '../support/running-process.ts'
import { config, greeting, PACKAGE, readReport, verdicts } from '../support/eval-project.ts'
import { startMessagesServer, type MessagesServer } from '../support/messages-server.ts'
import { agreeing } from '../support/package-run.ts'

const major = repositoryVitest()

const SLOW = "reporters: ['default', { onTestRunStart: () => new Promise((go) => setTimeout(go, 1500)) }]"

const THROWING = "{ onTestRunStart: async () => { if (existsSync('.vitest/throws')) throw new Error('Mine throws') } }"

/** An API that agrees with everything, and the variables by which a run asks it. */
async function startModel(): Promise<MessagesServer & { readonly env: NodeJS.ProcessEnv }> {
  const model = await startMessagesServer((request) => agreeing(request, 'Hello') ?? { text: 'Hello' })
  return { ...model, env: { ANTHROPIC_API_KEY: 'sk-ant-real-0123456789', ANTHROPIC_BASE_URL: model.url } }
}

describe('watching', { tags: ['claude-code'] }, () => {
  test('the key l runs what is outdated live, and only where it is no letter of a filter', async ({
    onTestFinished,
    skip,
  }) => {
    skip(!hasTerminal, 'there is no util-linux, whose `script` gives a process a terminal')
    await using model = await startModel()
    const { env } = model
    await using project = await createProject(major, {
      ...PACKAGE,
      // A pass begins slowly, as one of many cases does.
      'vitest.config.ts': config('', `test: { ${SLOW} }`),
      'evals/cases/stays.yaml': greeting('stays'),
      'evals/cases/moves.yaml': greeting('moves'),
    })
    const recorded = await project.run(['run', '--project', 'evals'], { env })
    expect(recorded.exitCode, recorded.all).toBe(0)
    await project.files.rm('evals/reports')
    await project.files.writeFile('evals/cases/moves.yaml', greeting('moves').replace('Say hello.', 'Say hello twice.'))
    const asked = model.requests.length

    const watching = project.start(['--watch', '--project', 'evals'], {
      env: { ...env, TERM: 'xterm' },
      terminal: true,
    })
    // However it ends, by its own time limit too: a watching Vitest ends only when it is told.
    onTestFinished(() => watching.kill())
    await watching.waitFor(/Outdated +1 stale: moves[^]+press l to run and record them live[^]+for file changes/)
    watching.press('t')
    await watching.waitFor(/Input test name pattern/)
    watching.press('l')
    await watching.waitFor(/Pattern matches/)
    // An empty pattern is all of them again.
    watching.press('\u007F\r')
    await watching.waitFor(/press l to run and record them live[^]+for file changes/)
    expect(model.requests.length).toBe(asked)

    // What the pass runs that begins while the key is pressed was not asked for, and a second press asks for no more.
    await project.files.writeFile('evals/cases/comes.yaml', greeting('comes'))
    await watching.waitFor(/RERUN +evals.cases.comes/)
    watching.press('l')
    watching.press('l')
    await watching.waitFor(/1 case goes live[^]+ 1 passed[^]+for file changes/)
    await watching.waitFor(/Outdated +1 without a recording: comes/)
    // The agent once; its judge twice, since the task of its statements has changed.
    expect(model.requests.length).toBe(asked + 3)
    await project.files.rm('evals/cases/comes.yaml')
    await watching.waitFor(/2 passed \(2\)/)

    watching.press('l')
    await watching.waitFor(/nothing to record: no case is stale or without a recording/)
    watching.press('h')
    await watching.waitFor(/press l to run and record outdated evals live/)
    await project.files.writeFile('evals/cases/comes.yaml', greeting('comes'))
    await watching.waitFor(/Outdated +1 without a recording: comes/)
    await project.files.rm('evals/cases/comes.yaml')
    await watching.waitFor(/2 passed \(2\)/)
    watching.press('l')
    await watching.waitFor(/nothing to record/)
    await project.files.rm('evals/cases/stays.yaml')
    await watching.waitFor(/1 passed \(1\)/)
    expect(model.requests.length).toBe(asked + 3)
    watching.press('q')
    expect((await watching.finished).all).not.toContain('Unhandled')
    expect(verdicts(await readReport(project)).toSorted()).toEqual(['moves PASS'])
  })

  test("a reporter of the user's that throws at the start of such a run stops no later pass", async ({
    onTestFinished,
    skip,
  }) => {
    skip(!hasTerminal, 'there is no util-linux, whose `script` gives a process a terminal')
    await using model = await startModel()
    const { env } = model
    await using project = await createProject(major, {
      ...PACKAGE,
      'vitest.config.ts': `${config('', `test: { reporters: ['default', ${THROWING}] }`)}import { existsSync } from 'node:fs'\n`,
      'evals/cases/stays.yaml': greeting('stays'),
    })
    const watching = project.start(['--watch', '--project', 'evals'], {
      env: { ...env, TERM: 'xterm' },
      terminal: true,
    })
    onTestFinished(() => watching.kill())
    await watching.waitFor(/Outdated +1 without a recording: stays[^]+for file changes/)
    await project.files.writeFile('.vitest/throws', '')
    watching.press('l')
    await watching.waitFor(/agent-evals: Error: Mine throws/)
    await project.files.rm('.vitest/throws')
    await project.files.writeFile('evals/cases/comes.yaml', greeting('comes'))
    await watching.waitFor(
      /RERUN +evals.cases.comes[^]+Outdated[^]+without a recording: (?:stays, )?comes[^]+for file changes/,
    )
    watching.press('l')
    await watching.waitFor(/cases? goe?s? live[^]+[12] passed[^]+for file changes/)
    watching.press('q')
    expect((await watching.finished).all).not.toContain('Unhandled')
  })
})
