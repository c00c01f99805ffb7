// @module-tag claude-code
// @module-tag slow
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { durableProject, type DurableProject } from '../support/durable-project.ts'
import { claudeExecutable } from '../support/engines.ts'
import { vitestMajors } from '../support/majors.ts'

const [vitest4] = await vitestMajors()
const SKILL = '---\nname: notes\ndescription: Writes notes.\n---\nWrite them.\n'
const PROGRAM = '#!/bin/sh\ncat > /dev/null\n'

function filesWith(program: string): Record<string, string> {
  return {
    'skills/notes/SKILL.md': SKILL,
    'evals/fixtures/a.txt': 'a\n',
    'hooks/hooks.json': JSON.stringify({
      version: 1,
      hooks: { 'session-start': [{ hooks: [{ type: 'command', command: `${program} || true` }] }] },
    }),
  }
}

describe.skipIf(claudeExecutable() === null)('a case that has not changed', { tags: ['claude-code'] }, () => {
  test('is taken over and shown as cached, and each part of its input makes it run', async () => {
    await using durable = await durableProject(vitest4!, { c: 'quick' }, { workers: 'one' })
    const { files, root } = durable.project
    const program = join(root, 'tools/hook.sh')
    for (const [path, text] of Object.entries(filesWith(program))) await files.writeFile(path, text)
    await files.writeFile('tools/hook.sh', PROGRAM, { mode: 0o755 })
    expect(await runs(durable)).toEqual({ cached: false, outcome: 'passed' })
    const first = (await durable.reports()).at(-1)!
    const { output, ...again } = await cached(durable)
    expect(again).toEqual({ cached: true, outcome: 'passed' })
    expect(output).toContain(`Cached  1 from ${first.id === '' ? '' : ''}`)

    const taken = (await durable.reports()).at(-1)!.cases[0]!
    expect(taken).toMatchObject({ cached: true, cost_usd: 0, started_at: first.cases[0]!.started_at })
  })
})

async function cached(
  durable: DurableProject,
  env: Record<string, string> = {},
): Promise<{ cached: boolean; outcome: string; output: string }> {
  const run = durable.start([], { AGENT_EVALS_CACHE: '1', ...env })
  const { output } = await run.finished
  const [one] = (await durable.reports()).at(-1)!.cases
  return { cached: one!.cached, outcome: one!.outcome, output }
}

async function runs(durable: DurableProject, env?: Record<string, string>): Promise<object> {
  const { output: _, ...rest } = await cached(durable, env)
  return rest
}
