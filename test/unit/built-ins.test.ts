import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engines } from '../../src/engines/registry.ts'
import { judgeProviders } from '../../src/judges/providers/registry.ts'
import { variableOf } from '../../src/options/option.ts'
import { OPTIONS } from '../../src/options/options.ts'
import { backends } from '../../src/sandbox/backends.ts'
import { formats } from '../../src/suites/formats/registry.ts'

const SRC = join(import.meta.dirname, '../../src')

// Code without its comments, and without types that name a field, such as `Pick<EvalCase, 'golden'>` or `Lease['source']`.
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('page/'))
  .map((file) => {
    const code = readFileSync(join(SRC, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '')
    return { file, code: code.replaceAll(/\b(?:Pick|Omit)<[^<>]*(?:<[^<>]*>)?[^<>]*>|\w\['[\w-]+'\]/g, '') }
  })

interface BuiltIns {
  readonly names: readonly string[]
  /** Folders and lists in which the names are. */
  readonly homes: readonly string[]
  /** Files that name one all the same, each with the reason. */
  readonly exceptions: Readonly<Record<string, string>>
}

const LISTS: Readonly<Record<string, BuiltIns>> = {
  engine: {
    // `messages` is a field of the APIs, too.
    names: Object.keys(engines).filter((name) => name !== 'messages'),
    homes: ['engines/claude-code/', 'engines/codex/', 'engines/copilot/', 'engines/registry.ts', ...JUDGES()],
    exceptions: {
      'report/export/plugin-eval.ts': 'claude plugin eval writes the version of Claude Code',
    },
  },
  'judge provider': {
    // `anthropic` and `openai` are makers of models, too.
    names: Object.keys(judgeProviders).filter((name) => !['anthropic', 'openai'].includes(name)),
    homes: ['engines/claude-code/', 'engines/codex/', 'engines/registry.ts', ...JUDGES()],
    exceptions: {
      'report/export/plugin-eval.ts': 'claude plugin eval writes the version of Claude Code',
    },
  },
  sandbox: {
    names: Object.keys(backends),
    homes: ['sandbox/bubblewrap/', 'sandbox/sandbox-runtime/', 'sandbox/backends.ts', 'sandbox/sandbox.ts'],
    exceptions: {},
  },
  format: {
    names: Object.keys(formats),
    homes: ['suites/formats/'],
    exceptions: {
      'suites/agent/': 'the reader of golden tests, whose folder is called golden',
      'suites/load-skill-suite.ts': 'the reader of the evals of skills',
      'suites/suite-owners.ts': 'words that name no skill',
      'cli/triggers.ts': 'a command of that name',
      'cli/golden-scope.ts': 'a folder of that name',
      'options/project-options.ts': 'a format of exports',
      'report/export/plugin-eval.ts': 'the folder of an export',
      'vitest/reporter/publish-reports.ts': 'a format of exports',
      'vitest/reporter/reporter-options.ts': 'a format of exports',
    },
  },
}

// The names are those of the list of providers.
function JUDGES(): readonly string[] {
  return ['judges/providers/', 'suites/judge-name.ts']
}

test.for(Object.entries(LISTS))('no name of a built-in %s is outside its folder and its list', ([, list]) => {
  const { names, homes, exceptions } = list
  const found = FILES.filter(({ file, code }) => {
    return names.some((name) => code.includes(`'${name}'`)) && !homes.some((home) => file.startsWith(home))
  }).map(({ file }) => file)
  const isException = (file: string): boolean => Object.keys(exceptions).some((place) => file.startsWith(place))
  expect(found.filter((file) => !isException(file))).toEqual([])
  // An exception that is needed no longer is removed.
  expect(Object.keys(exceptions).filter((place) => !found.some((file) => file.startsWith(place)))).toEqual([])
})

test('the folder of an engine in a workspace is named by the engine alone, in the rooms above engines', () => {
  const above = /^(?:agent|assert|case|cleanup|cli|judges|replay|report|results|sandbox|vitest|workspace)\//
  const found = FILES.filter(({ file, code }) => above.test(file) && /\.(?:claude|codex|copilot)\b/.test(code)).flatMap(
    ({ file, code }) => (/['"`/(|^.]\\?\.(?:claude|codex|copilot)\b/.test(code) ? [file] : []),
  )
  expect(found.filter((file) => EXCEPTIONS[file] === undefined)).toEqual([])
})

const EXCEPTIONS: Readonly<Record<string, string>> = {
  'cli/init.ts': 'writes a skill for Claude Code',
  'cli/init/survey.ts': 'looks for packages in the layout of Claude Code',
  'cli/lint-rules/missing-overlays.ts': 'paths of which git ignores some',
  'replay/package-texts.ts': 'files of packages in the layout of Claude Code',
  'workspace/stage-base.ts': 'folders in which overlays keep the skill under test',
}

test('an option is declared in one file, and named by its field elsewhere', () => {
  const declared = FILES.filter(({ file }) => file.startsWith('options/'))
  for (const name of Object.keys(OPTIONS)) {
    const homes = declared.filter(({ code }) => new RegExp(`^  ${name}: \\{`, 'm').test(code)).map(({ file }) => file)
    expect({ name, homes }).toEqual({ name, homes: [expect.stringMatching(/^options\/[a-z-]+-options\.ts$/)] })
  }
})

test('the variable of an option is written nowhere: it follows from its name', () => {
  const variables = Object.keys(OPTIONS).map(variableOf)
  const found = FILES.flatMap(({ file, code }) =>
    variables.filter((name) => code.includes(`'${name}'`)).map((name) => `${file}: ${name}`),
  )
  expect(found).toEqual([
    // A script of a free test is told its case by this name, which is no option there.
    'assert/run-script.ts: AGENT_EVALS_CASE',
    // The gateway is below the options, and says which budget is used up.
    'gateway/budget.ts: AGENT_EVALS_MAX_COST_USD',
    'gateway/budget.ts: AGENT_EVALS_MAX_COST_USD_PER_CASE',
  ])
})
