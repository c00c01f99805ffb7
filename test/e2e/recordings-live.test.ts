// @module-tag claude-code
// @module-tag slow
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { glob } from 'tinyglobby'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { startUpstream } from '../support/upstream.ts'
import { PACKAGE, readReport, saying } from '../support/eval-project.ts'

test('auto records what is missing or stale, only where it may spend', { tags: ['claude-code'] }, async () => {
  await using upstream = await startUpstream([{ stream: 'Hello ', rest: 'from above.' }])
  await using project = await createProject(repositoryVitest(), {
    ...PACKAGE,
    'evals/hello.eval.ts': evalOf('Say hello.'),
  })
  const key = { ANTHROPIC_API_KEY: 'sk-ant-real-0123456789', ANTHROPIC_BASE_URL: upstream.url }
  const run = async (env: Record<string, string>, exitCode: number, requests: number): Promise<string> => {
    const finished = await project.run(['run', '--project', 'evals'], { env })
    expect([finished.exitCode, upstream.requests.length], finished.all).toEqual([exitCode, requests])
    return finished.all
  }

  await run(key, 0, 1)
  const [file = ''] = await glob('evals/recordings/**/*.json', { cwd: project.root })
  expect(file).toMatch(/^evals\/recordings\/hello\.eval\/says-hello-[0-9a-f]{6}\/claude-code\.1\.json$/)
  const text = await readFile(join(project.root, file), 'utf8')
  expect(JSON.parse(text)).toMatchObject({
    origin: 'claude-upstream-1',
    model: { observed: 'claude-upstream-1' },
    usage: { inputTokens: 11, outputTokens: 7 },
    lanes: [{ turns: [{ answer: { content: [{ kind: 'text', text: 'Hello from above.' }] } }] }],
  })
  expect(text).not.toMatch(/sk-ant|authorization|x-api-key|req_1|\/tmp\//)

  // Played again it costs nothing and needs no key.
  await run({}, 0, 1)
  await project.files.writeFile('evals/hello.eval.ts', evalOf('Say hello twice.'))
  const output = await run({ ...key, CI: 'true' }, 1, 1)
  expect(output).toMatch(/evals\/hello\.eval\.ts \(prompt\) has changed since the model saw it/)
  expect(output).toContain('npx vitest-agent-evals run --record evals/hello.eval.ts:2')

  await run(key, 0, 2)
  await run({ CI: 'true' }, 0, 2)
})

test('record asks the model also beside a scenario, and the recording is played before it', async () => {
  await using upstream = await startUpstream([{ stream: 'Hello ', rest: 'from above.' }])
  await using project = await createProject(repositoryVitest(), {
    ...PACKAGE,
    'evals/hello.eval.ts': evalOf('Say hello.', 'greets'),
    'evals/scenarios/greets.yaml': saying('Hello, World'),
  })
  const key = { ANTHROPIC_API_KEY: 'sk-ant-real-0123456789', ANTHROPIC_BASE_URL: upstream.url }
  const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
    for (const name of await glob('evals/reports/*', { cwd: project.root })) await project.files.rm(name)
    // Users have no such variable.
    const user = { VITEST_AGENT_EVALS_RECORD_SCENARIOS: undefined, ...env }
    const { all } = await project.agentEvals(['run', ...args], { env: user, merged: true })
    const [found] = (await readReport(project)).cases
    expect(upstream.requests.length, all).toBeLessThanOrEqual(1)
    return `${found?.source}: ${found?.error_code ?? found?.outcome}, ${found?.agent_output_snippet}`
  }

  expect(await run([], key)).toBe('scenario: passed, Hello, World')
  expect(await run(['--record'])).toBe('null: no-credentials, null')
  expect(await run(['--record'], key)).toBe('record: passed, Hello from above.')
  expect(await run([])).toBe('replay: passed, Hello from above.')
  await project.files.writeFile('evals/hello.eval.ts', evalOf('Say hello twice.', 'greets'))
  expect(await run([], key)).toMatch(/^replay: stale/)
})

function evalOf(prompt: string, name = 'says hello'): string {
  return [
    "import { expect, test } from 'vitest-agent-evals/test'",
    `test('${name}', async ({ agent }) => {`,
    `  const run = await agent.run(${JSON.stringify(prompt)})`,
    "  expect(run).toContainOutput('Hello')",
    '})',
    '',
  ].join('\n')
}
