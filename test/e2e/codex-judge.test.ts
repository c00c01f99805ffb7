// @module-tag codex
// @module-tag slow
import { agreeingVerdict, undecidedKinds } from '../support/model-judge.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startModelApis } from '../support/model-apis.ts'
import { codexFolder } from '../support/other-engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { CLERK, golden } from '../support/agent-fixture.ts'
import { CONFIG, greeting, PACKAGE, readReports, verdicts } from '../support/eval-project.ts'
import type { Report } from '../../src/report/report.ts'

const PASS = [{ verdict: 'pass', reason: 'It greets.', quote: 'Hello, World' }]
const FENCED = '```json\n{}\n```'

const JUDGED: Readonly<Record<string, readonly unknown[]>> = {
  'a-passes': [PASS],
  'b-fails': [[{ verdict: 'fail', reason: 'It is cold.', quote: 'Hello, World' }]],
  'c-malformed-then-good': ['{"nonce":', PASS],
  'd-malformed-twice': [FENCED, '{"verdicts": []}', PASS],
  'e-refusal': [
    { text: 'I cannot.', stop: 'refusal' },
    { text: 'I cannot.', stop: 'refusal' },
  ],
  'f-cut': [{ text: '{"nonce"', stop: 'max-tokens' }, PASS],
  'g-refused-by-the-api': [{ error: { status: 400, message: 'no such model' } }],
}

test('codex is a judge: of criteria and by rubric, recorded and replayed', { tags: ['codex'] }, async () => {
  await using project = await createProject(repositoryVitest(), {
    ...PACKAGE,
    'vitest.config.ts': CONFIG,
    ...Object.fromEntries(
      Object.entries(JUDGED).flatMap(([name, judge]) => [
        [`evals/cases/${name}.yaml`, greeting(name)],
        [`evals/scenarios/${name}.yaml`, JSON.stringify({ turns: ['Hello, World'], judge })],
      ]),
    ),
    ...CLERK,
    'clerk/evals/golden/happy/001_hours.md': golden('001_hours'),
    'clerk/evals/scenarios/golden/happy/001_hours.yaml': JSON.stringify({
      turns: ['At 9.'],
      judge: ['Five out of five.', { scores: { tone: 5, accuracy: 5 }, justification: 'Says 9.' }],
    }),
  })
  const run = async (source: string): Promise<readonly Report[]> => {
    const before = await reports(project)
    const { all } = await project.run(['run', '--project', 'evals'], {
      merged: true,
      env: {
        AGENT_EVALS_ENGINE: 'codex',
        AGENT_EVALS_ENGINES: await codexFolder(),
        AGENT_EVALS_JUDGE: 'codex:gpt-5.5',
        AGENT_EVALS_SOURCE: source,
      },
    })
    const now = await reports(project)
    expect(now.length, all).toBe(before.length + 2)
    return now.filter(({ timestamp }) => before.every((one) => one.timestamp !== timestamp))
  }

  const recorded = await run('record')
  expect(await linesOf(project, recorded)).toMatchInlineSnapshot(`
    [
      "a-passes PASS, asked 1",
      "b-fails FAIL, asked 1",
      "c-malformed-then-good PASS, asked 2",
      "d-malformed-twice ERROR judge-failed, asked 2",
      "e-refusal ERROR judge-failed, asked 2",
      "f-cut ERROR judge-failed, asked 1",
      "g-refused-by-the-api ERROR judge-failed, asked 1",
      "happy/001_hours PASS, asked 2",
    ]
  `)
  expect(errorsOf(recorded).map((error) => error.replace(project.root, '<root>'))).toMatchInlineSnapshot(`
    [
      "The judge gave no usable answer twice: first the answer is in a code fence; then "nonce": Invalid input: expected string, received undefined.",
      "The judge gave no usable answer twice: first the answer is empty; then the answer is empty.",
      "The judge's answer was cut off at its limit of tokens.",
      "The judge gpt-5.5 could not be asked: The scenario (evals/scenarios/g-refused-by-the-api.yaml:1) answered 400: no such model.",
    ]
  `)
  const replayed = await run('replay')
  expect(replayed.flatMap(verdicts)).toMatchInlineSnapshot(`
    [
      "a-passes PASS",
      "b-fails FAIL",
      "c-malformed-then-good PASS",
      "d-malformed-twice ERROR missing-answers",
      "e-refusal ERROR missing-answers",
      "f-cut ERROR missing-answers",
      "g-refused-by-the-api ERROR missing-answers",
      "happy/001_hours PASS",
    ]
  `)
})

