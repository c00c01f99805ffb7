import { stringOf, type JsonObject } from '../../lib/json.ts'
import { sha256 } from '../../lib/sha256.ts'
import { withoutSpace } from '../../lib/text.ts'
import { headerOf, openingTexts, textsOf, type EngineTraffic } from '../../recordings/messages.ts'
import type { Blocker } from '../../transcript/transcript.ts'
import { purposeOf } from '../install.ts'
import { isSandboxDenial, skillSignals, type RecordTable, type SkillTools } from '../stream.ts'

/** It has no mark for a call that failed: how a command ended is in its words, and the rest only in the stream. */
export const RECORD_TABLE: RecordTable = {
  callOf: ({ name, input }) => ({ tool: hookName(name), input }),
  plainTool: (tool) => hookName(tool.replace(/^mcp__(.+?)__/, '$1-')),
  resultOf({ text, isError: isMarked }, shown) {
    const exitCode = /<shellId: \S+ (?:completed|exited) with exit code (\d+)>\s*$/.exec(text)?.[1]
    const isClaimed = shown?.isError === true && withoutSpace(text).startsWith(withoutSpace(shown.text))
    const isError = isMarked || (exitCode === undefined ? isClaimed && !LOADED.test(text) : exitCode !== '0')
    if (!isError) return { text, isError, blockedBy: null }
    if (exitCode !== undefined) return { text, isError, blockedBy: isSandboxDenial(text) ? 'sandbox' : null }
    const claimed = shown?.blockedBy ?? null
    return {
      text,
      isError,
      blockedBy:
        claimed === 'permission'
          ? claimed
          : blockerOf({ message: text, code: claimed === 'hook' ? 'denied' : '' }, text, true),
    }
  },
  // The API has no mark for a call that failed.
  skillsOf: (call, text) => skillSignals(call, SKILL_TOOLS).filter(({ via }) => via === 'read' || LOADED.test(text)),
}

const LOADED = /^Skill ".*" loaded successfully/

/** Who stopped a call, from the error of its result and the notes on it; `null` when it ran, however it ended. */
export function blockerOf(error: JsonObject, text: string, isError: boolean): Blocker | null {
  if (!isError) return null
  if (error['code'] === 'denied') return HOOK.test(stringOf(error['message'])) ? 'hook' : 'permission'
  return isSandboxDenial(text) ? 'sandbox' : null
}

const HOOK = /^(?:Denied by \w+ hook|Permission denied by a \w+ hook|Tool result blocked:)/

/** The name by which hooks know a tool of the CLI: the one of Claude Code, where it has such a tool. */
export function hookName(tool: string): string {
  return HOOK_NAMES.get(tool) ?? tool
}

/** A hook's matcher, in which the tools that hooks know by other names here have both. */
export function hookMatcher(matcher: string): string {
  return matcher
    .replaceAll(/\bSkill\b/g, '(?:Skill|skill)')
    .replaceAll(/\bmcp__(\w+?)__(?=[\w.(*[])/g, (found, server: string) => `(?:${found}|${server}-)`)
}

/** What a tool of an agent.yaml is called in an agent file; empty when there is no such tool. */
export function toolAlias(tool: string): readonly string[] {
  const mcp = /^mcp__([^]+?)__([^]+)$/.exec(tool)
  if (mcp !== null) return [`${mcp[1]}/${mcp[2]}`]
  const name = /^(\w+)\(.*\)$/.exec(tool)?.[1] ?? tool
  return ALIASES.get(purposeOf(name)) ?? []
}

const HOOK_NAMES = new Map([
  ['bash', 'Bash'],
  ['create', 'Write'],
  ['edit', 'Edit'],
  ['apply_patch', 'Edit'],
  ['view', 'Read'],
  ['grep', 'Grep'],
  ['rg', 'Grep'],
  ['glob', 'Glob'],
  ['task', 'Agent'],
])

const ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    read: ['read'],
    write: ['edit'],
    edit: ['edit'],
    multiedit: ['edit'],
    search: ['search'],
    glob: ['search'],
    grep: ['search'],
    shell: ['execute'],
    execute: ['execute'],
    web_fetch: ['web'],
    webfetch: ['web'],
    sub_agent: ['agent'],
    agent: ['agent'],
    task: ['agent'],
    skill: ['skill'],
  }),
)

/** The tools by which a model uses skills. */
const SKILL_TOOLS: SkillTools = { use: 'skill', read: 'Read' }

/**
 * Copilot marks the requests of sub-agents on every API, without their ids: only the prompt, which includes the time,
 * tells one from another.
 */
export const traffic: EngineTraffic = {
  threadOf(clues) {
    const last = textsOf(clues.messages.at(-1)).at(-1) ?? ''
    if (last.startsWith(COMPACTION)) return { kind: 'side', name: 'compact' }
    if (headerOf(clues, 'x-interaction-type') !== 'conversation-subagent') return null
    const [opening = ''] = openingTexts(clues)
    const summarized = SUMMARIZED.exec(opening)?.[1]
    const prompt = (summarized ?? opening).replace(/^\s*<current_datetime>[^<]*<\/current_datetime>/, '').trim()
    return { kind: 'agent', id: summarized === undefined ? sha256(opening, 16) : null, prompt }
  },
}

const COMPACTION = 'Please create a detailed summary of the conversation so far. The history is being compacted'
// What a conversation begins with once it was summarized: the time is gone, and the prompt is told again.
const SUMMARIZED =
  /^Some of the conversation history has been summarized [^]*?\n<user_message>\n([^]*?)\n<\/user_message>\n/
