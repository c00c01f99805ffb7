// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { startUpstream, type UpstreamAnswer } from '../support/upstream.ts'
import { caseOf, runEvals, SKILLS } from '../support/skill-project.ts'

const major = repositoryVitest()
const CONCURRENCY = 5
/** Each query is run three times. */
const RUNS = 15

test(
  '15 trigger runs in sessions of their own are never more at once than `concurrency`, and so many where they can be',
  { tags: ['claude-code'], timeout: 600_000 },
  async () => {
    const queries = Array.from({ length: RUNS / 3 }, (_, index) => {
      const isNote = index % 2 === 0
      return { id: `q${index}`, query: isNote ? `Note number ${index}.` : `Sing ${index}.`, should_trigger: isNote }
    })
    const sessions = watchSessions()
    await using upstream = await startUpstream(sessions.answer)
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/triggers.json': JSON.stringify(queries),
    })
    const { report, all } = await runEvals(project, [], {
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_TRIGGERS: 'full',
      AGENT_EVALS_CONCURRENCY: String(CONCURRENCY),
      // A budget counts what is expected of open requests: a small one would refuse some.
      AGENT_EVALS_MAX_COST_USD: '1000',
      ANTHROPIC_API_KEY: 'sk-ant-real-0123456789',
      ANTHROPIC_BASE_URL: upstream.url,
    })
    const seen = queries.map(({ query, should_trigger: should }) => {
      const { verdict, trigger } = caseOf(report, query)
      return [verdict, trigger?.completed, trigger?.fired === (should ? 3 : 0)]
    })
    expect(seen, all).toEqual(queries.map(() => ['PASS', 3, true]))
    expect([sessions.started(), sessions.most()]).toEqual([RUNS, CONCURRENCY])
  },
)

/**
 * An upstream that holds the first request of each session until so many wait as may be there at once. One more would
 * come while they are held.
 */
function watchSessions(): {
  readonly answer: (body: string) => Promise<UpstreamAnswer>
  readonly started: () => number
  readonly most: () => number
} {
  const held: (() => void)[] = []
  let started = 0
  let most = 0
  const release = (): void => held.splice(0).forEach((letGo) => letGo())
  return {
    async answer(body) {
      if (body.includes('"tool_result"')) return { stream: 'Noted', rest: '.' }
      started += 1
      const isOver = new Promise<void>((resolve) => held.push(resolve))
      most = Math.max(most, held.length)
      if (held.length >= CONCURRENCY || started === RUNS) setTimeout(release, 300)
      await isOver
      return /Note number/.test(body) ? { tool: 'Skill', input: { skill: 'notes' } } : { stream: 'La ', rest: 'la.' }
    },
    started: () => started,
    most: () => most,
  }
}
