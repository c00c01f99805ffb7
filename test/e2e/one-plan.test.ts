// @module-tag no-engine
// @module-tag slow
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { config, greeting, readReports } from '../support/eval-project.ts'
import { lineEngine } from '../support/line-engine.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { hasTerminal } from '../support/running-process.ts'
import { skill } from '../support/skill-project.ts'

/** A suite of every format of data files, and one in TypeScript. The prompt of each case has a mark of its own. */
const FILES = {
  'vitest.config.ts': config(
    "{ sandbox: 'none', engines: { asks: { module: './asks.mjs', executable: './asks.sh' } } }",
  ),
  'package.agent.json': '{ "name": "sample", "version": "1.0.0" }',
  'skills/pricing/SKILL.md': skill('pricing', 'Sets prices.'),
  'skills/pricing/evals/evals.json': JSON.stringify({
    evals: [
      { id: 'flaky', prompt: 'MARK-eval-flaky', expectations: ['It is done.'] },
      { id: 2, prompt: 'MARK-eval-2', expectations: ['It is done.'] },
    ],
  }),
  'skills/pricing/evals/triggers.json': `[
    { "id": "2", "query": "MARK-query-2", "should_trigger": true }, { "id": "q3", "query": "MARK-query-3", "should_trigger": false },
    { "id": "q4", "query": "MARK-query-4", "should_trigger": true }
  ]`,
  'evals/cases/flaky.yaml': aam('flaky', 'target: skill:pricing\n'),
  'evals/cases/other.yaml': aam('other', ''),
  'skills/pricing/evals/cases/graded/case.yaml':
    'schema_version: "1.1"\nname: graded\ntags: [money]\nexecution: { prompt: MARK-graded }\ngraders:\n  - { type: regex, name: says, pattern: hello }\n',
  'greets.eval.ts': [
    "import { expect, test } from 'vitest-agent-evals/test'",
    "test('greets', async ({ agent }) => { expect(await agent.run('MARK-typescript')).toContainOutput('hello') })",
    '',
  ].join('\n'),
  // Sends its prompt to the model once.
  'asks.mjs': lineEngine(`
  name: 'asks',
  executable: 'asks.sh',
  versionArguments: ['version'],
  parseVersion: () => '1.0.0',
  command: ({ prompt, env, gateway }) => ({
    arguments: [], stdin: prompt, env: { ...env, BASE: gateway.baseUrl, TOKEN: gateway.token },
  }),
`),
  'ask.mjs': `
import { text } from 'node:stream/consumers'
const prompt = await text(process.stdin)
const answer = await fetch(process.env.BASE + '/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.TOKEN, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-4.1-mini', max_tokens: 10, messages: [{ role: 'user', content: 'SESSION ' + prompt }] }),
})
console.log(answer.ok ? (await answer.json()).choices[0].message.content : 'refused ' + await answer.text())
`,
} as const

function aam(name: string, rest: string): string {
  return greeting(name, rest).replace('Say hello.', `MARK-aam-${name}`)
}

/** What a drawn command line may have: each part is there or not. */
const FILTERS = [
  [],
  ['flaky'],
  ['2'],
  ['graded'],
  ['skills/pricing'],
  ['evals/cases/flaky.yaml:1'],
  ['skills/pricing/evals/triggers.json'],
  ['flaky', 'q3'],
]
const FLAGS = [
  ['--target', 'skill:pricing'],
  ['--mode', 'artifact'],
  ['--mode', 'trigger'],
  ['--category', 'happy'],
  ['--tag', 'money'],
  ['-t', 'fla|2'],
  ['--shard', '1/2'],
  ['--shard', '2/2'],
  ['--runs', '2'],
  ['--baseline'],
]

const DRAWS = Number(process.env['AGENT_EVALS_TEST_DRAWS'] ?? 10)
const FIRST = [['2', '--target', 'skill:pricing'], ['flaky', '--mode', 'artifact'], []]

test(
  'a run lists, announces, reports and sends the cases of one plan, whatever its filters are',
  { timeout: 60_000 * (DRAWS + FIRST.length) },
  async () => {
    await using api = await startApi()
    await using project = await createProject(repositoryVitest(), FILES)
    await writeProgram(project)
    const random = createRandom(33)
    const drawn = Array.from({ length: DRAWS }, () => [
      ...(FILTERS[random(FILTERS.length)] ?? []),
      ...FLAGS.filter(() => random(5) === 0).flat(),
    ])
    for (const line of [...FIRST, ...drawn]) await compare(project, api, line)
  },
)

