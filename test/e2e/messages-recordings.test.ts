// @module-tag no-engine
// @module-tag slow
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { CLERK, golden } from '../support/agent-fixture.ts'
import { readReport, verdicts } from '../support/eval-project.ts'
import { undecidedKinds } from '../support/model-judge.ts'
import { startMessagesServer, type ReceivedRequest, type Turn } from '../support/messages-server.ts'
import type { Report } from '../../src/report/report.ts'

/** The clerk says when the shop opens; as judge, which is told a nonce, the model approves of it. */
function clerk({ body }: ReceivedRequest): Turn {
  const asked = JSON.stringify(body.messages)
  const nonce = /nonce: ([0-9a-f]{32})/.exec(asked)?.[1]
  if (nonce === undefined) return { text: 'We open at 9.' }
  const kinds = undecidedKinds(asked, nonce)
  if (kinds !== null) return { text: kinds }
  const evidence = [{ item: '', quote: 'We open at 9.' }]
  const given = { score: 5, justification: 'Says 9.', evidence, looked_for: [] }
  const overall = { justification: 'Says 9.' }
  return { text: JSON.stringify({ nonce, tone: given, accuracy: given, hard_fails: [], overall, orders: '' }) }
}

test('a golden test is recorded from the API, replayed without a key, and stale once its vault is edited', async () => {
  await using api = await startMessagesServer(clerk)
  await using project = await createProject(repositoryVitest(), {
    ...CLERK,
    'clerk/memory/INDEX.md': '- [hours](hours.md)\n',
    'clerk/memory/hours.md': '---\nupdated: 2026-01-01\n---\nThe shop opens at 9.\n',
    'clerk/evals/golden/happy/001_hours.md': golden('001_hours'),
  })
  const run = async (env: NodeJS.ProcessEnv, ...args: string[]): Promise<{ report: Report; all: string }> => {
    await project.files.rm('clerk/evals/reports')
    const { all } = await project.agentEvals(['run', '--engine', 'messages', ...args, 'clerk'], { env, merged: true })
    const report = await readReport(project, 'clerk/evals/reports').catch((cause: unknown) => {
      throw new Error(all, { cause })
    })
    return { report, all }
  }
  const key = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-ant-real-0123456789' }

  const live = await run(key, '--record')
  expect(verdicts(live.report), live.all).toEqual(['happy/001_hours PASS'])
  expect(live.report.cases[0]).toMatchObject({ source: 'record', weighted_score: 5, scores: { tone: 5, accuracy: 5 } })
  // No credential for the family of gpt, so the fallback of judge.md judged.
  expect(live.report.cases[0]?.judge_verdict?.model).toBe('claude-sonnet-5')
  // The agent's answer, what the rubric is about, and the scores.
  expect(api.requests).toHaveLength(3)
  const recordings = join(project.root, 'clerk/evals/recordings/golden/happy/001_hours')
  expect(await readdir(recordings)).toEqual(['messages.1.json'])

  const replayed = await run({}, '--source', 'replay')
  expect(verdicts(replayed.report), replayed.all).toEqual(['happy/001_hours PASS'])
  expect(replayed.report.cases[0]).toMatchObject({ source: 'replay', cost_usd: 0, weighted_score: 5 })
  expect(replayed.report.cases[0]?.vault_hash).toBe(live.report.cases[0]?.vault_hash)
  expect(api.requests).toHaveLength(3)

  await project.files.writeFile('clerk/memory/hours.md', '---\nupdated: 2026-01-01\n---\nThe shop opens at 10.\n')
  const stale = await run({}, '--source', 'replay')
  expect(verdicts(stale.report), stale.all).toEqual(['happy/001_hours ERROR stale'])
  expect(stale.report.cases[0]?.error).toContain('memory/hours.md')
  expect(stale.report.cases[0]?.vault_hash).toMatch(/^[0-9a-f]{64}$/)
  expect(stale.report.cases[0]?.vault_hash).not.toBe(live.report.cases[0]?.vault_hash)
})
