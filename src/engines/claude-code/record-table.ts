import { headerOf, openingTexts, textsOf, type EngineTraffic, type RequestClues } from '../../recordings/messages.ts'
import { purposeOf } from '../install.ts'
import { isSandboxDenial, skillSignals, type RecordTable, type ResultFacts, type SkillTools } from '../stream.ts'

/** The API has a mark for a call that failed; who stopped it is in its words, and for some only in the stream. */
export const RECORD_TABLE: RecordTable = {
  callOf: ({ name, input }) => ({ tool: name, input }),
  plainTool: (tool) => tool,
  resultOf({ text, isError }, shown) {
    const said = withoutNotes(text, shown?.text ?? '').replaceAll(NO_TEXT, '[$1]')
    const blockedBy = !isError ? null : (blockerIn(said) ?? (RAN.test(said) ? null : (shown?.blockedBy ?? null)))
    return { text: said, isError, blockedBy }
  },
  skillsOf(call, text) {
    // The name that the CLI itself gives the skill, whichever alias the model called it by.
    const named = /^Launching skill: (\S+)/.exec(text)?.[1]
    return skillSignals(call, SKILL_TOOLS).map((use) => {
      return named === undefined || use.via === 'read' ? use : { ...use, skill: named }
    })
  },
}

/** The CLI adds notes of its own to what a tool returned, such as how many tokens are left: they are not the tool's words. */
function withoutNotes(text: string, shown: string): string {
  const tool = shown.trimEnd()
  if (tool === '' || !text.startsWith(tool)) return text
  const added = text.slice(tool.length).trim()
  return added.startsWith('<system-reminder>') && added.endsWith('</system-reminder>') ? shown : text
}

/** A part that is no text, such as an image, as the gateway writes it. */
const NO_TEXT = /^\{"kind":"other","type":"(\w+)".*$/gm
const RAN = /^Exit code \d+/

/** Who stopped a call, by the words of its result alone. */
export function blockerIn(text: string): ResultFacts['blockedBy'] {
  if (HOOK_BLOCK.test(text)) return 'hook'
  return isSandboxDenial(text) ? 'sandbox' : null
}

// The second is of older versions, for a denial without a reason.
const HOOK_BLOCK = /^(?:\w+(?::\S+)? hook error: |Hook \w+:\S+ denied this tool$)/

/** What a tool of an agent.yaml is called in Claude Code; empty when there is no such tool. */
export function nativeTools(tool: string): readonly string[] {
  if (/^mcp__\w/.test(tool)) return [tool]
  const name = /^(\w+)\(.*\)$/.exec(tool)?.[1] ?? tool
  return NATIVE.has(name) ? [tool] : (UNIVERSAL.get(purposeOf(tool)) ?? [])
}

const UNIVERSAL: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    read: ['Read'],
    write: ['Write', 'Edit'],
    edit: ['Edit'],
    search: ['Glob', 'Grep'],
    glob: ['Glob'],
    grep: ['Grep'],
    shell: ['Bash'],
    web_fetch: ['WebFetch'],
    web_search: ['WebSearch'],
    sub_agent: ['Agent'],
  }),
)

/** Its tools, by their names. */
export const NATIVE: ReadonlySet<string> = new Set(
  'Agent Bash Edit Glob Grep LS MultiEdit NotebookEdit NotebookRead Read Skill Task TodoWrite ToolSearch WebFetch WebSearch Write'.split(
    ' ',
  ),
)

/** Further tools of its versions, which a matcher of a hook may name. */
export const MORE_TOOLS: readonly string[] =
  'AskUserQuestion BashOutput CronCreate CronDelete CronList EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree KillBash KillShell LSP ListAgents ListMcpResourcesTool Monitor ReadMcpResourceTool RemoteTrigger ReportFindings ScheduleWakeup SendMessage SlashCommand TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate Workflow'.split(
    ' ',
  )

/** The tools by which a model uses skills. */
const SKILL_TOOLS: SkillTools = { use: 'Skill', read: 'Read' }

/** Claude Code names sub-agents in a header; its own calls show in their texts, which change with its version. */
export const traffic: EngineTraffic = {
  threadOf(clues) {
    // Also of what a sub-agent did.
    if (lastText(clues).startsWith(COMPACTION)) return { kind: 'side', name: 'compact' }
    const id = headerOf(clues, 'x-claude-code-agent-id')
    if (id !== '') return { kind: 'agent', id, prompt: givenPrompt(clues) }
    const name = sideCall(clues)
    return name === null ? null : { kind: 'side', name }
  },
}

function givenPrompt(clues: RequestClues): string {
  const texts = openingTexts(clues).filter((text) => !text.trimStart().startsWith('<system-reminder>'))
  return (texts.at(-1) ?? '').trim()
}

const COMPACTION = 'CRITICAL: Respond with TEXT ONLY'

function lastText({ messages }: RequestClues): string {
  return textsOf(messages.findLast((message) => message.role === 'user')).at(-1) ?? ''
}

function sideCall({ system, tools }: RequestClues): string | null {
  const words = system.join('\n')
  for (const [name, opening] of SIDE_SYSTEMS) if (words.includes(opening)) return name
  const main = MAIN_SYSTEMS.some((opening) => words.includes(opening))
  return tools.length === 0 && words.includes('Claude Code') && !main ? 'other' : null
}

const SIDE_SYSTEMS = [
  ['hook', 'You are evaluating a hook in Claude Code'],
  // Those of `stop` and `sub-agent-end` are sent below the whole conversation.
  ['hook', 'You are evaluating a stop-condition hook in Claude Code'],
  ['web-search', 'You run a web search for another Claude model'],
] as const

const MAIN_SYSTEMS = ['You are a Claude agent', 'You are Claude Code'] as const
