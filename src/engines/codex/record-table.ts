import { isJsonObject, type JsonValue } from '../../json.ts'
import { stringOf } from '../../json-fields.ts'
import { blockerOf } from './blocker.ts'
import { skillsRead } from './skill-signal.ts'
import type { ModelCall, RecordTable, ShownCall } from '../record-table.ts'

/**
 * Codex numbers calls in its own way, shows none that were refused, and none of sub-agents. One call of some models is a
 * script that makes further ones, which only the stream shows.
 */
export const RECORD_TABLE: RecordTable = {
  callOf: readCall,
  // The model gets the name of an MCP server without its dashes.
  plainTool: (tool) => (tool.startsWith('mcp__') ? tool.replaceAll('-', '_') : tool),
  resultOf(given, shown) {
    const exitCode = /^Process exited with code (\d+)$/m.exec(given.text.slice(0, 200))?.[1]
    const isError = given.isError || (exitCode === undefined && shown?.isError === true)
    // The stream tells what a command printed, and nothing before it.
    const text = given.text.replace(/^Process exited with code \d+\nOutput:\n/, '')
    return { text, isError, blockedBy: blockerOf(text, isError) }
  },
  skillsOf: ({ tool, input }, text) =>
    tool === 'Bash' ? skillsRead(commandOf(input), text).map((skill) => ({ skill, via: 'read' })) : [],
  // A skill that the prompt names by `$name` is put in by the CLI itself.
  skillIn: (text) => /^\s*<skill>\s*<name>([\w.-]+)<\/name>/.exec(text)?.[1] ?? null,
  showsCalls: false,
  isCall(shown, call, result) {
    if (result !== undefined && isRefused(result)) return false
    const { tool, input } = readCall(call)
    if (RECORD_TABLE.plainTool(shown.tool) !== RECORD_TABLE.plainTool(tool)) return false
    return tool !== 'Bash' || commandOf(shown.input) === commandOf(input)
  },
  couldMake(script, { tool }) {
    const text = JSON.stringify(script.input)
    if (script.name !== SCRIPT) return tool === 'apply_patch' && text.includes(tool)
    return tool === 'Bash' ? /exec_command|shell/.test(text) : text.includes(tool.split('__').at(-1) ?? tool)
  },
  refusedIn: ({ name }, text) => (name === SCRIPT ? refusedIn(text) : []),
}

const SCRIPT = 'exec'

function isRefused({ text, isError }: { readonly text: string; readonly isError: boolean }): boolean {
  const by = blockerOf(text, isError)
  return by === 'hook' || by === 'permission' || /^(?:unsupported call: |failed to parse |\w+ failed: )/.test(text)
}

function readCall({ name, input }: Pick<ModelCall, 'input' | 'name'>): Pick<ShownCall, 'input' | 'tool'> {
  if (name === 'exec_command' || name === 'shell' || name === 'shell_command')
    return { tool: 'Bash', input: { command: commandOf(input) } }
  if (typeof input === 'string') return { tool: name, input: { [name === 'apply_patch' ? 'command' : 'input']: input } }
  return { tool: name.startsWith('mcp__') ? name.replace('.', '__') : name.replace(/^\w+\./, ''), input }
}

function commandOf(input: JsonValue): string {
  if (!isJsonObject(input)) return ''
  const { cmd, command } = input
  const words = cmd ?? command
  return Array.isArray(words) ? words.map(stringOf).join(' ') : stringOf(words)
}

// What became of the calls that were refused is in the output of their script.
function refusedIn(output: string): ReturnType<NonNullable<RecordTable['refusedIn']>> {
  return output.split('\n').flatMap((line) => {
    const command = /^Command blocked by \w+ hook: .*?\. Command: (.*)$/.exec(line)?.[1]
    return command === undefined ? [] : [{ tool: 'Bash', input: { command }, text: line }]
  })
}
