// @module-tag slow
// @module-tag long
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { EXPLAINED_ERRORS } from '../../src/cli/explained-errors.ts'
import { formatCommandHelp, type Command } from '../../src/cli/flags.ts'
import { painter } from '../../src/report/summary/terminal.ts'
import { messageOf } from '../../src/lib/errors.ts'
import { readRunArguments } from '../../src/cli/run-arguments.ts'
import { newConfig } from '../../src/cli/init/project-files.ts'
import { planEvals, writeEvals } from '../../src/cli/init/write-evals.ts'
import { engines } from '../../src/engines/registry.ts'
import { loadCustomEngine } from '../../src/engines/custom-engine.ts'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { parseScenario } from '../../src/gateway/sources/load-scenario.ts'
import { emptyResult } from '../../src/case/result/build-result.ts'
import { planTest } from '../../src/case/plan/plan-case.ts'
import { parseAamConfig } from '../../src/formats/aam/aam-config.ts'
import { findIssues } from '../../src/cli/lint/find-issues.ts'
import { searchFolder } from '../../src/cli/find/search.ts'
import { readVitestArguments } from '../../src/vitest/command/vitest-arguments.ts'
import { flagOf, variableOf, variableOptions } from '../../src/options/option.ts'
import { OPTIONS } from '../../src/options/options.ts'
import { formatOutdated } from '../../src/vitest/reporter/format-skipped.ts'
import { outputOf } from '../support/command.ts'
import { docPages, type DocBlock } from '../support/doc-blocks.ts'
import { docFiles } from '../support/doc-files.ts'
import { claudeExecutable } from '../support/engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { printed } from '../support/printed.ts'
import { REPOSITORY } from '../support/repository.ts'

const EXAMPLE = join(REPOSITORY, 'example-package')
const CONFIG = parseAamConfig(
  { text: '{ "version": 1, "engine": "claude-code" }', issue: null },
  join(EXAMPLE, 'some.json'),
)
const readme = await readFile(join(REPOSITORY, 'README.md'), 'utf8')
const snippets = Object.entries(await docFiles('docs/getting-started.md'))
const pages = await docPages()
// `test/unit/architecture.test.ts` applies the blocks that are modules of this project.
const blocks = pages.flatMap((page) => page.blocks).filter(({ path }) => path?.startsWith('src/') !== true)
const { scripts, name, version, peerDependencies } = JSON.parse(
  await readFile(join(REPOSITORY, 'package.json'), 'utf8'),
) as {
  readonly scripts: Readonly<Record<string, string>>
  readonly name: string
  readonly version: string
  readonly peerDependencies: Readonly<Record<string, string>>
}

test('Getting started shows the files that init writes in an empty folder', async () => {
  await using folder = await createFixture({
    'node_modules/vitest-agent-evals/schemas/x.json': '{}',
    'package.json': '{}',
  })
  const root = folder.path.replace(/\/$/, '')
  const engine = { environment: null, option: null }
  const plan = await planEvals(root, { packages: [], skills: [] }, { all: false, engine })
  const written = await writeEvals(root, plan)
  const files = [
    newConfig(root),
    ...(await Promise.all(written.map(async ({ file }) => ({ file, text: await readFile(file, 'utf8') })))),
  ]
  expect(snippets).toEqual(files.map(({ file, text }) => [relative(root, file), text]))
})

test('there are exactly two set-up commands', () => {
  const commands = [...readme.matchAll(/^npm ci && .*$/gm)].map(([line]) => line)
  expect(commands).toEqual(['npm ci && npm run evals', 'npm ci && npm test'])
})

