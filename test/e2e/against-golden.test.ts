// @module-tag no-engine
// @module-tag slow
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Report } from '../../src/report/report.ts'
import { CLERK, golden, RUBRIC } from '../support/agent-fixture.ts'
import { verdicts } from '../support/eval-project.ts'
import { initialize } from '../support/git.ts'
import { repositoryVitest } from '../support/majors.ts'
import { startMessagesServer, type ReceivedRequest, type Turn } from '../support/messages-server.ts'
import { createProject } from '../support/project.ts'

test('golden tests compare an agent with what it was, by the rubric and the test of today', async () => {
  await using upstream = await startMessagesServer((request) => judged(request) ?? spoken(request))
  await using project = await createProject(repositoryVitest(), {
    ...Object.fromEntries(Object.entries(CLERK).map(([path, text]) => [`agents/${path}`, text])),
    'agents/clerk/evals/golden/happy/001_hours.md': golden('001_hours').replace('"When', '"Yesterday'),
    'agents/clerk/evals/rubric.md': RUBRIC.replace('Right.', 'Outdated.'),
  })
  const { root } = project
  initialize(root)
  await writeFile(join(root, 'agents/clerk/persona/SOUL.md'), 'Rude.\n')
  await writeFile(join(root, 'agents/clerk/memory/hours.md'), '10 to 5\n')
  await writeFile(join(root, 'agents/clerk/evals/golden/happy/001_hours.md'), golden('001_hours'))
  await writeFile(join(root, 'agents/clerk/evals/rubric.md'), RUBRIC)

  const env = { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-ant-api03-scripted' }
  const flags = ['--agents-root', 'agents', '--engine', 'messages', '--live', '--judge', 'claude-sonnet-5']
  const { exitCode, all } = await project.agentEvals(
    ['run', 'clerk', ...flags, '--against', 'HEAD', '-o', 'out.json'],
    {
      merged: true,
      env: { ...env, AGENT_EVALS_MAX_COST_USD: '1000' },
    },
  )
  const report = JSON.parse(
    await readFile(join(root, 'out.json'), 'utf8').catch(() => {
      throw new Error(all)
    }),
  ) as Report
  expect(verdicts(report), all).toEqual(['happy/001_hours FAIL', 'happy/001_hours (variant) PASS'])
  expect(exitCode, all).toBe(1)
  expect(report.summary).toMatchObject({ total: 1, failed: 1 })

  // The agent's own files are of the version; what is asked of it, and by what it is judged, is today's in both.
  const texts = upstream.requests.map(({ body }) => JSON.stringify(body))
  const [asked, judges] = [false, true].map((isJudge) => texts.filter((text) => text.includes('nonce: ') === isJudge))
  expect(texts.filter((text) => text.includes('Outdated.'))).toEqual([])
  expect(judges?.some((text) => text.includes('Right.'))).toBe(true)
  expect(
    asked?.map((text) => [text.includes('Calm.'), text.includes('Rude.'), text.includes('When do you open')]),
  ).toEqual(
    expect.arrayContaining([
      [true, false, true],
      [false, true, true],
    ]),
  )
  expect(report.against?.result.cases).toMatchObject([{ status: 'compared', change: -1 }])
  expect(report.against?.edits.map(({ path, change }) => [path, change])).toEqual([
    ['memory/hours.md', 'changed'],
    ['persona/SOUL.md', 'changed'],
  ])
  expect(report.against?.texts).toMatchObject([
    { path: 'persona/SOUL.md', before: 'Calm.\n', after: 'Rude.\n', seen: true },
    { path: 'memory/hours.md', before: '9 to 5\n', after: '10 to 5\n', seen: true },
  ])
})

/** The agent, which is as calm as it is told to be. */
function spoken({ body }: ReceivedRequest): Turn {
  return { text: JSON.stringify(body).includes('Calm.') ? 'We open at 9.' : 'Find out.' }
}

/** A judge that gives full marks for an answer and the least for none; `null` for what is asked of the agent. */
function judged({ body }: ReceivedRequest): Turn | null {
  const text = JSON.stringify(body.messages)
  const nonce = /nonce: ([0-9a-f]{32})/.exec(text)?.[1]
  if (nonce === undefined) return null
  const isCalm = text.includes('We open at 9.')
  const quote = isCalm ? 'We open at 9.' : 'Find out.'
  const scored = {
    justification: 'As it says.',
    evidence: [{ item: '', quote }],
    looked_for: [],
    score: isCalm ? 5 : 1,
  }
  const nothing = { hard_fails: [], factual_checks: [], orders: '' }
  return { text: JSON.stringify({ nonce, tone: scored, accuracy: scored, ...nothing, overall: scored }) }
}
