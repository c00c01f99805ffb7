import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { ERROR_GROUPS, EXPLAINED_ERRORS } from '../../src/cli/explained-errors.ts'
import { docPages } from '../support/doc-blocks.ts'
import { REPOSITORY } from '../support/repository.ts'
import { startProcess } from '../support/running-process.ts'

const pages = await Promise.all(
  (await docPages()).map(async ({ page, blocks }) => ({ page, blocks, text: await read(page) })),
)

test('every link leads to a file of the package or to a heading', async () => {
  const { files } = JSON.parse(await read('package.json')) as { readonly files: readonly string[] }
  const broken: string[] = []
  for (const { page, text } of pages)
    for (const [, target = ''] of text.replaceAll(/^```[\S\s]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : relative(REPOSITORY, join(REPOSITORY, dirname(page), path))
      // npm resolves links to the example against the repository, without which nothing is released.
      const isPacked = ['README.md', 'LICENSE', 'example-package', ...files].some(
        (one) => file === one || file.startsWith(`${one}/`),
      )
      const isHere = existsSync(join(REPOSITORY, file))
      const hasAnchor = anchor === undefined || (file.endsWith('.md') && anchorsOf(await read(file)).includes(anchor))
      if (!isPacked || !isHere || !hasAnchor) broken.push(`${page}: ${target}`)
    }
  expect(broken).toEqual([])
})

// Written anew by `npx vitest run --project package test/package/pages.test.ts -u`.
test('the page on troubleshooting explains every error code', async () => {
  await expect(troubleshooting()).toMatchFileSnapshot(join(REPOSITORY, 'docs/troubleshooting.md'))
})

test('help explains an error code', async () => {
  expect(await helpOf('stale', 'help')).toContain(EXPLAINED_ERRORS.stale.fix)
})

test('the recording of the terminal shows what Getting started says that the commands print', async () => {
  const svg = await read('docs/images/terminal.svg')
  const shown = svg.replaceAll(/<[^>]+>/g, '').split('\n')
  const page = pages.find((one) => one.page === 'docs/getting-started.md')
  const outputs = page?.blocks.filter(({ isOutput }) => isOutput) ?? []
  const lines = outputs.flatMap(({ text }) => text.trimEnd().split('\n'))
  expect(lines.filter((line) => !shown.includes(line))).toEqual([])
  expect(lines.length).toBeGreaterThan(5)
  expect(svg).not.toMatch(/<script|href=|on\w+=/)
})

// How do I ...: each is answered one click from README.
test.for([
  ['test that my skill triggers', 'docs/skill-evals.md', '"should_trigger": true'],
  ['test that my hook blocks', 'docs/hooks.md', 'agent-blocked: true'],
  ['run without a key', 'docs/recordings.md', '--source replay'],
  ['record', 'docs/recordings.md', '--record'],
  ['see why it failed', 'docs/report-page.md', 'npx vitest-agent-evals view'],
  ['run in CI', 'docs/ci.md', '--source replay'],
  ['use my existing evals.json', 'docs/skill-evals.md', 'evals.json'],
  ['use Codex', 'docs/engines.md', '--engine codex'],
  ['limit cost', 'docs/recordings.md', '--max-cost-usd'],
  ['write one in TypeScript', 'docs/typescript.md', "from 'vitest-agent-evals/test'"],
] as const)('README links to the answer: %s', async ([, page, answer]) => {
  expect(await read('README.md')).toContain(`](${page})`)
  expect(await read(page)).toContain(answer)
})

function troubleshooting(): string {
  const groups = ERROR_GROUPS.map((group) => {
    const codes = Object.entries(EXPLAINED_ERRORS).filter(([, explained]) => explained.group === group)
    return [`## ${group}`, ...codes.flatMap(([code, { meaning, fix }]) => [`### ${code}`, meaning, `**Fix:** ${fix}`])]
  })
  return `${[...TROUBLESHOOTING, ...groups.flat()].join('\n\n')}\n`
}

const TROUBLESHOOTING = [
  '# Troubleshooting',
  'You can look up any error code here, or on the command line:',
  '```sh\nnpx vitest-agent-evals help stale\nnpx vitest-agent-evals view\n```',
  '| symptom | cause and fix |\n|---|---|\n| a case is skipped | It has no recording and no scenario: [missing-answers](#missing-answers) |\n| a plain `vitest` runs no evals | Name the project: `npx vitest run --project evals` |\n| no case is found | `npx vitest-agent-evals list` shows where it searches, and `lint` shows the mistakes |\n| a skill never triggers | `npx vitest-agent-evals view` shows which skill was used instead; see [skill-not-offered](#skill-not-offered) |\n| npm warns with `EBADENGINE` | `@anthropic-ai/claude-code` asks for Node 22 or newer. On Node 20 the CLI works all the same |\n| npm warns about an install script of `@anthropic-ai/claude-code` | nothing: it works without, unless optional packages are off |',
  '`view` opens the report page, which shows what happened before the error. The report and the page show the code of each errored case. An errored case says nothing about the agent, the skill or the hook.',
]

function read(file: string): Promise<string> {
  return readFile(join(REPOSITORY, file), 'utf8')
}

/** The anchors that GitHub and npm give to headings. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )
}

async function helpOf(command: string, how: '--help' | 'help' = '--help'): Promise<string> {
  const main = join(REPOSITORY, 'dist/cli/main.js')
  const args = how === 'help' ? [how, command] : [...(command === '' ? [] : [command]), how]
  return (await startProcess(process.execPath, [main, ...args], { cwd: REPOSITORY, env: process.env }).finished).all
}
