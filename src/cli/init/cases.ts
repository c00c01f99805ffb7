import { join } from 'node:path'
import { callsOf, engines } from '../../engines/registry.ts'
import type { ToolCalls, WrittenCall } from '../../engines/engine.ts'
import { ownFolder } from '../../case/prepare/find-scenario.ts'
import { kindOf } from '../../formats/kinds.ts'
import { DEFAULT_ENGINE } from '../../formats/suite.ts'
import type { SuiteCache } from '../../formats/format.ts'
import { loadSuite } from '../../formats/load-suite.ts'
import { formatJson } from '../../lib/json.ts'
import { matchesWhole } from '../../lib/patterns.ts'
import { firstWords, singleSpaced } from '../../lib/text.ts'
import { nearest, type Layered } from '../../options/option.ts'
import { findHookEvent } from '../../packages/hook-events.ts'
import type { AgentPackage, Command, HookGroup, Skill } from '../../packages/package.ts'
import { schemaPath, yamlText, type NewFile } from './project-files.ts'

/** Absolute path of a first case. */
export function casePath(packageRoot: string, { name }: Pick<FirstCase, 'name'>): string {
  return join(packageRoot, 'evals', 'cases', `${name}.yaml`)
}

/** Absolute path of the configuration of a package's cases. */
export function configPath(packageRoot: string): string {
  return join(packageRoot, 'evals', 'eval-config.json')
}

/** The files of a package's first cases: their configuration, and a case and a scenario for each. */
export function caseFiles(packageRoot: string, cases: readonly FirstCase[], engine: string): readonly NewFile[] {
  if (cases.length === 0) return []
  const config = configPath(packageRoot)
  return [
    { file: config, text: configText(config, engine) },
    ...cases.flatMap((one) => {
      const file = casePath(packageRoot, one)
      const scenario = join(packageRoot, 'evals', 'scenarios', `${one.name}.yaml`)
      return [
        { file, text: caseText(file, one) },
        { file: scenario, text: scenarioText(scenario, { ...one, isJudged: one.criteria !== null }) },
      ]
    }),
  ]
}

/** A scenario: calls of tools, a last message, and the verdict of a judge that quotes it, where one is asked. */
function scenarioText(
  file: string,
  { calls, answer, isJudged }: Pick<FirstCase, 'answer' | 'calls'> & { readonly isJudged: boolean },
): string {
  return lines(
    `# yaml-language-server: $schema=${schemaPath(file, 'scenario')}`,
    '# Answers of the model, written in advance, so that the case runs without a key. Tools, hooks and files are real.',
    '# Remove this file, or run with --live, to ask a model.',
    'turns:',
    ...calls.flatMap(({ tool, input }) => [
      '  - tools:',
      `      - name: ${tool}`,
      ...(typeof input === 'string'
        ? ['        input: |', ...input.split('\n').map((line) => `          ${line}`)]
        : ['        input:', ...Object.entries(input).map(([key, value]) => `          ${key}: ${yamlText(value)}`)]),
    ]),
    `  - text: ${yamlText(answer)}`,
    ...(isJudged
      ? [
          "# The judge's answers, one list for each time it is asked: a verdict for each sentence of the criteria.",
          'judge:',
          '  - - verdict: pass',
          '      reason: The quoted sentence shows it.',
          `      quote: ${yamlText(answer)}`,
        ]
      : []),
  )
}

function configText(file: string, engine: string): string {
  const config = {
    $schema: schemaPath(file, 'eval-config'),
    version: 1,
    engine,
    timeout: 120,
    sandbox: { network: false },
  }
  return formatJson(config)
}

