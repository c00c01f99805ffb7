// @module-tag claude-code
// @module-tag slow
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { config, readReport } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { startMessagesServer } from '../support/messages-server.ts'
import { createProject } from '../support/project.ts'
import { rerunBy } from '../support/rerun-by.ts'

const says = (pattern: string): string => `---\ntype: regex\n---\n${pattern}\n`
const scenario = JSON.stringify({ turns: ['Hello, reader.'] })

const FILES = {
  'vitest.config.ts': config("{ sandbox: 'prefer' }"),
  '.claude-plugin/plugin.json': '{ "name": "greeter", "version": "1.0.0" }\n',
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n',
  'evals/one/prompt.md': '---\nruns: 1\n---\nGreet the reader.\n',
  'evals/one/graders/says.md': says('Hello'),
  'evals/group/two/prompt.md': '---\nruns: 1\n---\nGreet the other reader.\n',
  'evals/group/two/graders/says.md': says('Hello'),
  'evals/scenarios/one.yaml': scenario,
  'evals/scenarios/one.without_skill.yaml': scenario,
  'evals/scenarios/group/two.yaml': scenario,
  'evals/scenarios/group/two.without_skill.yaml': scenario,
}

test('an edit of a grader runs its case again from the recording, and no other', async () => {
  await using model = await startMessagesServer(() => ({ text: 'Nothing may ask.' }))
  await using project = await createProject(repositoryVitest(), FILES)
  const recorded = await project.run(['run', '--project', 'evals'], { env: { AGENT_EVALS_SOURCE: 'record' } })
  expect(recorded.exitCode, recorded.all).toBe(0)
  for (const folder of ['scenarios', 'reports']) await rm(join(project.root, 'evals', folder), { recursive: true })

  const env = { ANTHROPIC_API_KEY: 'sk-ant-real-0123456789', ANTHROPIC_BASE_URL: model.url }
  const watching = project.start(['--watch', '--project', 'evals', '--reporter=verbose'], { env })
  await watching.waitFor(/for file changes/)
  // As an editor that writes in place: without its words the grader makes no case of its folder.
  const save = async (path: string, text: string): Promise<void> => {
    await project.files.writeFile(path, '')
    await sleep(20)
    await project.files.writeFile(path, text)
  }
  const edit = async (path: string, text: string): Promise<readonly string[]> =>
    (await rerunBy(watching, () => save(path, text))).toSorted()
  const verdicts = async (): Promise<readonly string[]> =>
    (await readReport(project)).cases
      .map(({ file, arm, verdict, source }) => `${file}${arm === null ? '' : ` ${arm}`} ${verdict} ${source}`)
      .toSorted()

  expect(await edit('evals/one/graders/says.md', says('Goodbye')), watching.output()).toEqual([
    'one',
    'one (without_skill)',
  ])
  // The report is written after that line.
  await expect
    .poll(verdicts, { timeout: 60_000 })
    .toEqual([
      'evals/group/two/prompt.md PASS replay',
      'evals/group/two/prompt.md without_skill PASS replay',
      'evals/one/prompt.md FAIL replay',
      'evals/one/prompt.md without_skill FAIL replay',
    ])
  // A second grader is a new file.
  expect(await edit('evals/group/two/graders/more.md', says('reader'))).toEqual(['two', 'two (without_skill)'])
  watching.send('SIGINT')
  expect((await watching.finished).all).not.toContain('Unhandled')
  expect(model.requests).toHaveLength(0)
})
