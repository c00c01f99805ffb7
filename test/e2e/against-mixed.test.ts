// @module-tag claude-code
// @module-tag slow
import { cp, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import type { Report } from '../../src/report/report.ts'
import { config } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { startMessagesServer } from '../support/messages-server.ts'
import { describeEvals } from '../support/package-run.ts'
import { readPageBlocks } from '../support/page-blocks.ts'
import { createProject } from '../support/project.ts'
import type { FinishedProcess } from '../support/running-process.ts'
import { skill } from '../support/skill-project.ts'

const SKILL = 'skills/notes/SKILL.md'
const LOOK = { name: 'Bash', input: { command: 'cat .claude/skills/*/SKILL.md > seen.txt' } }
const WHY = 'No p-value: authors commit recordings that pass, so live and replayed runs are not drawn alike.'

describeEvals('run --against something whose answers are of another kind', () => {
  test('shows both outcomes without a p-value, and says why', async () => {
    await using upstream = await startMessagesServer(({ index }) =>
      index === 0 ? { tools: [LOOK] } : { text: 'Done.' },
    )
    await using project = await createProject(repositoryVitest(), {
      'vitest.config.ts': config("{ sandbox: 'prefer' }"),
      [SKILL]: skill('notes', 'Writes kind notes.'),
      'skills/notes/evals/evals.json': JSON.stringify({
        evals: [
          {
            id: 'one',
            prompt: 'Write.',
            expectations: [{ 'file-contains': { path: 'seen.txt', text: 'kind notes' } }],
          },
        ],
      }),
    })
    await using older = await createFixture({})
    const { root } = project
    const run = (...args: readonly string[]): Promise<FinishedProcess> =>
      project.agentEvals(['run', 'skills', ...args], {
        merged: true,
        env: {
          ANTHROPIC_BASE_URL: upstream.url,
          ANTHROPIC_API_KEY: 'sk-ant-api03-scripted',
          AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
          AGENT_EVALS_MAX_COST_USD: '1000',
        },
      })
    const read = async (file: string): Promise<Report> => JSON.parse(await readFile(join(root, file), 'utf8')) as Report

    const recorded = await run('--record', '-o', 'before.json')
    expect(recorded.exitCode, recorded.all).toBe(0)
    const asked = upstream.requests.length

    // A report of live runs, and a replay.
    const replayed = await run(
      '--source',
      'replay',
      '--against',
      'before.json',
      '--gate',
      '-o',
      'a.json',
      '--html=a.html',
    )
    expect([replayed.exitCode, upstream.requests.length], replayed.all).toEqual([2, asked])
    expect(replayed.all).toContain('This gate cannot pass: 1 case will be live on one side only.')
    expect(replayed.all).toMatch(/\? one +mixed +passed, 1 of 1, \$\S+, \S+ s +→ +passed, 1 of 1, \$\S+, \S+ s/)
    expect(replayed.all).toContain(`live before, replayed after. ${WHY}`)
    await check('a', 'before.json', { before: ['passed', 'record'], after: ['passed', 'replay'] })

    // A folder with its recording, and a skill for which today's recording is stale.
    await cp(root, older.path, {
      recursive: true,
      filter: (path) => !['node_modules', '.vitest', 'before.json', 'a.json', 'a.html'].includes(basename(path)),
    })
    await writeFile(join(root, SKILL), skill('notes', 'Writes harsh notes.'))
    const live = await run('--against', older.path, '-o', 'b.json', '--html=b.html')
    expect(live.exitCode, live.all).toBe(1)
    expect(upstream.requests.length).toBeGreaterThan(asked)
    expect(live.all).toMatch(
      /\? one +mixed +passed, 1 of 1, \$\S+, \S+ s +→ +failed, 0 of 1, \$\S+, \S+ s +-100 points/,
    )
    expect(live.all).toContain(`replayed before, live after. ${WHY}`)
    await check('b', older.path, { before: ['passed', 'replay'], after: ['failed', 'record'] })
    expect((await read('b.json')).against?.texts).toMatchObject([
      { before: 'Writes kind notes.', after: 'Writes harsh notes.', seen: true },
    ])

    async function check(name: string, ref: string, arms: Readonly<Record<'after' | 'before', readonly string[]>>) {
      const { against } = await read(`${name}.json`)
      expect(against?.ref).toBe(ref)
      expect(against?.result).toMatchObject({ verdict: 'incomplete', pooled: null })
      const [one, ...others] = against?.result.cases ?? []
      expect(others).toEqual([])
      expect(one).toMatchObject({ name: 'one', status: 'mixed', p_value: null, adjusted_p_value: null, interval: null })
      expect(one?.why).toContain(WHY)
      expect([one?.before?.outcome, one?.before?.answers]).toEqual(arms.before)
      expect([one?.after?.outcome, one?.after?.answers]).toEqual(arms.after)
      const [page] = readPageBlocks(await readFile(join(root, `${name}.html`), 'utf8')).overview.reports
      expect(page?.against).toMatchObject({ ...against })
    }
  })
})
