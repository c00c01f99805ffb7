// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { PACKAGE, readReports, verdicts } from '../support/eval-project.ts'

const major = repositoryVitest()

const FILE = `import { expect, test } from 'vitest-agent-evals/test'

test('goes-on', async ({ agent }) => {
  const draft = await agent.run('Write a haiku into haiku.txt.', { files: ['theme.txt'] })
  expect(draft).toHaveCreatedFile('haiku.txt')
  const sea = await agent.continue(draft, 'Make it about the sea.')
  expect(sea).toHaveModifiedFile('haiku.txt')
  expect(sea).not.toHaveCreatedFile('haiku.txt')
  expect(sea).toHaveCalledTool('Bash', { times: 1 })
  await expect(sea).toPassJudge('It speaks of the sea.')
  await expect(sea).not.toPassJudge('It speaks of snow.')
  const snow = await agent.continue(draft, 'Make it about snow.')
  expect(snow).toContainOutput('two lines')
  expect(snow.sessionId).not.toBe(null)
})
`

const SCENARIOS = {
  'evals/scenarios/goes-on.yaml': turns('printf "old pond\\nfrog\\n" > haiku.txt; cat theme.txt', 'Written.'),
  'evals/scenarios/goes-on-2.yaml': JSON.stringify({
    turns: [
      { tools: [{ name: 'Bash', input: { command: 'echo sea >> haiku.txt; cat haiku.txt' } }] },
      'It is of the sea.',
    ],
    judge: [
      [{ verdict: 'pass', reason: 'It does.', quote: 'It is of the sea.' }],
      [{ verdict: 'fail', reason: 'It does not.', quote: 'It is of the sea.' }],
    ],
  }),
  // It begins where the draft ended, whatever was made of that since.
  'evals/scenarios/goes-on-3.yaml': turns('cat haiku.txt; test "$(wc -l < haiku.txt)" = 2', 'I found two lines.'),
}

function turns(command: string, text: string): string {
  return JSON.stringify({ turns: [{ tools: [{ name: 'Bash', input: { command } }] }, text] })
}

test('a session that goes on is recorded and replayed, its judges too', { tags: ['claude-code'] }, async () => {
  if (major === undefined) throw new Error('No Vitest is installed.')
  await using project = await createProject(major, {
    ...PACKAGE,
    ...SCENARIOS,
    'evals/hand.eval.ts': FILE,
    'evals/theme.txt': 'ponds\n',
  })
  const run = async (source: string): Promise<readonly string[]> => {
    const { all } = await project.run(['run', '--project', 'evals'], {
      merged: true,
      env: { AGENT_EVALS_SOURCE: source },
    })
    const report = (await readReports(project)).at(-1)
    if (report === undefined) throw new Error(all)
    return [...verdicts(report), ...report.cases.flatMap(({ source: from, runs }) => [`${from} ${runs.length}`])]
  }

  expect(await run('record')).toEqual(['goes-on PASS', 'record 3'])
  expect(await recordings(project)).toEqual(['goes-on', 'goes-on-2', 'goes-on-3'])
  await project.files.rm('evals/scenarios')
  expect(await run('replay')).toEqual(['goes-on PASS', 'replay 3'])

  const edit = (from: string, to: string): Promise<unknown> =>
    project.files.writeFile('evals/hand.eval.ts', FILE.replace(from, to))
  await edit('It speaks of the sea.', 'It rhymes.')
  expect(await run('replay')).toEqual(['goes-on ERROR missing-answers', 'replay 2'])
  await edit('Make it about the sea.', 'Make it about a lake.')
  expect(await run('replay')).toEqual(['goes-on ERROR stale', 'replay 2'])
})

function recordings({ root }: TestProject): Promise<readonly string[]> {
  return readdir(join(root, 'evals/recordings/hand.eval')).then((names) => names.toSorted())
}
