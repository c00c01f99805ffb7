import type { ToolCalls, WrittenCall } from '../../engines/engine.ts'
import { callsOf, engines } from '../../engines/registry.ts'
import { matchesWhole } from '../../lib/patterns.ts'
import { findHookEvent } from '../../packages/hook-events.ts'
import type { AgentPackage, HookGroup } from '../../packages/package.ts'
import { firstRequest } from './first-request.ts'

/** A case with the answers of its model. */
export interface FirstCase {
  readonly name: string
  /** True for a case about a hook. */
  readonly isHook?: boolean
  /** YAML of the case between its name and its judge. */
  readonly body: string
  /** Criteria for a judge; `null` where checks decide. */
  readonly criteria: string | null
  readonly calls: readonly WrittenCall[]
  /** The last message. */
  readonly answer: string
}

/** One case for each kind of part that a package has; `engine` is the name of the one that runs it. */
export function firstCases(pkg: AgentPackage, engine: string): readonly FirstCase[] {
  const tools = callsOf(engines[engine])
  return [skillCase(pkg, tools), hookCase(pkg, tools), agentCase(pkg), commandCase(pkg)].filter((one) => one !== null)
}

/** The case for a folder that has nothing to evaluate yet. */
export function plainCase(engine: string): FirstCase {
  const { readFile, writeFile } = callsOf(engines[engine])
  const summary = 'The release moves to Friday, since the tests on Windows are not done.'
  return {
    name: 'first-case',
    body: `description: The agent summarizes a file and saves the summary
${NO_TARGET}
input:
  prompt: Summarize notes/meeting.md in one sentence and save it to output/summary.md
  workspace-files:
    - path: notes/meeting.md
      content: |
        The release is moved to Friday, because the tests on Windows are not done.
expected:
  contains:
    - Friday
  files-created:
    - output/summary.md
`,
    criteria: 'The summary must say that the release is moved to Friday, and why.',
    calls: [readFile('notes/meeting.md'), ...writeFile('output/summary.md', summary)],
    answer: `${summary} It is saved in output/summary.md.`,
  }
}

const NO_TARGET = '# target: skill:<name>, hook:<event> or agent:<name>'

function skillCase({ skills }: AgentPackage, { useSkill }: ToolCalls): FirstCase | null {
  const skill = skills.find(({ hiddenFrom }) => hiddenFrom !== 'model')
  if (skill === undefined) return null
  const { name } = skill
  return {
    name: caseName('skill', name),
    body: `description: ${yamlText(`The agent uses the skill ${name}`)}
target: skill:${name}
input:
  prompt: ${yamlText(firstRequest(skill))}
expected:
  skill-used: ${yamlText(name)}
`,
    criteria: null,
    calls: [useSkill(name)],
    answer: `I used the skill ${name} for this.`,
  }
}

function hookCase({ hookGroups }: AgentPackage, tools: ToolCalls): FirstCase | null {
  const groups = EVENTS.flatMap((event) => hookGroups.filter((group) => group.event === event))
  const group = groups.find((one) => callsFor(one, tools) !== null)
  if (group === undefined) return null
  const event = group.native === undefined ? group.event : (findHookEvent(group.event)?.native ?? group.event)
  return {
    name: caseName('hook', group.event),
    isHook: true,
    body: `description: The hook of ${event} runs
target: hook:${event}
input:
  prompt: Write the word hello to notes.md, then say what happened
expected:
  contains:
    - notes.md
  # agent-blocked: true    # once the prompt asks for what the hook blocks
`,
    criteria: 'The agent must say what happened to notes.md.',
    calls: callsFor(group, tools) ?? [],
    answer: 'I was asked to write notes.md, and I am done.',
  }
}

// Events that fire in a session without a person, the ones that decide something first.
const EVENTS = ['pre-tool-use', 'post-tool-use', 'session-start', 'pre-prompt', 'stop', 'session-end']

// Harmless calls that make a hook run; `null` where none is known to.
function callsFor({ event, matcher, hooks }: HookGroup, tools: ToolCalls): readonly WrittenCall[] | null {
  if (!hooks.some(({ type }) => type === 'command')) return null
  if (!event.endsWith('-tool-use')) return []
  // By the names that matchers have for tools.
  const calls = {
    Write: tools.writeFile('notes.md', 'hello'),
    Bash: [tools.runCommand('echo hello > notes.md')],
    Glob: tools.findFiles === undefined ? null : [tools.findFiles('*.md')],
  }
  return Object.entries(calls).find(([tool]) => matcher === null || matchesWhole(matcher, tool))?.[1] ?? null
}

function agentCase({ agents: [agent] }: AgentPackage): FirstCase | null {
  if (agent === undefined) return null
  return {
    name: caseName('agent', agent.name),
    body: `description: ${yamlText(`The agent ${agent.name} says what it does`)}
target: agent:${agent.name}
input:
  prompt: Say in one sentence what you can do
`,
    criteria: 'The agent must say what it can do.',
    calls: [],
    answer: `I can do what the agent ${agent.name} is for.`,
  }
}

// A skill that only a person may choose is a command. A command with variables, or one that runs or reads something before
// the model is asked, may need more than an empty workspace.
function commandCase({ commands, skills }: AgentPackage): FirstCase | null {
  const command = [
    ...commands.filter(({ variables }) => variables.length === 0),
    ...skills.filter(({ hiddenFrom }) => hiddenFrom === 'model'),
  ].find(({ body }) => !/!`|(?:^|\s)@\S/.test(body))
  if (command === undefined) return null
  const { name } = command
  return {
    name: caseName('command', name),
    body: `description: ${yamlText(`The agent follows the command /${name}`)}
${NO_TARGET}
input:
  prompt: ${yamlText(`/${name}`)}
`,
    criteria: `The agent must follow the command /${name}.`,
    calls: [],
    answer: `What /${name} asks for is done.`,
  }
}

function caseName(kind: string, name: string): string {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return `${kind}-${slug}`.slice(0, 64).replace(/(?<!-)-+$/, '')
}

/** A value as YAML: JSON is YAML, so that no text needs other quotes. */
export function yamlText(value: string): string {
  return /^[A-Za-z][\w ,./'-]*$/.test(value) && !value.endsWith(' ') ? value : JSON.stringify(value)
}