test(
  'codex judges live: one small request with a strict schema, and no key of its own',
  { tags: ['codex'] },
  async () => {
    const KEY = 'sk-proj-real-0123456789'
    const given = [agreeingVerdict('Hello, World', 'It greets.')]
    await using api = await startModelApis(({ body }) => {
      const nonce = /nonce: ([0-9a-f]{32})/.exec(body)?.[1]
      if (nonce === undefined) return ['Hello, World']
      return [undecidedKinds(body, nonce) ?? JSON.stringify({ nonce, verdicts: given, orders: '' })]
    })
    await using project = await createProject(repositoryVitest(), {
      ...PACKAGE,
      'vitest.config.ts': CONFIG,
      'evals/cases/greets.yaml': greeting('greets'),
    })
    const { all } = await project.run(['run', '--project', 'evals'], {
      merged: true,
      env: {
        AGENT_EVALS_ENGINE: 'codex',
        AGENT_EVALS_ENGINES: await codexFolder(),
        AGENT_EVALS_JUDGE: 'codex:gpt-5.5',
        AGENT_EVALS_SOURCE: 'live',
        AGENT_EVALS_MODEL: 'gpt-5.5',
        OPENAI_API_KEY: KEY,
        OPENAI_BASE_URL: `${api.url}/v1`,
      },
    })
    const [report] = await readReports(project)
    expect(report === undefined ? [] : verdicts(report), all).toEqual(['greets PASS'])
    // The judge says what the statement is about, and then gives its verdict.
    const [agent, ...judge] = api.requests
    expect(judge).toHaveLength(2)
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 3 }, () => `Bearer ${KEY}`),
    )
    for (const { body } of judge) {
      const asked = JSON.parse(body) as {
        readonly text: { readonly format: { readonly type: string; readonly strict: boolean } }
        readonly tools: readonly { readonly name: string }[]
      }
      expect(asked.text.format).toMatchObject({ type: 'json_schema', strict: true })
      expect(asked.tools.map(({ name }) => name)).toEqual(['request_user_input', 'apply_patch'])
      expect(body.length).toBeLessThan((agent?.body.length ?? 0) / 2)
    }
  },
)

async function reports(project: TestProject): Promise<readonly Report[]> {
  const all = [await readReports(project), await readReports(project, 'clerk/evals/reports')]
  return all.flat()
}

/** Each case with its verdict, and how often the judge was asked. */
async function linesOf(project: TestProject, written: readonly Report[]): Promise<readonly string[]> {
  const lines: string[] = []
  for (const report of written) {
    for (const [index, line] of verdicts(report).entries()) {
      const folder = report.cases[index]?.runs[0]?.folder ?? ''
      const text = await readFile(join(project.root, folder, 'judge.json'), 'utf8').catch(() => '{"exchanges":[]}')
      lines.push(`${line}, asked ${(JSON.parse(text) as { exchanges: readonly unknown[] }).exchanges.length}`)
    }
  }
  return lines
}

function errorsOf(written: readonly Report[]): readonly string[] {
  return written.flatMap(({ cases }) =>
    cases.flatMap(({ verdict, error }) => (verdict === 'ERROR' ? [error ?? ''] : [])),
  )
}
