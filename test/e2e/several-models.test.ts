// @module-tag claude-code
// @module-tag codex
// @module-tag slow
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { greeting, greetings, PACKAGE, readReports, saying } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { codexFolder } from '../support/other-engines.ts'
import { createProject, type TestProject } from '../support/project.ts'

const MODELS = ['claude-opus-4-6', 'claude-sonnet-4-6'] as const
const FILE = `import { expect, test } from 'vitest-agent-evals/test'

test('greets', async ({ agent }) => {
  expect(await agent.run('Say hello.')).toContainOutput('Hello')
})
`

const major = repositoryVitest()

describe('several models', () => {
  test('each case is one test for each model, in one report', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      ...greetings({ good: 'Hello', bad: 'Goodbye' }),
      'evals/hand.eval.ts': FILE,
      'evals/scenarios/greets.yaml': saying('Hello'),
    })
    const listed = await project.agentEvals(['list', '--model', MODELS.join(',')], { merged: true })
    expect(listed.all).toContain('good (claude-opus-4-6)')
    expect(listed.all).toContain('4 cases')

    const { all } = await project.agentEvals(['run', '--html', '--model', MODELS.join(',')], { merged: true })
    expect(await cases(project), all).toEqual([
      'bad (claude-opus-4-6) FAIL',
      'bad (claude-sonnet-4-6) FAIL',
      'good (claude-opus-4-6) PASS',
      'good (claude-sonnet-4-6) PASS',
      'greets (claude-opus-4-6) PASS',
      'greets (claude-sonnet-4-6) PASS',
    ])
    const [report] = await readReports(project)
    expect(report?.cases.map(({ id, model }) => [id, model])).toContainEqual([
      'evals/cases/good.yaml#good@claude-opus-4-6',
      'claude-opus-4-6',
    ])
    // What asked for it says what runs it again.
    expect(all).toContain('--model claude-opus-4-6')

    const one = await project.agentEvals(['run', 'good', '--tags-filter', MODELS[0], '--model', MODELS.join(',')])
    expect(one.stdout).toMatch(/Tests {2}1 passed/)
    const page = await project.agentEvals(['run', 'bad', '--model', MODELS[1]], { merged: true })
    expect(page.all).not.toContain('(claude')
  })

  test('recordings of several models lie beside each other, and each is played for its model', async () => {
    await using project = await createProject(major, { ...PACKAGE, ...greetings({ good: 'Hello' }) })
    await project.agentEvals(['run', '--record', '--model', MODELS.join(',')])
    expect(await recordings(project, 'good')).toEqual([
      'claude-code.claude-opus-4-6.1.json',
      'claude-code.claude-sonnet-4-6.1.json',
    ])
    const asked = await Promise.all(
      (await recordings(project, 'good')).map(
        async (name) => JSON.parse(await read(project, `good/${name}`)).model.asked,
      ),
    )
    expect(asked).toEqual(MODELS)

    await project.files.rm('evals/scenarios')
    const replayed = await project.agentEvals(['run', '--source', 'replay', '--model', MODELS.join(',')], {
      merged: true,
    })
    expect((await cases(project)).slice(-4), replayed.all).toEqual([
      ...Array.from({ length: 2 }, () => 'good (claude-opus-4-6) PASS'),
      ...Array.from({ length: 2 }, () => 'good (claude-sonnet-4-6) PASS'),
    ])
    const alone = await project.agentEvals(['run', '--source', 'replay', '--model', MODELS[1]], { merged: true })
    expect(alone.exitCode, alone.all).toBe(0)

    // A changed prompt makes both stale, and the command records both again.
    await project.files.writeFile('evals/cases/good.yaml', greeting('good').replace('Say hello.', 'Say good day.'))
    const stale = await project.agentEvals(['run', '--source', 'replay', '--model', MODELS.join(',')], { merged: true })
    expect(stale.all).toContain(`--model "${MODELS.join(',')}" --source auto`)
  })

  test('a recording that names no model is that of the model that it is of', async () => {
    await using project = await createProject(major, { ...PACKAGE, ...greetings({ good: 'Hello' }) })
    await project.agentEvals(['run', '--record', '--model', MODELS[0]])
    await project.agentEvals(['run', '--record', '--model', MODELS.join(',')])
    expect(await recordings(project, 'good')).toEqual(['claude-code.1.json', 'claude-code.claude-sonnet-4-6.1.json'])
  })

  test('every model runs on every engine that can ask for it', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      'evals/cases/good.yaml': greeting('good'),
      'evals/scenarios/good.yaml': saying('Hello'),
      'evals/hand.eval.ts': FILE,
      'evals/scenarios/greets.yaml': saying('Hello'),
    })
    const env = { AGENT_EVALS_ENGINES: await codexFolder() }
    const args = ['run', '--html', '--engine', 'claude-code,codex', '--model', 'claude-opus-4-6,gpt-5']
    const { all } = await project.agentEvals(args, { env, merged: true })
    expect(await cases(project), all).toEqual([
      'good (claude-code, claude-opus-4-6) PASS',
      'good (claude-code, gpt-5) SKIP',
      'good (codex, claude-opus-4-6) SKIP',
      'good (codex, gpt-5) PASS',
      'greets (claude-code, claude-opus-4-6) PASS',
      'greets (claude-code, gpt-5) SKIP',
      'greets (codex, claude-opus-4-6) SKIP',
      'greets (codex, gpt-5) PASS',
    ])
    expect(all).toContain('codex does not ask for models such as claude-opus-4-6')
  })
})

async function cases(project: TestProject): Promise<readonly string[]> {
  const reports = await readReports(project)
  return reports.flatMap((report) => report.cases.map(({ name, verdict }) => `${name} ${verdict}`)).toSorted()
}

async function recordings(project: TestProject, name: string): Promise<readonly string[]> {
  return (await readdir(join(project.root, 'evals/recordings/cases', name))).toSorted()
}

function read(project: TestProject, path: string): Promise<string> {
  return readFile(join(project.root, 'evals/recordings/cases', path), 'utf8')
}