test('Troubleshooting names the Node that Claude Code asks for', async () => {
  const manifest = await readFile(join(REPOSITORY, 'node_modules/@anthropic-ai/claude-code/package.json'), 'utf8')
  const { engines: wanted } = JSON.parse(manifest) as { readonly engines: { readonly node: string } }
  const page = await readFile(join(REPOSITORY, 'docs/troubleshooting.md'), 'utf8')
  expect(page).toContain(`\`@anthropic-ai/claude-code\` asks for Node ${/\d+/.exec(wanted.node)?.[0]} or newer`)
})

test('every block of every page is of a kind that is looked at here', () => {
  const unknown = blocks.filter(
    ({ language, path, isOutput, text }) =>
      !LANGUAGES.has(language) && !(language === 'text' && (isOutput || path !== null || ARROW.test(text))),
  )
  expect(unknown.map(placeOf)).toEqual([])
  expect(blocks.filter(({ isOutput }) => isOutput).map(({ page }) => page)).toEqual([
    'README.md',
    'docs/gates.md',
    'docs/getting-started.md',
    'docs/getting-started.md',
    'docs/hooks.md',
    'docs/skill-evals.md',
    'docs/watch.md',
  ])
})

/** A picture made of signs has nothing to run. */
const ARROW = /──▶/
const LANGUAGES: ReadonlySet<string> = new Set(['js', 'json', 'sh', 'ts', 'yaml'])

test.for(blocks.filter(({ language, path }) => language === 'yaml' && path === null))(
  '$page:$line is a scenario without mistakes',
  ({ text }) => {
    expect(parseScenario(text, join(EXAMPLE, 'evals/scenarios/some.yaml')).issues).toEqual([])
  },
)

// Each file in its place in the example package, which has the skills, hooks and fixtures that pages name.
test.for(pages.filter(({ blocks: own }) => own.some(isSuiteFile)))(
  'the files of $page have no mistakes',
  async (page) => {
    await using project = await createFixture()
    const files = page.blocks.filter(isSuiteFile)
    // A page with a manifest shows a package of its own.
    if (!files.some(({ path }) => path?.endsWith('/plugin.json'))) await copyExample(project.path)
    for (const { path, text } of files) {
      await mkdir(dirname(project.getPath(path ?? '')), { recursive: true })
      await project.writeFile(path ?? '', text)
    }
    const { issues } = await findIssues(await searchFolder(project.path.replace(/\/$/, ''), process.env))
    const paths = new Set(files.map(({ path }) => join(project.path, path ?? '')))
    expect(issues.filter(({ file, severity }) => severity === 'error' && paths.has(file))).toEqual([])
  },
)

test('the code compiles', async () => {
  await using project = await createProject(repositoryVitest(), {
    'tsconfig.json': await readFile(join(REPOSITORY, 'test/package/consumer/tsconfig.json'), 'utf8'),
  })
  for (const block of ofLanguage('ts', 'js')) {
    const file = join(project.root, basename(block.page, '.md'), block.path ?? `line-${block.line}.ts`)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, block.language === 'ts' ? block.text : typed(block.text))
  }
  const types = join(REPOSITORY, 'node_modules/@types')
  await outputOf(join(REPOSITORY, 'node_modules/.bin/tsc'), [
    '-p',
    project.root,
    '--skipLibCheck',
    '--typeRoots',
    types,
  ])
})

test.for(ofLanguage('js'))('$page:$line is taken for an engine', async ({ text }) => {
  await using folder = await createFixture({ 'my-engine.mjs': text })
  expect(await loadCustomEngine('mine', { mine: folder.getPath('my-engine.mjs') })).toMatchObject({ name: 'mine' })
})