function caseText(file: string, one: FirstCase): string {
  const { workspaceFile, expected, criteria } = one
  return lines(
    `# yaml-language-server: $schema=${schemaPath(file, 'eval-case')}`,
    `name: ${one.name}`,
    `description: ${yamlText(one.description)}`,
    one.target === null ? '# target: skill:<name>, hook:<event> or agent:<name>' : `target: ${one.target}`,
    'input:',
    `  prompt: ${yamlText(one.prompt)}`,
    ...(workspaceFile === undefined
      ? []
      : [
          '  workspace-files:',
          `    - path: ${workspaceFile.path}`,
          '      content: |',
          `        ${workspaceFile.content}`,
        ]),
    ...(expected.length === 0 ? [] : ['expected:', ...expected.map((line) => `  ${line}`)]),
    ...(criteria === null
      ? [
          '# A judge reads the rest, where there is more to say:',
          '# judge:',
          '#   criteria: What must be true of the result.',
        ]
      : ['judge:', '  criteria: >', `    ${criteria}`]),
  )
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`
}

/** A case with the answers of its model and its judge. */
export interface FirstCase {
  /** What it is about; one of each is written, all with `--all`. */
  readonly kind: 'agent' | 'command' | 'hook' | 'plain' | 'skill'
  readonly name: string
  readonly description: string
  readonly target: string | null
  readonly prompt: string
  /** Lines below `input:`. */
  readonly workspaceFile?: { readonly path: string; readonly content: string }
  /** Lines below `expected:`. */
  readonly expected: readonly string[]
  /** What a judge is asked; `null` where checks decide. */
  readonly criteria: string | null
  readonly calls: readonly WrittenCall[]
  /** The last message. */
  readonly answer: string
}

/** One case for each kind of part that a package has; `engine` is the name of the one that runs it. */
export function firstCases(pkg: AgentPackage, engine: string): readonly FirstCase[] {
  const by = callsOf(engines[engine])
  return [...skillCase(pkg, by), ...hookCase(pkg, by), ...agentCase(pkg), ...commandCase(pkg)]
}

/** The case for a folder that has nothing to evaluate yet. */
export function plainCase(engine: string): FirstCase {
  const { readFile, writeFile } = callsOf(engines[engine])
  const notes = 'notes/meeting.md'
  const saved = 'output/summary.md'
  const summary = 'The release moves to Friday, since the tests on Windows are not done.'
  return {
    kind: 'plain',
    name: 'first-case',
    description: 'The agent summarizes a file and saves the summary',
    target: null,
    prompt: `Summarize ${notes} in one sentence and save it to ${saved}`,
    workspaceFile: {
      path: notes,
      content: 'The release is moved to Friday, because the tests on Windows are not done.',
    },
    expected: ['contains:', '  - Friday', 'files-created:', `  - ${saved}`],
    criteria: 'The summary must say that the release is moved to Friday, and why.',
    calls: [readFile(notes), ...writeFile(saved, summary)],
    answer: `${summary} It is saved in ${saved}.`,
  }
}

function skillCase({ skills }: AgentPackage, { useSkill }: ToolCalls): readonly FirstCase[] {
  const skill = skills.find(({ hiddenFrom }) => hiddenFrom !== 'model')
  if (skill === undefined) return []
  const { name } = skill
  return [
    {
      kind: 'skill',
      name: caseName('skill', name),
      description: `The agent uses the skill ${name}`,
      target: `skill:${name}`,
      prompt: firstRequest(skill),
      expected: [`skill-used: ${yamlText(name)}`],
      criteria: null,
      calls: [useSkill(name)],
      answer: `I used the skill ${name} for this.`,
    },
  ]
}

function hookCase({ hookGroups }: AgentPackage, by: ToolCalls): readonly FirstCase[] {
  const groups = EVENTS.flatMap((event) => hookGroups.filter((group) => group.event === event))
  const [found] = groups.flatMap((group) => {
    const calls = callsFor(group, by)
    return calls === null ? [] : [{ group, calls }]
  })
  if (found === undefined) return []
  const { group, calls } = found
  const spelling = group.native === undefined ? group.event : (findHookEvent(group.event)?.native ?? group.event)
  return [
    {
      kind: 'hook',
      name: caseName('hook', group.event),
      description: `The hook of ${spelling} runs`,
      target: `hook:${spelling}`,
      prompt: 'Write the word hello to notes.md, then say what happened',
      expected: [
        'contains:',
        '  - notes.md',
        '# agent-blocked: true    # once the prompt asks for what the hook blocks',
      ],
      criteria: 'The agent must say what happened to notes.md.',
      calls,
      answer: 'I was asked to write notes.md, and I am done.',
    },
  ]
}

// Events that fire in a session without a person, the ones that decide something first.
const EVENTS = ['pre-tool-use', 'post-tool-use', 'session-start', 'pre-prompt', 'stop', 'session-end']

// What makes a hook run, harmless in itself; `null` where that is not known.
function callsFor({ event, matcher, hooks }: HookGroup, by: ToolCalls): FirstCase['calls'] | null {
  if (!hooks.some(({ type }) => type === 'command')) return null
  if (!event.endsWith('-tool-use')) return []
  // By the names that matchers have for tools.
  const calls = {
    Write: by.writeFile('notes.md', 'hello'),
    Bash: [by.runCommand('echo hello > notes.md')],
    Glob: by.findFiles === undefined ? null : [by.findFiles('*.md')],
  }
  const found = Object.entries(calls).find(([tool]) => matcher === null || matchesWhole(matcher, tool))
  return found?.[1] ?? null
}

function agentCase({ agents }: AgentPackage): readonly FirstCase[] {
  const [agent] = agents
  if (agent === undefined) return []
  return [
    {
      kind: 'agent',
      name: caseName('agent', agent.name),
      description: `The agent ${agent.name} says what it does`,
      target: `agent:${agent.name}`,
      prompt: 'Say in one sentence what you can do',
      expected: [],
      criteria: 'The agent must say what it can do.',
      calls: [],
      answer: `I can do what the agent ${agent.name} is for.`,
    },
  ]
}

// A skill that only a person may choose is a command. One that runs something before the model is asked may need more than
// an empty workspace.
function commandCase({ commands, skills }: AgentPackage): readonly FirstCase[] {
  const invoked = skills
    .filter(({ hiddenFrom }) => hiddenFrom === 'model')
    .map((skill) => ({ ...skill, variables: [] }))
  const command = [...commands, ...invoked].find(isPlain)
  if (command === undefined) return []
  return [
    {
      kind: 'command',
      name: caseName('command', command.name),
      description: `The agent follows the command /${command.name}`,
      target: null,
      prompt: `/${command.name}`,
      expected: [],
      criteria: `The agent must follow the command /${command.name}.`,
      calls: [],
      answer: `What /${command.name} asks for is done.`,
    },
  ]
}

function isPlain({ body, variables }: Pick<Command, 'body' | 'variables'>): boolean {
  return !/!`|(?:^|\s)@\S/.test(body) && variables.length === 0
}

