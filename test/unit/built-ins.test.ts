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
    // Imports name the folders of what they import.
    const code = readFileSync(join(SRC, file), 'utf8').replaceAll(
      /\/\*[^]*?\*\/|\/\/.*|^(?:import|export) .* from '.*'/gm,
      '',
    )
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
    homes: [
      'engines/claude-code/',
      'engines/codex/',
      'engines/copilot/',
      'engines/registry.ts',
      'engines/default-engine.ts',
      ...JUDGES(),
    ],
    exceptions: {
      'report/export/plugin-eval.ts': 'claude plugin eval writes the version of Claude Code',
    },
  },
  'judge provider': {
    // `anthropic` and `openai` are makers of models, too.
    names: Object.keys(judgeProviders).filter((name) => !['anthropic', 'openai'].includes(name)),
    homes: ['engines/claude-code/', 'engines/codex/', 'engines/registry.ts', 'engines/default-engine.ts', ...JUDGES()],
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
      'suites/skills/load-skill-suite.ts': 'the reader of the evals of skills',
      'suites/skills/suite-owners.ts': 'words that name no skill',
      'cli/commands/triggers.ts': 'a command of that name',
      'cli/find/golden-scope.ts': 'a folder of that name',
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

/** Facts of one vendor: a pattern, the folders that may state them, and files that do all the same. */
interface VendorFacts {
  readonly pattern: RegExp
  readonly homes: readonly string[]
  readonly exceptions: Readonly<Record<string, string>>
}

const ENGINE_HOMES = ['engines/claude-code/', 'engines/codex/', 'engines/copilot/', 'judges/providers/']

const VENDOR_FACTS: Readonly<Record<string, VendorFacts>> = {
  folder: {
    pattern:
      /['"`/(|^,{]\\?\.(?:claude|codex|copilot|cursor|gemini|agents(?=\/|['"`])|github(?=\/|['"`])|mcp\.json)(?:[-.][\w-]+)*(?=$|[/'"`,}|)])/m,
    homes: [...ENGINE_HOMES, 'packages/manifest-names.ts'],
    exceptions: {
      'cli/commands/init.ts': 'writes a skill for Claude Code',
    },
  },
  'name or word': {
    pattern: /claude|codex|copilot|anthropic|openai|bwrap|bubblewrap|sandbox-?runtime/i,
    homes: [
      ...ENGINE_HOMES,
      'engines/registry.ts',
      'engines/default-engine.ts',
      'engines/messages/',
      'sandbox/bubblewrap/',
      'sandbox/sandbox-runtime/',
      'sandbox/backends.ts',
      'sandbox/sandbox.ts',
      'suites/judge-name.ts',
      // The APIs, their clients, their credentials and the makers of models.
      'gateway/wires/',
      'gateway/clients/',
      'gateway/makers.ts',
      'gateway/leases/lease.ts',
      // Formats of Claude Code: plugins with their hooks and variables, and its own evals.
      'packages/',
      'suites/formats/plugin-eval/',
      'report/export/plugin-eval.ts',
    ],
    exceptions: {
      'case/prepare/prepare-run.ts': 'a history_file of claude plugin eval is a session of Claude Code',
      'cli/errors/explained-errors.ts': 'the help names the built-in engines',
      'cli/errors/machine-errors.ts': 'the help names the sandboxes of Linux and macOS',
      'cli/commands/init.ts': 'writes a skill for Claude Code',
      'cli/commands/triggers.ts': 'an example in the help',
      'engines/mocks/mock-answer.ts': 'mocks are a part of claude plugin eval',
      'judges/choose.ts': 'an example in a message',
    },
  },
  'file of instructions': {
    pattern: /\b(?:CLAUDE(?:\.local)?|AGENTS|GEMINI|copilot-instructions)(?:\\?\.md\b|\|)/,
    homes: [...ENGINE_HOMES, 'packages/manifest-names.ts'],
    exceptions: {},
  },
  tool: {
    pattern: toolPattern(),
    homes: ENGINE_HOMES,
    exceptions: {
      'checks/graders/score.ts': 'claude plugin eval counts the use of this tool in another way',
      'cli/init/': 'writes scenarios for the default engine',
      'engines/hooks/hook-shim-payload.ts': 'the spelling of tools that hooks of packages are written for',
      'gateway/sources/scenario-schema.ts': 'an example in the schema for editors',
      'gateway/wires/openai-rules.ts': 'types of tools of the API',
    },
  },
  'header or id of a session': {
    pattern: /x-(?:claude-code|openai-subagent|interaction-type)|"agent_id"|session ID/,
    homes: ENGINE_HOMES,
    exceptions: {},
  },
}

// Names that an engine gives its tools, as texts of their own. Words such as `task` are names of other things, too.
function toolPattern(): RegExp {
  const names =
    'Read Write Edit MultiEdit NotebookEdit Bash Glob Grep Skill Task WebFetch WebSearch AskUserQuestion TodoWrite ' +
    'StructuredOutput ToolSearch apply_patch exec_command write_stdin spawn_agent request_user_input update_plan ' +
    'local_shell ask_user report_intent str_replace_editor'
  return new RegExp(`['"\`](?:${names.split(' ').join('|')})['"\`]`)
}

test.for(Object.entries(VENDOR_FACTS))('no %s of a vendor is named outside its engine', ([, facts]) => {
  const { pattern, homes, exceptions } = facts
  const found = FILES.filter(({ file, code }) => pattern.test(code) && !homes.some((home) => file.startsWith(home)))
  const isException = (file: string): boolean => Object.keys(exceptions).some((place) => file.startsWith(place))
  expect(found.map(({ file }) => file).filter((file) => !isException(file))).toEqual([])
  expect(Object.keys(exceptions).filter((place) => !found.some(({ file }) => file.startsWith(place)))).toEqual([])
})

test.for([
  ['name or word', 'judge.bubblewrap'],
  ['folder', "const A = ['.codex']"],
  ['folder', "'.github/hooks'"],
  ['folder', 'to.startsWith(`.claude/${name}`)'],
  ['folder', "join(root, '.mcp.json')"],
  ['file of instructions', '/(?:AGENTS|CLAUDE)\\.md/'],
  ['file of instructions', "join(root, 'copilot-instructions.md')"],
  ['tool', "tool === 'Read'"],
  ['tool', "['apply_patch']"],
  ['header or id of a session', "headers['x-openai-subagent']"],
] as const)('a %s of a vendor is found in %s', ([kind, code]) => {
  expect(VENDOR_FACTS[kind]?.pattern.test(code)).toBe(true)
})

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
    'gateway/budget/budget.ts: AGENT_EVALS_MAX_COST_USD',
    'gateway/budget/budget.ts: AGENT_EVALS_MAX_COST_USD_PER_CASE',
  ])
})
