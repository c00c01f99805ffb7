import { readAnthropicMessage } from '../../gateway/wires/anthropic-reader.ts'
import { isJsonObject, objectsOf, stringOf, type JsonObject, type JsonValue } from '../../lib/json.ts'
import { quoteName } from '../../gateway/wires/wire.ts'
import { saysNothing } from '../../transcript/select.ts'
import type { FirstAnswer, FirstBlock, FirstDecision, FirstTurnRules } from '../engine.ts'

/** How the first turn of Claude Code decides whether a skill is used. */
export const firstTurn: FirstTurnRules = {
  dependsOn: (prompt) => DEPENDS.find(([pattern]) => pattern.test(prompt))?.[1] ?? null,
  // Whatever is in a folder with a dot, and instructions anywhere: those of a subfolder come with its first file only.
  shows: (path) => /(?:^|\/)(?:\.|(?:CLAUDE|CLAUDE\.local|AGENTS)\.md$)/i.test(path),
  isSettings: (path) => /(?:^|\/)\.claude\/settings[^/]*$/.test(path),
  mayFail,
  hookChanges: (event) => HOOKS.get(event) ?? 'request',
  skillTool: 'Skill',
  offers,
  read(contentType, bytes) {
    const reader = readAnthropicMessage(contentType)
    reader.chunk(bytes)
    const message = reader.end()
    if (message === null || !Array.isArray(message['content'])) return null
    const blocks = objectsOf(message['content']).map(blockOf)
    return { blocks, stop: stringOf(message['stop_reason']), message: JSON.stringify(message) }
  },
  readRecorded({ content, stopReason }) {
    const blocks = content.map((block): FirstBlock => {
      if (block.kind === 'text' || block.kind === 'other') return block
      return block.kind === 'thinking'
        ? { kind: 'thinking' }
        : { kind: 'call', id: block.id, tool: block.name, input: block.input }
    })
    return { blocks, stop: RECORDED_STOPS[stopReason], message: '' }
  },
  decide,
}

/** Hooks of all other events may run before the first request. */
const HOOKS: ReadonlyMap<string, ReturnType<FirstTurnRules['hookChanges']>> = new Map([
  ['session-start', 'start'],
  ['pre-prompt', 'prompt'],
  ['pre-tool-use', 'call'],
  ['permission-request', 'call'],
  ['stop', 'end'],
  ['post-tool-use', 'nothing'],
  ['session-end', 'nothing'],
  ['sub-agent-end', 'nothing'],
  ['pre-compact', 'nothing'],
  ['notification', 'nothing'],
])

/** What the CLI itself acts on, before or while it builds the request. */
const DEPENDS: readonly (readonly [RegExp, string])[] = [
  [/^\//, 'the prompt begins with /, which is a command'],
  [/^[!#]/, 'the prompt begins with ! or #'],
  [/^\s|^$/, 'the prompt is empty or begins with white space'],
  [/@/, 'the prompt contains @, which may name a file'],
  [/\$[A-Za-z_{\d]/, 'the prompt contains a variable'],
  [/\r/, 'the prompt contains a carriage return'],
  // eslint-disable-next-line no-control-regex
  [/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/, 'the prompt contains a control character'],
  [/\s$/, 'the prompt ends with white space'],
  [/ultra(?:think|code)/i, 'the prompt contains a keyword of Claude Code'],
]

// A command in the text of a skill runs when it is called, and a forked one runs as a sub-agent.
function mayFail(skill: string): string | null {
  if (/!`|```!/.test(skill)) return 'its instructions run a command'
  const head = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(skill)?.[1] ?? ''
  const field = /^(agent|context|disable-model-invocation|hooks|model|effort|paths|shell)[ \t]*:/m.exec(head)?.[1]
  return field === undefined ? null : `its front matter has \`${field}\``
}

/** The listing comes as a message of the system, a skill a line. */
function offers(body: JsonValue): readonly string[] {
  const messages = isJsonObject(body) ? objectsOf(body['messages']) : []
  const texts = messages.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : objectsOf(content).map(({ text }) => stringOf(text)),
  )
  return texts.flatMap((text) => {
    const at = text.indexOf(LISTING)
    if (at < 0) return []
    return [...text.slice(at + LISTING.length).matchAll(/^- ([^\s:]+(?::[^\s:]+)*)(?: \([^)\n]*\))?(?::|$)/gm)].flatMap(
      ([, name]) => name ?? [],
    )
  })
}

const LISTING = 'The following skills are available for use with the Skill tool:\n'

const RECORDED_STOPS = {
  'end-turn': 'end_turn',
  'tool-calls': 'tool_use',
  'max-tokens': 'max_tokens',
  refusal: 'refusal',
} as const

function blockOf(block: JsonObject): FirstBlock {
  const type = stringOf(block['type'])
  if (type === 'text') return { kind: 'text', text: stringOf(block['text']) }
  if (type === 'thinking' || type === 'redacted_thinking') return { kind: 'thinking' }
  if (type !== 'tool_use') return { kind: 'other', type }
  return { kind: 'call', id: stringOf(block['id']), tool: stringOf(block['name']), input: block['input'] ?? null }
}

function decide({ blocks, stop }: FirstAnswer, offered: readonly string[]): FirstDecision {
  const other = blocks.find((block) => block.kind === 'other')
  if (other !== undefined) return undecided(`the answer contains a block of the kind ${quoteName(other.type)}`)
  const call = blocks.find((block) => block.kind === 'call')
  if (call === undefined) {
    if (stop !== 'end_turn') return undecided(`the answer ended with ${quoteName(stop)}`)
    const hasWords = blocks.some((block) => block.kind === 'text' && !saysNothing(block.text))
    return hasWords ? { kind: 'ended' } : undecided('the answer has no words')
  }
  if (stop !== 'tool_use') return undecided(`the answer calls a tool and ended with ${quoteName(stop)}`)
  if (call.tool !== firstTurn.skillTool) return undecided(`the model first called ${plainWord(call.tool)}`)
  const { skill, args = '' } = isJsonObject(call.input) ? call.input : {}
  // The CLI refuses any other call.
  if (typeof skill !== 'string' || typeof args !== 'string') return undecided('the call of the skill cannot be read')
  if (!offered.includes(skill)) return undecided(`the model called the skill ${quoteName(skill)}, which is not offered`)
  return { kind: 'called', skill }
}

// The name of a tool is a word; what is not shows its signs.
function plainWord(name: string): string {
  const quoted = quoteName(name)
  return quoted === `"${name}"` ? name : quoted
}

function undecided(because: string): FirstDecision {
  return { kind: 'undecided', because }
}
