import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReportCase } from '../../src/report/report.ts'
import { createStoryProject, readTold, type StoryProject, type ToldStories } from './conformance/matrix.ts'
import { shapeOf } from './conformance/shape.ts'
import { STORIES, type Story } from './conformance/stories.ts'
import { endOf, formatTable, readDocTable } from './conformance/table.ts'

const HEADING = 'story'

describe('every engine', { tags: ['claude-code', 'codex'] }, () => {
  let stories: StoryProject
  let told: ToldStories

  beforeAll(async () => {
    stories = await createStoryProject(STORIES, { sandbox: 'prefer', timeout: 20, concurrency: 4 })
    const finished = await stories.project.run(['run', '--project', 'evals'], { merged: true, env: stories.env })
    told = await readTold(stories, finished.all)
  })
  afterAll(() => stories[Symbol.asyncDispose]())

  test.for(STORIES.map((story) => [story.name, story] as const))('%s', async ([, story]) => {
    const found = await Promise.all(
      stories.engines.map(async (engine) => {
        if (story.name in engine.cannot) return [engine.name, told.caseOf(engine, story).skip_reason]
        const transcript = await told.transcriptOf(engine, story)
        const texts = transcript.flatMap((event) => (event.kind === 'tool-result' ? [event.text] : [])).join('\n')
        return [
          engine.name,
          {
            ...reported(told.caseOf(engine, story), story),
            shape: shapeOf(transcript, engine),
            told: (story.told ?? []).filter((text) => texts.includes(text)),
          },
        ]
      }),
    )
    const expected = stories.engines.map((engine) => [engine.name, engine.cannot[story.name] ?? expectedOf(story)])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
  })

  test('has the same fields in its report', () => {
    const [first, ...others] = stories.engines
    for (const story of STORIES)
      for (const engine of others)
        expect([story.name, fieldsOf(told.caseOf(engine, story))]).toEqual([
          story.name,
          fieldsOf(told.caseOf(first!, story)),
        ])
  })

  test('has a column in the table of docs/engines.md', async () => {
    const table = {
      engines: stories.engines.map(({ name }) => name),
      rows: STORIES.map((story) => ({
        title: story.name.replaceAll('-', ' '),
        cells: stories.engines.map((engine) => endOf(told.caseOf(engine, story))),
      })),
    }
    console.log(formatTable(HEADING, table))
    expect(await readDocTable(HEADING, table.engines)).toEqual(table)
  })
})

function expectedOf(story: Story): object {
  const { ends, shape, error, status = 'completed', leaves = [], skills = [] } = story
  return { ends, shape, error: error ?? null, status, leaves, skills, told: story.told ?? [] }
}

function reported(one: ReportCase, story: Story): object {
  const [run] = one.runs
  return {
    ends: endOf(one),
    error: one.error !== null && one.error.includes(story.error ?? one.error) ? (story.error ?? one.error) : one.error,
    status: run?.status,
    leaves: run?.files.created.map(({ path }) => path),
    skills: run?.skills_used,
  }
}

/** The fields of a value, each with its type; names of tools are an engine's own. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (path.endsWith('.tool_calls')) return [`${path}: ${Object.keys(Object(value)).length === 0 ? 'none' : 'some'}`]
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => fieldsOf(item, `${path}[]`)))]
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`]
  return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, `${path}.${name}`))
}
