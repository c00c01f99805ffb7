// @module-tag claude-code
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { glob } from 'tinyglobby'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { scenarioFile } from '../support/package-run.ts'
import { createProject } from '../support/project.ts'
import type { FinishedProcess } from '../support/running-process.ts'
import { startUpstream } from '../support/upstream.ts'
import { skill, SKILLS } from '../support/skill-project.ts'

const major = repositoryVitest()

test(
  'a trigger query is recorded up to the use of the skill, and only what was seen by then makes it stale',
  { tags: ['claude-code', 'slow'] },
  async () => {
    const call = { tool: 'Skill', input: { skill: 'notes' } }
    await using upstream = await startUpstream([call, { hangs: true }])
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/triggers.json': JSON.stringify([{ id: 'q', query: 'Note this.', should_trigger: true }]),
    })
    const key = { ANTHROPIC_API_KEY: 'sk-ant-real-0123456789', ANTHROPIC_BASE_URL: upstream.url }
    const run = async (env: Record<string, string>, exitCode: number): Promise<string> => {
      const finished = await project.run(['run', '--project', 'evals'], { env: { AGENT_EVALS_RUNS: '1', ...env } })
      expect(finished.exitCode, finished.all).toBe(exitCode)
      return finished.all
    }

    // The upstream never gives a second answer: had the run not been ended, it would wait for it.
    await run(key, 0)
    const [file = ''] = await glob('evals/recordings/**/*.json', { cwd: project.root })
    const recording = JSON.parse(await readFile(join(project.root, file), 'utf8')) as unknown
    expect(recording).toMatchObject({
      origin: 'claude-upstream-1',
      lanes: [{ lane: 'main', turns: [{ answer: { content: [{ kind: 'tool-call', name: 'Skill' }] } }] }],
    })
    const asked = upstream.requests.length

    await project.files.writeFile('skills/notes/SKILL.md', skill('notes', DESCRIPTION, 'Do it otherwise.'))
    await run({}, 0)
    await project.files.writeFile('skills/notes/SKILL.md', skill('notes', 'Sings.'))
    const output = await run({ CI: 'true' }, 1)
    expect(output).toMatch(/SKILL\.md \(description\) has changed since the model saw it/)
    expect(upstream.requests.length).toBe(asked)
  },
)

test(
  'the instructions of the project that an eval gets a copy of make its recording stale',
  { tags: ['slow'] },
  async () => {
    await using project = await createProject(major, {
      ...SKILLS,
      'CLAUDE.md': 'Always be brief.\n',
      'README.md': 'About notes.\n',
      'skills/notes/evals/evals.json': JSON.stringify([
        { id: 'one', prompt: 'Note this.', expectations: ['It answers'] },
      ]),
      'evals/scenarios/one.yaml': scenarioFile(['Noted.']),
    })
    const run = (source: string): Promise<FinishedProcess> =>
      project.run(['run', '--project', 'evals'], { env: { AGENT_EVALS_SOURCE: source } })
    expect((await run('record')).exitCode).toBe(0)
    await project.files.rm('evals/scenarios')
    // The model never saw this one.
    await project.files.writeFile('README.md', 'About letters.\n')
    expect((await run('replay')).exitCode).toBe(0)
    await project.files.writeFile('CLAUDE.md', 'Always be long.\n')
    expect((await run('replay')).all).toMatch(/stale: CLAUDE\.md .* has changed since the model saw it/)
  },
)

const DESCRIPTION = 'Writes release notes. Use it for release notes.'
