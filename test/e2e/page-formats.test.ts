// @module-tag claude-code
// @module-tag slow
import { mkdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumExecutable, startChromium } from '../support/browser.ts'
import { greetings, PACKAGE, saying } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { readPageBlocks, type WrittenPage } from '../support/page-blocks.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { bash, doing, SKILLS, use } from '../support/skill-project.ts'
import { CLERK, golden } from '../support/agent-fixture.ts'
import type { FinishedProcess } from '../support/running-process.ts'

const major = repositoryVitest()

const TYPESCRIPT = `import { expect, test } from 'vitest-agent-evals/test'

test('waves', async ({ agent }) => {
  const run = await agent.run('Say hello.')
  expect(run).toContainOutput('Hello')
  await expect(run).toPassJudge('It greets.')
})
`

const TALKS = `name: talks
turns:
  - prompt: Say hello.
    expected: { contains: [Hello] }
  - prompt: Now part.
    expected: { contains: [Hello] }
    judge: { criteria: It parts. }
`

const GRADERS = `schema_version: "1.1"
name: graded
runs: 1
execution: { prompt: Say hello. }
graders:
  - { type: regex, name: greets, pattern: Hello }
  - { type: regex, name: misses, pattern: Goodbye }
`

let project: TestProject
let finished: FinishedProcess
let page: WrittenPage
let url: string
beforeAll(async () => {
  project = await createProject(major, {
    ...PACKAGE,
    ...SKILLS,
    ...greetings({ greets: 'Hello, World' }),
    'evals/cases/talks.yaml': TALKS,
    'evals/scenarios/talks.yaml': JSON.stringify({
      turns: ['Hello, World', 'Goodbye, World'],
      judge: [[{ verdict: 'pass', reason: 'It parts.', quote: 'Goodbye, World' }]],
    }),
    'evals/hand.eval.ts': TYPESCRIPT,
    'evals/scenarios/waves.yaml': saying('Hello, World'),
    'skills/notes/evals/triggers.json': JSON.stringify([
      { id: 'fires', query: 'Please do: fires', should_trigger: true, runs: 1 },
      { id: 'looks', query: 'Please do: looks', should_trigger: true, runs: 1 },
    ]),
    'evals/scenarios/fires.yaml': doing([use('notes')]),
    'evals/scenarios/looks.yaml': doing([bash('ls .claude/skills'), use('notes')]),
    ...CLERK,
    'clerk/evals/golden/happy/001_hours.md': golden('001_hours'),
    'clerk/evals/scenarios/golden/happy/001_hours.yaml': JSON.stringify({
      turns: ['At 9.'],
      judge: [{ scores: { tone: 5, accuracy: 5 }, justification: 'Says 9.' }],
    }),
    'greeter/.claude-plugin/plugin.json': '{"name":"greeter","version":"1.0.0"}',
    'greeter/evals/graded/case.yaml': GRADERS,
    'greeter/evals/scenarios/graded.yaml': JSON.stringify({ turns: ['Hello, World'] }),
  })
  const below = join(project.root, 'skills')
  await mkdir(below, { recursive: true })
  finished = await project.run(
    ['run', '--project', 'evals', '--root', project.root, '--config', join(project.root, 'vitest.config.ts')],
    { cwd: below, env: { AGENT_EVALS_HTML: 'true', AGENT_EVALS_ABLATION: 'none' }, merged: true },
  )
  const path = /^ +Page {2}(.+)$/m.exec(finished.all)?.[1] ?? finished.all
  const file = join(below, path)
  expect(relative(project.root, file)).toMatch(/^\.vitest\/agent-evals\/[^/]+\/report\.html$/)
  page = readPageBlocks(await readFile(file, 'utf8'))
  url = `file://${file}`
})
afterAll(() => project?.[Symbol.asyncDispose]())

test('a case of every format is on the page with its outcome, its prompt and its transcript', () => {
  expect(
    page.overview.rows.map(({ format, name, outcome }) => `${format}: ${name} ${outcome}`).toSorted(),
    finished.all,
  ).toMatchInlineSnapshot(`
      [
        "aam: greets passed",
        "aam: talks failed",
        "golden: happy/001_hours passed",
        "plugin-eval: graded failed",
        "triggers: Please do: fires passed",
        "triggers: Please do: looks passed",
        "typescript: waves passed",
      ]
    `)
  for (const [name, { runs }] of Object.entries(page.details))
    for (const run of runs)
      expect([run.missing, run.prompt, run.events.length], name).toEqual([
        null,
        expect.stringMatching(/\S/),
        expect.toSatisfy((n: number) => n > 0),
      ])
})

test('what only some formats have is there: checks and judge of a test, scores, graders, and what decided a query', () => {
  const { details } = page
  expect(details['waves']?.case).toMatchObject({
    checks: [{ result: 'PASS' }],
    expectations: [{ text: 'It greets.', result: 'PASS', evidence: [{ item: 'm1', quote: 'Hello, World' }] }],
  })
  expect(details['happy/001_hours']?.case).toMatchObject({ scores: { tone: 5, accuracy: 5 }, weighted_score: 5 })
  expect(details['graded']?.case.graded).toMatchObject({
    score: 0.5,
    graders: [
      { name: 'greets', type: 'regex', result: 'PASS' },
      { name: 'misses', type: 'regex', result: 'FAIL' },
    ],
  })
  const decided = (name: string): unknown => details[name]?.case.runs.map((run) => run.decided_by)
  expect(decided('Please do: fires')).toEqual(['probe'])
  expect(decided('Please do: looks')).toEqual(['probe+full'])
})

test('a conversation is there by its turns: what the user said, what was decided of each, and where each begins', () => {
  const talks = page.details['talks']
  const [run] = talks?.case.runs ?? []
  expect(run?.turns.map(({ turn, prompt, outcome }) => `${turn} ${prompt} ${outcome}`)).toEqual([
    '1 Say hello. passed',
    '2 Now part. failed',
  ])
  expect(talks?.case.checks.map(({ turn, result }) => [turn, result])).toEqual([
    [1, 'PASS'],
    [2, 'FAIL'],
  ])
  expect(talks?.case.expectations?.map(({ turn, text }) => [turn, text])).toEqual([[2, 'It parts.']])
  expect(talks?.runs[0]?.cut).toEqual([])
  expect(talks?.runs[0]?.events.map((event) => (event.kind === 'prompt' ? event.turn : event.kind))).toEqual([
    1,
    'message',
    2,
    'message',
  ])
})

test.skipIf(chromiumExecutable() === null)('each of them opens, and each quote leads to its text', async () => {
  const browser = await startChromium()
  try {
    const tab = await browser.newPage()
    await tab.goto(url)
    const links = await tab
      .locator('th.name > a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
    expect(links).toHaveLength(page.overview.rows.length)
    let quotes = 0
    for (const link of links) {
      await tab.goto(`${url}${link}`)
      await tab.waitForSelector('.event')
      for (const quote of await tab.locator('blockquote').all()) {
        await quote.locator('.quote-link').click()
        const text = (await quote.locator('.quote-link').textContent()) ?? ''
        await expect.poll(() => tab.locator('mark.quote').allTextContents()).toEqual([text])
        quotes += 1
      }
    }
    expect(quotes).toBeGreaterThan(1)
  } finally {
    await browser.close()
  }
})