function caseName(kind: string, name: string): string {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return `${kind}-${slug}`.slice(0, 64).replace(/(?<!-)-+$/, '')
}

/** A skill that gets queries. */
export interface AskedSkill extends Skill {
  /** Absolute path of the folder of its evals. */
  readonly evalsDir: string
}

/** The trigger file of a skill. */
export function triggerFile(skill: AskedSkill): NewFile {
  const { positive, negative } = queriesFor(skill)
  const queries = [
    ...positive.map((query) => ({ query, should_trigger: true })),
    ...negative.map((query) => ({ query, should_trigger: false })),
  ]
  const content = {
    _note: 'Edit the queries, then run with --live. Several runs per query show how sure the model is.',
    runs_per_query: 1,
    queries,
  }
  return { file: join(skill.evalsDir, 'triggers.json'), text: formatJson(content) }
}

/** With what suites are loaded, and the engine that the environment or the plugin names. */
interface SuiteSearch {
  readonly root: string
  readonly cache: SuiteCache
  readonly engine: Layered<string>
}

/** A scenario for each query of a trigger file that was written: an edited query has none, and is asked for real. */
export async function triggerScenarios(
  skill: Skill,
  file: string,
  { root, cache, engine }: SuiteSearch,
): Promise<readonly NewFile[]> {
  const suite = await loadSuite(file, { root, cache })
  // Queries of several skills may be the same.
  const folder = ownFolder({ suite, settings: { root, scenarios: null } })
  const { useSkill } = callsOf(engines[nearest(engine, suite.config.engine, DEFAULT_ENGINE)])
  return suite.cases.map((evalCase) => {
    const scenario = join(folder, `${kindOf(evalCase).slug(evalCase)}.yaml`)
    const isUsed = kindOf(evalCase).question(evalCase)?.shouldTrigger === true
    const calls = isUsed ? [useSkill(skill.name)] : []
    return { file: scenario, text: scenarioText(scenario, { calls, answer: 'That is all.', isJudged: false }) }
  })
}

