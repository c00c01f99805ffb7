// @module-tag claude-code
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatComment } from '../../src/report/comment/comment.ts'
import { compare } from '../../src/report/compare/compare.ts'
import { parseReport, type ReadReport } from '../../src/report/read-report.ts'
import { config, greetings, PACKAGE, saying } from '../support/eval-project.ts'
import { HOSTILE } from '../support/hostile-texts.ts'
import { install, repositoryVitest } from '../support/majors.ts'
import { SHELL_PACKAGE, shellCases, shellConfig } from '../support/shell-engine.ts'
import { createProject } from '../support/project.ts'

const GITHUB = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'o/r', GITHUB_RUN_ID: '7' }

test('a run and a gate write the comment of a pull request', { tags: ['slow'] }, async () => {
  await using project = await createProject(repositoryVitest(), {
    ...PACKAGE,
    'vitest.config.ts': config("{ engine: 'messages', model: 'claude-opus-4-7' }"),
    ...greetings({ 'says-bye': 'Hello', 'says-hello': 'Hello, World' }),
  })
  const read = (file: string): Promise<string> => readFile(join(project.root, file), 'utf8')
  const before = await project.agentEvals(['run', '-o', 'before.json', '--comment', 'out/before.md'], { env: GITHUB })
  expect(before.exitCode, before.all).toBe(0)
  expect(before.all).toContain('Comment  out/before.md')
  expect(await read('out/before.md')).toBe(
    [
      '<!-- vitest-agent-evals -->',
      '### Agent evals: 2 passed',
      '',
      '| | |',
      '|---|---|',
      '| pass rate | 100% (2 of 2 cases) |',
      '| cost | $0.00 |',
      '',
      '[Report page and artifacts](https://github.com/o/r/actions/runs/7#artifacts)',
      '',
    ].join('\n'),
  )
  await writeFile(join(project.root, 'evals/scenarios/says-bye.yaml'), saying('Goodbye @octocat | <b>'))
  const after = await project.agentEvals(['run', '--against', 'before.json', '-o', 'after.json', '--comment=run.md'])
  expect(after.exitCode, after.all).toBe(1)
  const [run, gated] = [
    await read('run.md'),
    await project
      .agentEvals(['gate', '--against', 'before.json', 'after.json', '--comment', 'gate.md'])
      .then(({ exitCode }) => (expect(exitCode).toBe(0), read('gate.md'))),
  ]
  for (const text of [run, gated]) {
    expect(text).toContain('### Agent evals: 1 regression, 1 passed, 1 failed')
    expect(text).toMatch(/- <code>says&#45;bye<\/code>: passed → failed, -100 points, p = 0\.5 by itself\n {2}- <code>/)
    expect(text).toContain('The agent wrote: <code>Goodbye &#64;&#8203;octocat &#124; &#60;b&#62;</code>')
    expect(text).toContain('- changed: <code>scenario evals&#47;scenarios&#47;says&#45;bye&#46;yaml</code>')
    expect(text).not.toContain('interval')
  }
  expect(gated).toContain('**Gate passed.** No regression beyond noise was found.')
  expect(run).not.toContain('**Gate')
})

test(
  'the exit code of a run and of a gate says whether its budgets are kept, missed or unknown',
  { tags: ['slow'] },
  async () => {
    await using project = await createProject(repositoryVitest(), {
      ...SHELL_PACKAGE,
      ...shellCases({ 'says-bye': 'echo Hello', 'says-hello': 'echo Hello' }),
    })
    for (const [budget, quarantine, code, says] of [
      ['passRate=0.3,costUsd=1', [], 0, 'All budgets are kept.'],
      ['passRate=0.9,costUsd=1', [], 1, 'Budgets missed: pass rate.'],
      ['passRate=0.3,costUsd=1', ['says-*'], 2, 'Budgets undecided: pass rate.'],
    ] as const) {
      await writeFile(join(project.root, 'vitest.config.ts'), shellConfig({ quarantine }))
      const args = ['run', '--budget', budget, '-o', 'report.json', '--comment', 'c.md']
      const run = await project.agentEvals(args)
      expect(run.exitCode, run.all).toBe(code)
      expect(run.all).toContain(says)
      const gated = await project.agentEvals(['gate', '--budget', budget, 'report.json'])
      expect(gated.exitCode, gated.all).toBe(code)
      expect(gated.all).toContain(says)
    }
    expect(await readFile(join(project.root, 'c.md'), 'utf8')).toContain('**Budgets undecided: pass rate.**')
  },
)

// The reference of GitHub's Markdown in JavaScript.
test('what a host of repositories makes of a comment shows hostile texts as they are, and nothing else', async () => {
  const modules = await install('micromark-4.0.2', { micromark: '4.0.2', 'micromark-extension-gfm': '3.0.0' })
  const { micromark } = (await import(join(modules, 'micromark/index.js'))) as { readonly micromark: Micromark }
  const gfm = (await import(join(modules, 'micromark-extension-gfm/index.js'))) as Gfm
  const render = (markdown: string): string =>
    micromark(markdown, {
      allowDangerousHtml: true,
      extensions: [gfm.gfm()],
      htmlExtensions: [gfm.gfmHtml()],
    })
  const tagsOf = (html: string): readonly string[] => html.match(/<[^>]*>/g) ?? []
  const [plain, ...others] = ['a', ...TEXTS].map((text) => render(commentOf(text)))
  expect(tagsOf(plain ?? '')).toContain('<table>')
  for (const [at, html] of others.entries()) {
    expect(tagsOf(html), TEXTS[at]).toEqual(tagsOf(plain ?? ''))
    // Hosts look for people, issues and addresses outside of code alone.
    expect(html.replaceAll(/<code>.*?<\/code>/gs, ''), TEXTS[at]).toBe(plain?.replaceAll(/<code>.*?<\/code>/gs, ''))
  }
})

const TEXTS = [
  ...HOSTILE,
  '@octocat octo@example.com #1 GH-1 https://example.invalid www.example.invalid',
  '[link](https://example.invalid) `code` **b** | c |\n\n# heading\n- item\n```\nfence',
  '\\',
  '</code>',
]

function commentOf(text: string): string {
  const report = (outcomes: readonly string[]): ReadReport =>
    parseReport(
      JSON.stringify({
        version: 1,
        agent_evals_version: '0.2.0',
        timestamp: '2026-11-01T00:00:00Z',
        cases: outcomes.map((verdict, at) => ({
          id: `c${at}`,
          name: text,
          verdict,
          error: text,
          agent_output_snippet: text,
          source: 'live',
          runs: [{ index: 1, skills_used: [] }],
        })),
      }),
      'report.json',
    )
  const [before, after] = [report(['PASS', 'FAIL', 'PASS']), report(['FAIL', 'PASS', 'ERROR'])]
  return formatComment({
    reports: [after],
    comparison: {
      ...compare(before, after),
      edits: [{ role: text, path: text, change: 'changed' }],
      texts: [{ path: text, part: text, before: text, after: text, seen: true }],
    },
    decides: true,
    recordings: [text],
    url: 'https://github.com/o/r/actions/runs/7#artifacts',
  })
}

type Micromark = (markdown: string, options: object) => string
interface Gfm {
  readonly gfm: () => object
  readonly gfmHtml: () => object
}
