import { findHookEvent } from '../../packages/hook-events.ts'
import { firstRequest } from './requests.ts'
import { matchesWhole } from '../../patterns.ts'
import type { AgentPackage, HookGroup } from '../../packages/package.ts'

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
  readonly contains: string
  readonly filesCreated?: string
  /** A line that explains what to expect, as a comment. */
  readonly hint?: string
  readonly criteria: string
  readonly calls: readonly { readonly tool: string; readonly input: Readonly<Record<string, string>> }[]
  /** The last message. */
  readonly answer: string
}

/** One case for each kind of part that a package has. */
export function firstCases(pkg: AgentPackage): readonly FirstCase[] {
  return [...skillCase(pkg), ...hookCase(pkg), ...agentCase(pkg), ...commandCase(pkg)]
}

/** The case for a folder that has nothing to evaluate yet. */
export const PLAIN_CASE: FirstCase = {
  kind: 'plain',
  name: 'first-case',
  description: 'The agent summarizes a file and saves the summary',
  target: null,
  prompt: 'Summarize notes/meeting.md in one sentence and save it to output/summary.md',
  workspaceFile: {
    path: 'notes/meeting.md',
    content: 'The release is moved to Friday, because the tests on Windows are not done.',
  },
  contains: 'Friday',
  filesCreated: 'output/summary.md',
  criteria: 'The summary must say that the release is moved to Friday, and why.',
  calls: [
    { tool: 'Read', input: { file_path: '${WORKSPACE}/notes/meeting.md' } },
    {
      tool: 'Write',
      input: {
        file_path: '${WORKSPACE}/output/summary.md',
        content: 'The release moves to Friday, since the tests on Windows are not done.',
      },
    },
  ],
  answer: 'The release moves to Friday, since the tests on Windows are not done. It is saved in output/summary.md.',
}

function skillCase({ skills }: AgentPackage): readonly FirstCase[] {
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
      contains: name,
      criteria: `The agent must say that it used the skill ${name}.`,
      calls: [{ tool: 'Skill', input: { skill: name } }],
      answer: `I used the skill ${name} for this.`,
    },
  ]
}

function hookCase({ hookGroups }: AgentPackage): readonly FirstCase[] {
  const groups = EVENTS.flatMap((event) => hookGroups.filter((group) => group.event === event))
  const [found] = groups.flatMap((group) => {
    const calls = callsFor(group)
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
      contains: 'notes.md',
      hint: 'agent-blocked: true    # once the prompt asks for what the hook blocks',
      criteria: 'The agent must say what happened to notes.md.',
      calls,
      answer: 'I was asked to write notes.md, and I am done.',
    },
  ]
}

// Events that fire in a session without a person, the ones that decide something first.
const EVENTS = ['pre-tool-use', 'post-tool-use', 'session-start', 'pre-prompt', 'stop', 'session-end']

// What makes a hook run, harmless in itself; `null` where that is not known.
function callsFor({ event, matcher, hooks }: HookGroup): FirstCase['calls'] | null {
  if (!hooks.some(({ type }) => type === 'command')) return null
  if (!event.endsWith('-tool-use')) return []
  const call = CALLS.find(({ tool }) => matcher === null || matchesWhole(matcher, tool))
  return call === undefined ? null : [call]
}

const CALLS: FirstCase['calls'] = [
  { tool: 'Write', input: { file_path: '${WORKSPACE}/notes.md', content: 'hello' } },
  { tool: 'Bash', input: { command: 'echo hello > notes.md', description: 'Write notes.md' } },
  { tool: 'Glob', input: { pattern: '*.md' } },
]

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
      contains: 'I can',
      criteria: 'The agent must say what it can do.',
      calls: [],
      answer: `I can do what the agent ${agent.name} is for.`,
    },
  ]
}

// A command that runs something before the model is asked may need more than an empty workspace.
function commandCase({ commands }: AgentPackage): readonly FirstCase[] {
  const command = commands.find(({ body, variables }) => !/!`|(?:^|\s)@\S/.test(body) && variables.length === 0)
  if (command === undefined) return []
  return [
    {
      kind: 'command',
      name: caseName('command', command.name),
      description: `The command /${command.name} is followed`,
      target: null,
      prompt: `/${command.name}`,
      contains: 'done',
      criteria: `The agent must follow the command /${command.name}.`,
      calls: [],
      answer: `What /${command.name} asks for is done.`,
    },
  ]
}

function caseName(kind: string, name: string): string {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return `${kind}-${slug}`.slice(0, 64).replace(/(?<!-)-+$/, '')
}
