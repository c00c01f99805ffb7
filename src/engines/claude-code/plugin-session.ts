import { registeredName, toolName } from '../mocks/stand-in.ts'
import type { SessionPaths } from '../engine.ts'
import type { PluginSession } from '../plugin-session.ts'

/**
 * Arguments of a session that is run as `claude plugin eval` runs it: the plugin itself instead of its parts, and no
 * tool beyond the read-only ones unless the case allows it.
 */
export function pluginArguments(session: PluginSession, paths: SessionPaths): readonly string[] {
  const { addDirs, pluginDirs, maxTurns, allowedTools, disallowedTools, appendSystemPrompt } = session
  const folders = [paths.workspace, paths.tmp, ...pluginDirs, ...addDirs]
  const allowed = [
    'Skill',
    ...READERS.flatMap((tool) => folders.map((folder) => `${tool}(/${folder}/**)`)),
    ...allowedTools.flatMap((rule) => confine(rule, paths)),
    ...session.standIns.flatMap((one) => one.tools.map((tool) => toolName(registeredName(one), tool))),
  ]
  const withheld = GATED.filter((tool) => !allowedTools.some((rule) => nameOf(rule) === tool))
  return [
    '--permission-mode=dontAsk',
    `--max-turns=${maxTurns}`,
    ...pluginDirs.map((folder) => `--plugin-dir=${folder}`),
    ...(appendSystemPrompt === null ? [] : [`--append-system-prompt=${appendSystemPrompt}`]),
    `--allowed-tools=${allowed.join(',')}`,
    `--disallowed-tools=${[...new Set([...withheld, ...disallowedTools])].join(',')}`,
  ]
}

const READERS = ['Read', 'Glob', 'Grep']
const WRITERS: ReadonlySet<string> = new Set(['Edit', 'NotebookEdit', 'Write'])

/** Tools that act on more than the workspace, or on the person who runs it. */
const GATED = ['Bash', 'Monitor', 'PowerShell', 'SendMessage', 'WebFetch', 'WebSearch', 'Workflow']

// Without folders of its own a rule for a file tool would hold for the whole file system.
function confine(rule: string, { workspace, tmp }: SessionPaths): readonly string[] {
  if (READERS.includes(rule) || rule === 'Skill') return []
  // `Edit` rules count for every tool that writes.
  const rules = ['Edit', ...(rule === 'Edit' ? [] : [rule])]
  return WRITERS.has(rule) ? [workspace, tmp].flatMap((folder) => rules.map((one) => `${one}(/${folder}/**)`)) : [rule]
}

function nameOf(rule: string): string {
  return rule.split('(', 1)[0] ?? rule
}
