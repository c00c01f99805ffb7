// What a replayed case (8 requests, 5 tools) takes beyond the CLI's own time, one after the other.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG, createProject, startVitest, timeOf, vitestOf } from './shared/project.mjs'

const CASES = 6

export async function bench() {
  const vitest = await vitestOf(4)
  const turns = Array.from({ length: 7 }, (_, index) =>
    index < 5
      ? { tools: [{ name: 'Bash', input: { command: `echo ${index}`, description: 'Say a number' } }] }
      : { tools: [{ name: 'Read', input: { file_path: '${WORKSPACE}/a.txt' } }] },
  )
  const files = {
    'vitest.config.js': CONFIG("{ sandbox: 'prefer', concurrency: 1 }"),
    'package.agent.json': '{"name": "b", "version": "1.0.0"}',
  }
  for (let index = 0; index < CASES; index += 1) {
    files[`evals/cases/c${index}.yaml`] = JSON.stringify({
      name: `c${index}`,
      input: { prompt: 'Count.', 'workspace-files': [{ path: 'a.txt', content: 'a' }] },
      expected: { contains: ['done'] },
      judge: { criteria: 'It counts.' },
    })
    files[`evals/scenarios/c${index}.yaml`] = JSON.stringify({
      turns: [...turns, 'done'],
      judge: [[{ verdict: 'pass', reason: 'It did.', quote: 'done' }]],
    })
  }
  const project = createProject(files, vitest)
  try {
    const args = ['run', '--project', 'evals', '--reporter=dot']
    await timeOf(startVitest(project, args, { AGENT_EVALS_SOURCE: 'record', VITEST_AGENT_EVALS_RECORD_SCENARIOS: '1' }))
    const one = await timeOf(startVitest(project, [...args, '-t', 'c0$'], { AGENT_EVALS_SOURCE: 'replay' }))
    const all = await timeOf(startVitest(project, args, { AGENT_EVALS_SOURCE: 'replay' }))
    const cli = newestReport(project.root).cases.flatMap(({ runs }) =>
      runs.map((run) => run.duration_ms ?? run.duration_seconds * 1000),
    )
    const own = cli.reduce((sum, ms) => sum + ms, 0) / cli.length
    const value = (all - one) / (CASES - 1)
    return [
      { what: 'the CLI in a replayed case of 8 requests', value: own, unit: 'ms', reach: null },
      { what: 'a replayed case of 8 requests', value, unit: 'ms', reach: null },
      { what: "a replayed case of 8 requests against the CLI's own time", value: value / own, unit: 'x', reach: 1.1 },
    ]
  } finally {
    project.dispose()
  }
}

function newestReport(root) {
  const folder = join(root, 'evals/reports')
  const newest = readdirSync(folder).toSorted().at(-1)
  return JSON.parse(readFileSync(join(folder, newest), 'utf8'))
}
