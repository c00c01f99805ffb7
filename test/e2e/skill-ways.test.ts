// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { createStoryProject, readPlayed } from '../support/conformance/matrix.ts'
import { SKILL_WAYS, skillFiles, turnsOf } from '../support/conformance/skill-ways.ts'

const WAYS = 'each-way'
const COMMAND = 'command-of-a-skill'
const RUN = ['run', '--project', 'evals']

const bubblewrap = await probeBubblewrap(process.env)
const title = `the skills of a session${bubblewrap.works ? '' : ` (skipped: ${bubblewrap.reason})`}`

describe.skipIf(!bubblewrap.works)(title, { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  test('are those that it used or read, in each way on each engine', async () => {
    await using stories = await createStoryProject(
      [
        { name: WAYS, turns: (engine) => [...SKILL_WAYS.flatMap((way) => turnsOf(way, engine)), 'Done.'] },
        { name: COMMAND, prompt: `/${COMMAND} Begin.`, turns: () => ['Done.'] },
      ],
      { sandbox: 'bubblewrap', timeout: 400, concurrency: 3 },
      undefined,
      skillFiles([...SKILL_WAYS.map(({ name }) => name), COMMAND]),
    )
    const { engines, project, env } = stories
    const finished = await project.run(RUN, { merged: true, env })
    const played = await readPlayed(stories, finished.all)
    const usedBy = new Map(
      engines.map((engine) => {
        const [run] = played.caseOf(engine, { name: WAYS }).runs
        expect(run?.status, finished.all).toBe('completed')
        return [engine.name, new Set(run?.skills_used)]
      }),
    )

    const rows = SKILL_WAYS.map((way) => {
      const cells = engines.map((engine) => {
        const { name } = engine
        if (turnsOf(way, engine).length === 0) return `${name} no such tool`
        const isUsed = usedBy.get(name)?.has(way.name) === true
        return `${name} ${isUsed ? 'used' : '-'}${isUsed === way.uses.includes(way.name) ? '' : ' WRONG'}`
      })
      return `${way.name}: ${cells.join(', ')}`
    })
    const commands = engines.map((engine) => {
      const used = played.caseOf(engine, { name: COMMAND }).runs[0]?.skills_used ?? []
      // The others send the prompt to the model as it is.
      const expected = engine.name === 'claude-code' ? [COMMAND] : []
      return `${engine.name} ${used.join() || '-'}${used.join() === expected.join() ? '' : ' WRONG'}`
    })
    rows.push(`prompt that begins with its command: ${commands.join(', ')}`)
    console.log(`${rows.join('\n')}\n${rows.length} ways on ${engines.map(({ name }) => name).join(', ')}`)
    expect(rows.filter((row) => row.includes('WRONG'))).toEqual([])
    expect(rows.length).toBeGreaterThanOrEqual(30)
    expect(engines.length).toBeGreaterThan(0)
  })
})
