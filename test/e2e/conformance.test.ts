// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
// @module-tag long
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Comparison } from '../../src/report/compare/comparison-schema.ts'
import type { ReportCase } from '../../src/report/report.ts'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { processesWith } from '../support/processes.ts'
import { createStoryProject, readPlayed, type StoryProject, type PlayedStories } from '../support/conformance/matrix.ts'
import { shapeOf } from '../support/conformance/shape.ts'
import {
  CANCELLED,
  cancelledMark,
  DEADLINE,
  HANGS,
  STORIES,
  UNCONFINED_STORIES,
  type Story,
} from '../support/conformance/stories.ts'
import { endOf, formatTable, readDocTable } from '../support/conformance/table.ts'

const HEADING = 'scenario'
const ALL = [...STORIES, HANGS, ...UNCONFINED_STORIES, CANCELLED]
const JUNIT = ['--reporter', 'junit', '--outputFile.junit', 'junit.xml']
const RUN = ['run', '--project', 'evals', '--reporter', 'verbose', ...JUNIT]

const bubblewrap = await probeBubblewrap(process.env)
const title = `every engine${bubblewrap.works ? '' : ` (skipped: ${bubblewrap.reason})`}`

describe.skipIf(!bubblewrap.works)(title, { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  let projects: readonly StoryProject[] = []
  let confined: StoryProject
  let played: ReadonlyMap<Story, PlayedStories>

  beforeAll(async () => {
    confined = await createStoryProject(STORIES, { sandbox: 'bubblewrap', concurrency: 4 })
    const hanging = await createStoryProject([HANGS], { sandbox: 'bubblewrap', timeout: DEADLINE, concurrency: 4 })
    const unconfined = await createStoryProject(UNCONFINED_STORIES, { sandbox: 'none', concurrency: 4 })
    const cancelled = await createStoryProject([CANCELLED], { sandbox: 'none', concurrency: 4 })
    projects = [confined, hanging, unconfined, cancelled]
    // Alone, since some engines wait for a command half a minute only.
    const last = await playAndInterrupt(cancelled)
    const late = await play(hanging)
    const [first, second] = await Promise.all([play(confined), play(unconfined)])
    played = new Map([
      ...STORIES.map((story) => [story, first] as const),
      [HANGS, late],
      ...UNCONFINED_STORIES.map((story) => [story, second] as const),
      [CANCELLED, last],
    ])
  })
  afterAll(() => Promise.all(projects.map((project) => project[Symbol.asyncDispose]())))

  test.for(ALL.map((story) => [story.name, story] as const))('%s', async ([, story]) => {
    const found = await Promise.all(
      confined.engines.map(async (engine) => {
        const one = played.get(story)!.caseOf(engine, story)
        if (story.name in engine.cannot) return [engine.name, one.skip_reason]
        const transcript = await played.get(story)!.transcriptOf(engine, story)
        const texts = transcript.flatMap((event) => (event.kind === 'tool-result' ? [event.text] : [])).join('\n')
        const observed = (story.results ?? []).filter((text) => texts.includes(text))
        // Codex waits for half a minute, and then is told to wait again.
        const shape = shapeOf(transcript, engine).slice(0, story === HANGS ? HANGS.shape.length : undefined)
        return [engine.name, { ...reported(one, story), shape, results: observed }]
      }),
    )
    const expected = confined.engines.map((engine) => [engine.name, engine.cannot[story.name] ?? expectedOf(story)])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
  })

  test('sends nothing that the gateway refuses or leaves out', () => {
    const notices = ALL.flatMap((story) =>
      confined.engines.flatMap((engine) => played.get(story)!.caseOf(engine, story).notices),
    )
    expect(notices.filter((text) => text.startsWith('The gateway '))).toEqual([])
  })

  test('has the same fields in its report', () => {
    const [first, ...others] = confined.engines
    const differences = ALL.flatMap((story) =>
      others
        .filter(({ cannot }) => !(story.name in cannot))
        .flatMap((engine) => {
          const [expected, found] = [first!, engine].map((one) => fieldsOf(played.get(story)!.caseOf(one, story)))
          return [
            ...expected!.filter((field) => !found!.includes(field)).map((field) => `no ${field}`),
            ...found!.filter((field) => !expected!.includes(field)).map((field) => `also ${field}`),
          ].map((difference) => `${story.name} of ${engine.name}: ${difference}`)
        }),
    )
    expect(differences, differences.join('\n')).toEqual([])
  })

  test('has a test, a tag, a report and a place in JUnit of its own', async () => {
    const { project, engines, env } = confined
    const xml = await readFile(join(project.root, 'junit.xml'), 'utf8')
    const names = engines.flatMap((engine) => STORIES.map(({ name }) => `${name} (${engine.name})`))
    expect(names.filter((name) => !xml.includes(`name="${name}"`))).toEqual([])
    const endings = (await readdir(join(project.root, 'evals/reports'))).map((file) => file.replace(/^[^.]*/, ''))
    expect(endings.toSorted()).toEqual(
      engines.map(({ name }, index) => (index === 0 ? '.json' : `.${name}.json`)).toSorted(),
    )
    const args = ['list', '--project', 'evals', '--tags-filter', 'codex', '--json']
    const { stdout } = await project.run(args, { env })
    const listed = JSON.parse(stdout) as readonly { readonly name: string }[]
    expect(listed.map(({ name }) => name).toSorted()).toEqual(
      names.filter((name) => name.endsWith('(codex)')).toSorted(),
    )
  })

  test('is compared with another one by diff, case by case', async () => {
    const { root } = confined.project
    const [first, second] = confined.engines
    const names = await readdir(join(root, 'evals/reports'))
    const [a, b] = [/Z\.json$/, new RegExp(`Z\\.${second!.name}\\.json$`)].map((name) =>
      names.find((one) => name.test(one)),
    )
    const finished = await confined.project.agentEvals(['diff', `evals/reports/${a}`, `evals/reports/${b}`, '--json'])
    const diff = JSON.parse(finished.stdout) as Comparison
    const ended = (verdict: string): number => STORIES.filter(({ ends }) => ends.startsWith(verdict)).length
    expect(diff.totals.cases).toBe(ended('PASS') + ended('FAIL'))
    expect(diff.made_with).toContainEqual({ what: 'engine', before: first!.name, after: second!.name })
    const changes = diff.cases.map(({ name, status, change }) => [name, [status, change].join(' ')])
    expect(Object.fromEntries(changes)).toEqual(
      Object.fromEntries(
        STORIES.map(({ name, ends }) => [name, ends.startsWith('ERROR') ? 'undecided ' : 'compared 0']),
      ),
    )
  })

  test('has a column in the table of docs/conformance.md', async () => {
    const table = {
      engines: confined.engines.map(({ name }) => name),
      rows: ALL.map((story) => ({
        title: story.name.replaceAll('-', ' '),
        cells: confined.engines.map((engine) => endOf(played.get(story)!.caseOf(engine, story))),
      })),
    }
    console.log(formatTable(HEADING, table))
    expect(await readDocTable(HEADING, table.engines)).toEqual(table)
  })
})

