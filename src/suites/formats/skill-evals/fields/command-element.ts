import { noEffectAt, valueAt, type ReadDocument } from '../../../../documents/document.ts'
import type { Issue } from '../../../../documents/issue.ts'

/** Why a command of an author is not run: a suite may come from anywhere, and a workspace may lack what it needs. */
export const NO_COMMANDS = 'an eval runs no command of its suite'

/** Whether an expectation is decided by a command, by its kind or by its fields. */
export function isCommand(element: Readonly<Record<string, unknown>>, kind: string): boolean {
  return KINDS.has(kind) || (kind === '' && COMMAND_FIELDS.some((field) => isWritten(valueAt(element, field))))
}

function isWritten(value: unknown): boolean {
  return Array.isArray(value) || (typeof value === 'string' && value.trim() !== '')
}

/** Remarks on the commands of an expectation whose sentence the judge decides. */
export function unrunCommands(element: object, document: ReadDocument): readonly Issue[] {
  const written = Object.keys(element).filter((key) => COMMAND_PARTS.has(key))
  return written.map((key) => noEffectAt(document, [key], `has no effect: ${NO_COMMANDS}`))
}

const KINDS: ReadonlySet<string> = new Set([
  'bash',
  'cmd',
  'command',
  'command-succeeds',
  'command-success',
  'exec',
  'executable',
  'exit-code',
  'exit-status',
  'pytest',
  'python',
  'run',
  'run-command',
  'script',
  'shell',
  'shell-command',
])
const COMMAND_FIELDS = ['argv', 'cmd', 'command', 'exec', 'run', 'script', 'shell']
const COMMAND_PARTS: ReadonlySet<string> = new Set([
  ...COMMAND_FIELDS,
  'args',
  'expect_exit',
  'expected_exit_code',
  'exit_code',
  'file',
  'kind',
  'path',
  'type',
])