// Without a terminal, as in every other test, a run that may spend does so.
test.skipIf(!hasTerminal)('a run in a terminal asks once before it spends', async () => {
  await using api = await startApi()
  await using project = await createProject(repositoryVitest(), FILES)
  await writeProgram(project)
  const ask = async (
    keys: string,
    ...flags: readonly string[]
  ): Promise<readonly [sent: number, exit: number | null]> => {
    api.asked.length = 0
    await rm(join(project.root, 'evals/recordings'), { recursive: true, force: true })
    const env = { ...variablesOf(api), CI: undefined, TERM: 'dumb' }
    const run = project.startAgentEvals(['run', 'other', ...flags], { env, terminal: true })
    if (keys !== '') {
      await run.waitFor('Run them live?')
      expect(api.asked).toEqual([])
      run.press(keys)
    }
    const { exitCode, all } = await run.finished
    expect(all.includes('Run them live?')).toBe(keys !== '')
    expect(all.includes('nothing was run or spent')).toBe(keys === 'n\r')
    return [api.asked.length, exitCode]
  }
  expect(await ask('n\r')).toEqual([0, 2])
  expect((await ask('y\r'))[0]).toBe(1)
  for (const flag of ['--yes', '--live', '--record']) expect((await ask('', flag))[0], flag).toBeGreaterThan(0)
})

async function writeProgram(project: TestProject): Promise<void> {
  const script = `#!/bin/sh\n[ "$1" = version ] && exit 0\nexec '${process.execPath}' '${project.root}/ask.mjs'\n`
  await writeFile(join(project.root, 'asks.sh'), script, { mode: 0o755 })
}

function variablesOf(api: Api): Readonly<Record<string, string>> {
  return {
    AGENT_EVALS_ENGINE: 'asks',
    AGENT_EVALS_MODEL: 'gpt-4.1-mini',
    AGENT_EVALS_JUDGE: 'openai:gpt-4.1-mini',
    OPENAI_BASE_URL: `${api.url}/v1`,
    OPENAI_API_KEY: 'sk-scripted',
  }
}

async function compare(project: TestProject, api: Api, line: readonly string[]): Promise<void> {
  const env = variablesOf(api)
  const listed = await project.agentEvals(['list', ...line, '--live', '--json'], { env })
  const { cases, files, plan } = JSON.parse(listed.stdout) as Listed
  await rm(join(project.root, 'evals/reports'), { recursive: true, force: true })
  api.asked.length = 0
  const run = await project.agentEvals(['run', ...line, '--live'], { env, merged: true })
  const shown = `${line.join(' ')}\n${run.all}`

  const ids = cases.map(({ id }) => id).toSorted()
  const reports = await readReports(project)
  const reported = reports.flatMap((report) => report.cases.filter(({ format }) => format !== 'typescript'))
  expect(reported.map(({ id }) => id).toSorted(), shown).toEqual(ids)
  if (ids.length > 0) expect([...new Set(reports.map((report) => report.plan))], shown).toEqual([plan])

  const runs = cases.reduce((sum, one) => sum + one.runs, 0)
  const count = /(\d+) cases? go(?:es)? live(?:, \d+ of them without the skill)?(?:, in (\d+) runs)?/.exec(run.all)
  expect([Number(count?.[1] ?? 0), Number(count?.[2] ?? count?.[1] ?? 0)], shown).toEqual([ids.length, runs])

  const marks = (prompts: readonly string[]): readonly string[] =>
    [...new Set(prompts.map((prompt) => /MARK-[\w-]+/.exec(prompt)?.[0] ?? prompt))].toSorted()
  // The canary belongs to no case: it tells a skill that never fires from an engine that shows none.
  const sent = api.asked.filter((prompt) => !/MARK-typescript|agent-evals-canary/.test(prompt))
  expect(marks(sent), shown).toEqual(marks(cases.map(({ prompt }) => prompt)))
  expect(sent.length, shown).toBe(runs)
  expect(
    api.asked.some((prompt) => prompt.includes('MARK-typescript')),
    shown,
  ).toBe(files.length > 0)
}

interface Listed {
  readonly plan: string
  readonly cases: readonly { readonly id: string; readonly prompt: string; readonly runs: number }[]
  readonly files: readonly string[]
}

interface Api extends AsyncDisposable {
  readonly url: string
  /** What sessions have asked. */
  readonly asked: string[]
}

async function startApi(): Promise<Api> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (body.includes('SESSION ')) asked.push(body)
      const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }]
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4.1-mini', choices, usage }),
      )
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

// The same draws at every run.
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
