// @module-tag claude-code
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { glob } from 'tinyglobby'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { startUpstream } from '../support/upstream.ts'
import { skill, SKILLS } from '../support/skill-project.ts'

const DESCRIPTION = 'Writes release notes. Use it for release notes.'
const QUERY = 'Note this.'

test('a query is recorded up to the use of the skill, and recordings are stale by what was seen, such as the instructions of the project', async () => {
  let asked = 0
  await using upstream = await startUpstream((body) => {
    if (!body.includes(QUERY)) return Promise.resolve({ text: 'Noted.' })
    asked += 1
    // There is no second answer: had the run not been ended, it would wait for it.
    return Promise.resolve(asked === 1 ? { tool: 'Skill', input: { skill: 'notes' } } : { hangs: true })
  })
  await using project = await createProject(repositoryVitest(), {
    ...SKILLS,
    'CLAUDE.md': 'Always be brief.\n',
    'README.md': 'About notes.\n',
    'skills/notes/evals/triggers.json': JSON.stringify([{ id: 'q', query: QUERY, should_trigger: true }]),
    'skills/notes/evals/evals.json': JSON.stringify([
      { id: 'one', prompt: 'Write it down.', expectations: [{ contains: 'Noted' }] },
    ]),
  })
  const run = async (env: Record<string, string>, exitCode: number): Promise<string> => {
    const finished = await project.run(['run', '--project', 'evals'], { env: { AGENT_EVALS_RUNS: '1', ...env } })
    expect(finished.exitCode, finished.all).toBe(exitCode)
    return finished.all
  }

  await run({ ANTHROPIC_API_KEY: 'sk-ant-real-0123456789', ANTHROPIC_BASE_URL: upstream.url }, 0)
  const files = await glob('evals/recordings/**/*.json', { cwd: project.root })
  const recordings = await Promise.all(files.map((file) => readFile(join(project.root, file), 'utf8')))
  expect(recordings).toHaveLength(2)
  expect(JSON.parse(recordings.find((text) => text.includes('"Skill"')) ?? '')).toMatchObject({
    origin: 'claude-upstream-1',
    lanes: [{ lane: 'main', turns: [{ answer: { content: [{ kind: 'tool-call', name: 'Skill' }] } }] }],
  })
  const requests = upstream.requests.length

  // The model never saw these.
  await project.files.writeFile('skills/notes/SKILL.md', skill('notes', DESCRIPTION, 'Do it otherwise.'))
  await project.files.writeFile('README.md', 'About letters.\n')
  await run({}, 0)
  await project.files.writeFile('CLAUDE.md', 'Always be long.\n')
  expect(await run({ AGENT_EVALS_SOURCE: 'replay' }, 1)).toMatch(
    /stale: CLAUDE\.md:1 .* has changed since the model saw it/,
  )
  await project.files.writeFile('CLAUDE.md', 'Always be brief.\n')
  await project.files.writeFile('skills/notes/SKILL.md', skill('notes', 'Sings.'))
  expect(await run({ CI: 'true' }, 1)).toMatch(/SKILL\.md:3 \(description\) has changed since the model saw it/)
  expect(upstream.requests.length).toBe(requests)
})
