import type { ToolCalls } from '../../engines/engine.ts'
import { callsOf, engines } from '../../engines/registry.ts'
import { matchesWhole } from '../../lib/patterns.ts'
import { findHookEvent } from '../../packages/hook-events.ts'
import type { AgentPackage, HookGroup } from '../../packages/package.ts'
import { firstRequest } from './first-request.ts'
import { yamlText, type FirstCase } from './new-files.ts'

/** One case for each kind of part that a package has; `engine` is the name of the one that runs it. */
export function firstCases(pkg: AgentPackage, engine: string): readonly FirstCase[] {
  const by = callsOf(engines[engine])
  return [skillCase(pkg, by), hookCase(pkg, by), agentCase(pkg), commandCase(pkg)].filter((one) => one !== null)
}

/** The case for a folder that has nothing to evaluate yet. */
export function plainCase(engine: string): FirstCase {
  const { readFile, writeFile } = callsOf(engines[engine])
  const notes = 'notes/meeting.md'
  const saved = 'output/summary.md'
  const summary = 'The release moves to Friday, since the tests on Windows are not done.'
  const content = 'The release is moved to Friday, because the tests on Windows are not done.'
  return {
    name: 'first-case',
    description: 'The agent summarizes a file and saves the summary',
    target: null,
    prompt: `Summarize ${notes} in one sentence and save it to ${saved}`,
    workspaceFile: { path: notes, content },
    expected: ['contains:', '  - Friday', 'files-created:', `  - ${saved}`],
    criteria: 'The summary must say that the release is moved to Friday, and why.',
    calls: [readFile(notes), ...writeFile(saved, summary)],
    answer: `${summary} It is saved in ${saved}.`,
  }
}

function skillCase({ skills }: AgentPackage, { useSkill }: ToolCalls): FirstCase | null {
  const skill = skills.find(({ hiddenFrom }) => hiddenFrom !== 'model')
  if (skill === undefined) return null
  const { name } = skill
  return {
    name: caseName('skill', name),
    description: `The agent uses the skill ${name}`,
    target: `skill:${name}`,
    prompt: firstRequest(skill),
    expected: [`skill-used: ${yamlText(name)}`],
    criteria: null,
    calls: [useSkill(name)],
    answer: `I used the skill ${name} for this.`,
  }
}

function hookCase({ hookGroups }: AgentPackage, by: ToolCalls): FirstCase | null {
  const groups = EVENTS.flatMap((event) => hookGroups.filter((group) => group.event === event))
  const group = groups.find((one) => callsFor(one, by) !== null)
  if (group === undefined) return null
  const spelling = group.native === undefined ? group.event : (findHookEvent(group.event)?.native ?? group.event)
  return {
    name: caseName('hook', group.event),
    description: `The hook of ${spelling} runs`,
    target: `hook:${spelling}`,
    prompt: 'Write the word hello to notes.md, then say what happened',
    expected: ['contains:', '  - notes.md', '# agent-blocked: true    # once the prompt asks for what the hook blocks'],
    criteria: 'The agent must say what happened to notes.md.',
    calls: callsFor(group, by) ?? [],
    answer: 'I was asked to write notes.md, and I am done.',
  }
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
  return Object.entries(calls).find(([tool]) => matcher === null || matchesWhole(matcher, tool))?.[1] ?? null
}

function agentCase({ agents: [agent] }: AgentPackage): FirstCase | null {
  if (agent === undefined) return null
  return {
    name: caseName('agent', agent.name),
    description: `The agent ${agent.name} says what it does`,
    target: `agent:${agent.name}`,
    prompt: 'Say in one sentence what you can do',
    expected: [],
    criteria: 'The agent must say what it can do.',
    calls: [],
    answer: `I can do what the agent ${agent.name} is for.`,
  }
}

// A skill that only a person may choose is a command. One that runs something before the model is asked, or has variables,
// may need more than an empty workspace.
function commandCase({ commands, skills }: AgentPackage): FirstCase | null {
  const command = [
    ...commands.filter(({ variables }) => variables.length === 0),
    ...skills.filter(({ hiddenFrom }) => hiddenFrom === 'model'),
  ].find(({ body }) => !/!`|(?:^|\s)@\S/.test(body))
  if (command === undefined) return null
  return {
    name: caseName('command', command.name),
    description: `The agent follows the command /${command.name}`,
    target: null,
    prompt: `/${command.name}`,
    expected: [],
    criteria: `The agent must follow the command /${command.name}.`,
    calls: [],
    answer: `What /${command.name} asks for is done.`,
  }
}

function caseName(kind: string, name: string): string {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return `${kind}-${slug}`.slice(0, 64).replace(/(?<!-)-+$/, '')
}
