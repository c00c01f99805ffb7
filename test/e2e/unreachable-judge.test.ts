// @module-tag no-engine
// @module-tag slow
import { expect, test } from 'vitest'
import { CLERK, golden, JUDGE } from '../support/agent-fixture.ts'
import { ASKS, ASKS_ENGINE, startChatApi, writeAskingProgram } from '../support/asking-engine.ts'
import { config, readReport, verdicts } from '../support/eval-project.ts'
import { undecidedKinds } from '../support/model-judge.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'

/** A judge that gives full marks. */
function perfect(body: string): string {
  const nonce = /nonce: ([0-9a-f]{32})/.exec(body)?.[1] ?? ''
  const kinds = undecidedKinds(body, nonce)
  if (kinds !== null) return kinds
  const scored = { justification: 'Says 9.', evidence: [{ item: '', quote: 'At 9.' }], looked_for: [], score: 5 }
  const nothing = { hard_fails: [], factual_checks: [], orders: '' }
  return JSON.stringify({ nonce, tone: scored, accuracy: scored, ...nothing, overall: scored })
}

async function createClerk(judges: string): Promise<TestProject> {
  const project = await createProject(repositoryVitest(), {
    ...CLERK,
    'vitest.config.ts': config(`{ sandbox: 'none', engines: ${ASKS_ENGINE} }`),
    'clerk/evals/judge.md': JUDGE.replace(/cross_family:[^]*?strict_mode/, `${judges}\nstrict_mode`),
    'clerk/evals/golden/happy/001_hours.md': golden('001_hours'),
    ...ASKS,
  })
  await writeAskingProgram(project)
  return project
}

const LISTED = 'cross_family:\n    - claude-sonnet-5\n  same_family_fallback:\n    - gpt-5.2'
// Nobody listens there.
const NOWHERE = 'http://127.0.0.1:1'

// It took 96 seconds, since every client tried again, and longer than this test may take.
test(
  'a judge that is not reachable falls back to the next at once, without a warning of Node',
  { timeout: 90_000 },
  async () => {
    await using api = await startChatApi((body) => (body.includes('SESSION ') ? 'At 9.' : perfect(body)))
    await using project = await createClerk(LISTED)
    const { AGENT_EVALS_JUDGE: _, ...own } = api.env
    const env = { ...own, ANTHROPIC_BASE_URL: NOWHERE, ANTHROPIC_API_KEY: 'sk-real-1234567890' }
    const { all } = await project.agentEvals(['run', 'clerk', '--live'], { env, merged: true })
    const report = await readReport(project, 'clerk/evals/reports')
    expect(verdicts(report), all).toEqual(['happy/001_hours PASS'])
    expect(JSON.stringify(report)).toContain('The judge claude-sonnet-5 could not be asked, so gpt-5.2 judged: ')
    expect(JSON.stringify(report)).toContain('The API at 127.0.0.1:1 cannot be reached (ECONNREFUSED)')
    expect(all).not.toContain('MaxListeners')
  },
)

test('where no judge can be reached, the message names each and why not, before the agent costs anything', async () => {
  await using api = await startChatApi()
  await using project = await createClerk(`${LISTED}\n    - claude-opus-4-8`.replace('gpt-5.2', 'claude-sonnet-4-6'))
  const { AGENT_EVALS_JUDGE: _, ...env } = api.env
  const { all } = await project.agentEvals(['run', 'clerk', '--live'], { env, merged: true })
  const [one] = (await readReport(project, 'clerk/evals/reports')).cases
  expect(one?.error, all).toMatch(/^No judge can be asked:\n/)
  for (const model of ['claude-sonnet-5', 'claude-sonnet-4-6', 'claude-opus-4-8'])
    expect(one?.error).toMatch(new RegExp(`anthropic:${model}: needs ANTHROPIC_API_KEY`))
  expect(api.asked).toEqual([])
  expect(all).not.toContain('MaxListeners')
})

test('a budget that pays for no first request skips every test, and the summary flags it', async () => {
  await using api = await startChatApi((body) => (body.includes('SESSION ') ? 'At 9.' : perfect(body)))
  await using project = await createClerk(LISTED)
  const { AGENT_EVALS_JUDGE: _, ...env } = api.env
  const args = ['run', 'clerk', '--live', '--model', 'gpt-4.1-mini', '--max-cost-usd', '0.0000001']
  const { all, exitCode } = await project.agentEvals(args, { env, merged: true })
  const report = await readReport(project, 'clerk/evals/reports')
  expect([verdicts(report), report.status, exitCode], all).toEqual([['happy/001_hours SKIP'], 'partial', 2])
  expect(all).toContain('Partial: 1 of 1 test was not run: The budget of $')
  expect(api.asked).toEqual([])
})
