// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag major
// @module-tag slow
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { vitestMajors } from '../support/majors.ts'
import { createStoryProject, readPlayed } from '../support/conformance/matrix.ts'
import { shapeOf } from '../support/conformance/shape.ts'
import { STORIES } from '../support/conformance/stories.ts'
import { endOf } from '../support/conformance/table.ts'

const bubblewrap = await probeBubblewrap(process.env)
const title = `every engine on vitest 5${bubblewrap.works ? '' : ` (skipped: ${bubblewrap.reason})`}`

// All stories and faults run on the repository's own Vitest. A slice shows that the major makes no difference.
describe.skipIf(!bubblewrap.works)(title, { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  test('has a test, a tag, a report and a place in JUnit of its own, and plays the same story', async () => {
    const story = STORIES.find(({ name }) => name === 'is-blocked-by-a-hook')!
    const major = (await vitestMajors()).find(({ major: one }) => one === 5)!
    await using stories = await createStoryProject([story], { sandbox: 'bubblewrap' }, major)
    const { project, engines, env } = stories
    const junit = ['--reporter', 'default', '--reporter', 'junit', '--outputFile.junit', 'junit.xml']
    const finished = await project.run(['run', '--project', 'evals', ...junit], { merged: true, env })
    const played = await readPlayed(stories, finished.all)
    for (const engine of engines) {
      const transcript = await played.transcriptOf(engine, story)
      expect([endOf(played.caseOf(engine, story)), shapeOf(transcript, engine)], engine.name).toEqual([
        story.ends,
        story.shape,
      ])
    }

    const names = engines.map(({ name }) => `${story.name} (${name})`)
    const xml = await readFile(join(project.root, 'junit.xml'), 'utf8')
    expect(
      names.filter((name) => !xml.includes(`name="${name}"`)),
      xml,
    ).toEqual([])
    const endings = (await readdir(join(project.root, 'evals/reports'))).map((file) => file.replace(/^[^.]*/, ''))
    expect(endings.toSorted()).toEqual(['.codex.json', '.copilot.json', '.json'])

    const tagged = ['run', '--project', 'evals', '--tags-filter', 'codex', '--reporter', 'verbose']
    const one = await project.run(tagged, { merged: true, env })
    const passed = one.all.split('\n').filter((line) => line.includes('✓'))
    expect(
      passed.map((line) => names.find((name) => line.includes(name))),
      one.all,
    ).toEqual([`${story.name} (codex)`])
  })
})