const COMMAND = /^(?:\w+=\S+ )*(?:npx )?(?:(?:vitest-)?agent-evals|npm|vitest|apt) ./
const commands = pages.flatMap(({ page, blocks: own, spans }) => {
  const lines = own.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trim().split('\n'))
  const all = [...lines.flatMap((line) => line.replace(/\s+#.*/, '').split(' && ')), ...spans.filter(isCommand)]
  return [...new Set(all)].map((command) => ({ page, command }))
})

test.for(commands)('$page: `$command` has words that exist', async ({ command }) => {
  const [program, ...rest] = wordsOf(command)
  if (program === 'apt') expect(rest).toEqual(['install', 'bubblewrap'])
  else if (program === 'npm') checkNpm(rest)
  else if (program === 'vitest')
    readVitestArguments(/^(?:run|related|watch)$/.test(rest[0] ?? '') ? rest.slice(1) : rest)
  else if (program === 'agent-evals' || program === 'vitest-agent-evals') await checkOwn(rest)
  else expect(program).toBe('a program that is known here')
})

test('every flag, variable and option in the text exists', async () => {
  const names = ['audit', 'costs', 'diff', 'gate', 'init', 'lint', 'list', 'merge', 'run', 'test', 'triggers']
  const help = await Promise.all(names.map(async (one) => formatCommandHelp(await ownCommand(one), '', painter())))
  const words = pages.flatMap(({ spans }) => spans.flatMap((span) => span.match(/(?<=^|\s)--[a-z][A-Za-z-]*/g) ?? []))
  const known = new Set([
    ...variableOptions(OPTIONS).map((option) => `--${flagOf(...option)}`),
    '--help',
    '--live',
    '--record',
    // Of git, `claude`, promptfoo, vally, skillgrade and agentv.
    '--force',
    '--allow-tools',
    '--permission-mode',
    '--retry-errors',
    '--backend',
    '--provider',
    '--record-replay',
  ])
  const unknown = words.filter((flag) => !known.has(flag) && !help.join('\n').includes(flag) && !isOfVitest(flag))
  expect([...new Set(unknown)]).toEqual([])
  const variables = pages.flatMap(({ spans }) => spans.flatMap((span) => span.match(/AGENT_EVALS_[A-Z_]*[A-Z]/g) ?? []))
  expect([...new Set(variables)].filter((variable) => !isVariable(variable))).toEqual([])
})

// Unconfined, the agent would write to /etc of this machine.
const isConfined = claudeExecutable() !== null && (await probeBubblewrap(process.env)).works

describe.runIf(isConfined)('the failing eval', { tags: ['claude-code'] }, () => {
  test('looks as the README and the page on hooks show it', async () => {
    await using project = await createProject(repositoryVitest())
    await cp(EXAMPLE, project.root, {
      recursive: true,
      filter: (path) => !/\/(?:reports|node_modules|\.vitest)$/.test(path),
    })
    const guard = 'hooks/scripts/guard.mjs'
    const text = await project.files.readFile(guard, 'utf8')
    await project.files.writeFile(guard, text.replace('process.exit(2)', 'process.exit(0)'))
    const { all } = await project.run(['run', '--project', 'evals', '-t', 'hook-blocks-protected-write'], {
      merged: true,
    })
    const shown = blocks
      .filter(({ page, isOutput }) => ['README.md', 'docs/hooks.md'].includes(page) && isOutput)
      .flatMap((block) => block.text.trim().split('\n\n'))
    expect(shown.length).toBeGreaterThan(6)
    expect(
      shown.filter((paragraph) => !all.includes(paragraph.trim())),
      all,
    ).toEqual([])
  })
})

test('what is outdated looks as the page on watching shows it', () => {
  const at = { line: 1, column: 1 }
  const suite = { config: CONFIG.config, file: '/p/evals/cases/about-notes.yaml', packageRoot: '/p' }
  const nobody = { environment: null, option: null }
  const planned = planTest(
    suite,
    { name: 'about-notes', at },
    { engine: nobody, engineMatrix: nobody, modelMatrix: [], quarantine: [], root: '/p' },
  )
  const error = { code: 'stale', message: '' } as const
  const result = { ...emptyResult(planned, new Date(0)), outcome: 'errored', reason: null, error } as const
  const settings = { command: 'npx vitest run --project evals', cwd: '/p', root: '/p' }
  const shown = blocks.find(({ page, isOutput }) => page === 'docs/watch.md' && isOutput)?.text
  expect(shown).toBe(`${formatOutdated([result], settings, true).join('\n')}\n`)
})

function ofLanguage(...languages: readonly string[]): readonly DocBlock[] {
  return blocks.filter(({ language }) => languages.includes(language))
}

function placeOf({ page, line }: DocBlock): string {
  return `${page}:${line}`
}

function isSuiteFile({ language, path }: DocBlock): boolean {
  if (path === null || path.startsWith('.github/')) return false
  return language === 'yaml' || language === 'json' || path.endsWith('.md')
}

function copyExample(to: string): Promise<void> {
  const isLeftOut = /\/(?:reports|recordings|node_modules|\.vitest|vitest\.config\.ts)$/
  return cp(EXAMPLE, to, { recursive: true, filter: (path) => !isLeftOut.test(path) })
}

/** An engine as its author would check it. */
function typed(text: string): string {
  return `import type { ProgramEngine } from 'vitest-agent-evals'\n${text.trimEnd().replace('lines = []', 'lines: string[] = []')} satisfies ProgramEngine\n`
}

function isCommand(span: string): boolean {
  return COMMAND.test(span)
}

/** The program and its arguments, without what is before it; variables have to exist. */
function wordsOf(command: string): readonly string[] {
  const words = (command.replaceAll(/[<>[\]]/g, '').match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
  const start = words.findIndex((word) => !word.includes('='))
  const variables = words.slice(0, start).map((word) => word.split('=')[0] ?? '')
  expect(variables.filter((variable) => !isVariable(variable))).toEqual([])
  return words.slice(words[start] === 'npx' ? start + 1 : start)
}

function isVariable(variable: string): boolean {
  return (
    variable === 'AGENT_EVALS_ENGINES' || variableOptions(OPTIONS).some(([option]) => variableOf(option) === variable)
  )
}

function isOfVitest(flag: string): boolean {
  try {
    readVitestArguments([flag, 'x'])
    return true
  } catch {
    return false
  }
}

const ENGINE_PACKAGES = Object.values(engines).flatMap((engine) => {
  const { npmPackage } = ('support' in engine ? engine.support : undefined) ?? {}
  return npmPackage === undefined ? [] : [npmPackage]
})

function checkNpm([verb = '', ...rest]: readonly string[]): void {
  if (verb === 'run') expect(Object.keys(scripts)).toContain(rest[0])
  else if (verb === 'install')
    expect(
      [`../${name}/${name}-${version}.tgz`, ...Object.keys(peerDependencies), ...ENGINE_PACKAGES].filter((one) =>
        rest.includes(one),
      ),
    ).not.toEqual([])
  else expect(['ci', 'pack', 'test']).toContain(verb)
}

async function checkOwn([command = '', ...rest]: readonly string[]): Promise<void> {
  if (command === 'run' || command === 'eval') readVitestArguments(readRunArguments(rest, REPOSITORY).rest)
  else if (command === 'help') expect(Object.keys(EXPLAINED_ERRORS)).toContain(rest[0])
  else expect(await saysInEmptyFolder(await ownCommand(command), rest)).not.toMatch(/Unknown option|is unknown/)
}

async function ownCommand(wanted: string): Promise<Command> {
  const found = (await import(`../../src/cli/commands/${wanted}.ts`)) as Readonly<Record<string, Command>>
  const own = Object.values(found).find((one) => one.name === wanted)
  if (own === undefined) throw new Error(`There is no command ${wanted}.`)
  return own
}

async function saysInEmptyFolder(command: Command, args: readonly string[]): Promise<string> {
  await using folder = await createFixture()
  const before = process.cwd()
  process.chdir(folder.path)
  try {
    return await printed(command, ...args).catch(messageOf)
  } finally {
    process.chdir(before)
  }
}