async function play(stories: StoryProject): Promise<PlayedStories> {
  const finished = await stories.project.run(RUN, { merged: true, env: stories.env })
  return readPlayed(stories, finished.all)
}

/** Presses Ctrl-C once every engine waits. */
async function playAndInterrupt(stories: StoryProject): Promise<PlayedStories> {
  const { project, engines, env } = stories
  const running = project.start(RUN, { merged: true, env })
  const missing = (): readonly string[] =>
    engines.flatMap((engine) => (processesWith(cancelledMark(engine)).length > 0 ? [] : [engine.name]))
  await vi.waitFor(() => expect(missing(), running.output()).toEqual([]), { timeout: 120_000, interval: 200 })
  running.send('SIGINT')
  const finished = await running.finished
  return readPlayed(stories, finished.all)
}

function expectedOf(story: Story): object {
  const { ends, shape, error, status = 'completed', leaves = [], skills = [] } = story
  return { ends, shape, error: error ?? null, status, leaves, skills, results: story.results ?? [] }
}

function reported(one: ReportCase, story: Story): object {
  const [run] = one.runs
  return {
    ends: endOf(one),
    error: one.error !== null && isAsTold(one.error, story.error) ? (story.error ?? one.error) : one.error,
    status: run?.status ?? null,
    leaves: run?.files.created.map(({ path }) => path) ?? [],
    skills: run?.skills_used ?? [],
  }
}

function isAsTold(error: string, expected: Story['error'] = error): boolean {
  return typeof expected === 'string' ? error.includes(expected) : expected.test(error)
}

/**
 * The fields of a value, each with its type; names of tools are an engine's own. Notices say what happened to a run. On a busy
 * machine a program is ended before it exits by itself and has no exit code, and its version may be unknown.
 */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (/\.(?:notices|exit_code|runtime_version)$/.test(path)) return [path]
  if (path.endsWith('.tool_calls')) return [`${path}: ${Object.keys(Object(value)).length === 0 ? 'none' : 'some'}`]
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => fieldsOf(item, `${path}[]`)))]
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`]
  return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, `${path}.${name}`))
}
