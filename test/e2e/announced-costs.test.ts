// @module-tag no-engine
// @module-tag slow
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ASKS, ASKS_ENGINE, startChatApi, writeAskingProgram } from '../support/asking-engine.ts'
import { config } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { skill } from '../support/skill-project.ts'

const CASE = 'skills/pricing/evals/cases/graded/case.yaml'

/** A case that no judge decides. */
function graded(prompt: string): string {
  return `schema_version: "1.1"\nname: graded\nexecution: { prompt: ${prompt} }\ngraders:\n  - { type: regex, name: says, pattern: hello }\n`
}

test('what goes live, and what it costs by recordings, is announced also where only a stale recording makes it so', async () => {
  await using api = await startChatApi()
  await using project = await createProject(repositoryVitest(), {
    'vitest.config.ts': config(`{ sandbox: 'none', engines: ${ASKS_ENGINE} }`),
    'package.agent.json': '{ "name": "sample", "version": "1.0.0" }',
    'skills/pricing/SKILL.md': skill('pricing', 'Sets prices.'),
    [CASE]: graded('Say hello.'),
    ...ASKS,
  })
  await writeAskingProgram(project)
  const run = async (...flags: readonly string[]): Promise<readonly [announced: string | undefined, sent: number]> => {
    // Its reports would say what it cost.
    await rm(join(project.root, 'evals/reports'), { recursive: true, force: true })
    api.asked.length = 0
    const line = ['run', 'graded', '--runs', '1', '--ablation', 'none', ...flags]
    const { all } = await project.agentEvals(line, { env: api.env, merged: true })
    return [/agent-evals: (\d+ cases? go.*?), at most .*\nagent-evals: model: .*/.exec(all)?.[0], api.asked.length]
  }
  const announced = (cases: string, cost: string): unknown =>
    expect.stringMatching(
      new RegExp(
        `^agent-evals: ${cases}; estimated cost ${cost}, at most \\$10\\.00 \\(--max-cost-usd\\); --source replay never spends\\nagent-evals: model: gpt-4\\.1-mini; judge: none$`,
      ),
    )
  const byRecording = '\\$0\\.0+\\d by earlier runs and recordings'

  expect(await run('--record')).toEqual([announced('1 case goes live', 'unknown'), 1])
  expect(await run('--live')).toEqual([announced('1 case goes live', byRecording), 1])
  expect(await run()).toEqual([undefined, 0])
  await writeFile(join(project.root, CASE), graded('Say hello again.'))
  expect(await run('--source', 'replay')).toEqual([undefined, 0])
  expect(await run()).toEqual([announced('1 case goes live if its recording is stale', byRecording), 1])
  expect(await run()).toEqual([undefined, 0])
})