/** A request that should make an agent use the skill, from its description; the author is asked to edit it. */
export function firstRequest({ name, description }: Pick<Skill, 'description' | 'name'>): string {
  const text = singleSpaced(description)
  const quoted = QUOTED.exec(text)?.[1]
  if (quoted !== undefined) return capitalized(quoted)
  const wish = WISH.exec(text)?.[1]
  if (wish !== undefined) return `I want ${/^(?:to|an?|the) /.test(wish) ? wish : `you to ${wish}`}`
  const doing = DOING.exec(text)?.[1]
  if (doing !== undefined) return `I need help with ${doing.trim()}`
  const [sentence = name] = text.split(/(?<=[.!?]) |(?<=[。！？])/)
  const request = firstWords(sentence.replace(/(?<![.!?。！？])[.!?。！？]+$/, ''), MAX_LENGTH).replace(/…$/, '')
  return imperative(request) ?? `I need help: ${request}`
}

/** "Creates and edits slides" as "Create and edit slides, please"; `null` for what does not begin with such verbs. */
function imperative(sentence: string): string | null {
  const words = sentence.split(' ')
  const verbs: string[] = []
  for (const word of words) {
    const goesOn = verbs.length === 0 || /^(?:and|or)$|,$/.test(verbs.at(-1) ?? '')
    if (verbs.length > 0 && /^(?:and|or)$/.test(word)) verbs.push(word)
    else if (goesOn && THIRD_PERSON.test(word)) verbs.push(baseForm(word))
    else break
  }
  const [next = ''] = words.slice(verbs.length)
  // "Guidelines for ..." is no verb.
  if (verbs.length === 0 || next === '' || /^(?:about|for|of|on|to)$/.test(next)) return null
  return `${[...verbs, ...words.slice(verbs.length)].join(' ')}, please`
}

// "Creates" is "Create", "Processes" is "Process", "Applies" is "Apply".
function baseForm(verb: string): string {
  if (/ies,?$/.test(verb)) return verb.replace(/ies(,?)$/, 'y$1')
  return /(?:ss|sh|ch|x|zz|o)es,?$/.test(verb) ? verb.replace(/es(,?)$/, '$1') : verb.replace(/s(,?)$/, '$1')
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** Requests for which the skill is right, and such for which it is not. */
function queriesFor(skill: Skill): {
  readonly positive: readonly string[]
  readonly negative: readonly string[]
} {
  return {
    positive: [firstRequest(skill), `Do you have something for ${skill.name.replaceAll('-', ' ')}? Please use it now`],
    negative: ['What is the capital of France?', 'Rename the variable x to count in src/index.js'],
  }
}

// Use when the user says "clean up this branch".
const QUOTED = /\b(?:says?|asks?|mentions?|phrases?|like|as)\b[^"“.]{0,40}["“]([a-z][^"”]{6,100} [^"”]{2,})["”]/i
// Use when the user asks for a changelog entry.
const WISH =
  /\buse (?:this skill |it )?when(?:ever)? (?:the user|you|someone) (?:asks?|wants?|needs?|is asked) (?:you )?(?:for )?((?:to |an? |the )[^.;:,()]{4,120})/i
// Use when creating slides. Toolkit for extracting text.
const DOING =
  /\b(?:use (?:this skill |it )?(?:when(?:ever)?|for|before|while) (?:you are |you're )?|for )([a-z]+ing [^.;:,()"]{3,120})/i
// "Extracts", and not "This" or "Access".
const THIRD_PERSON = /^(?!This\b|Always\b)[A-Za-z][a-z]+[^su'\W]s,?$/
const MAX_LENGTH = 160
