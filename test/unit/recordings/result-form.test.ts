import { expect, test } from 'vitest'
import { claudeCode } from '../../../src/engines/claude-code/engine.ts'
import { codex } from '../../../src/engines/codex/engine.ts'
import { copilot } from '../../../src/engines/copilot/engine.ts'
import { createResultForm } from '../../../src/recordings/messages.ts'
import { INSIDE_TOP_FOLDERS } from '../../../src/sandbox/environment.ts'
import type { Engine } from '../../../src/engines/engine.ts'

const plain = createResultForm([], INSIDE_TOP_FOLDERS)

test.for([
  ['/note.txt is protected', '⟨parent⟩/note.txt is protected'],
  ['open "/data/a b.txt"', 'open "⟨parent⟩/data/a b.txt"'],
  ['file:///note.txt', 'file://⟨parent⟩/note.txt'],
  ['ENOENT:/note.txt, (/other)', 'ENOENT:⟨parent⟩/note.txt, (⟨parent⟩/other)'],
  ['/', '⟨parent⟩'],
  ['⟨workspace⟩/../note.txt', '⟨workspace⟩/../note.txt'],
  ['/usr/bin/node /etc/passwd /tmp/x /dev/null /proc/1 /home/agent /workspace', null],
  ['https://example.org/a and/or 1/2 ./a ../b ~/c ${ROOT}/d $(pwd)/e */f </usage> // a / b', null],
] as const)('%s is written %s', ([line, written]) => {
  const once = plain(line, null)
  expect(once).toBe(written ?? line)
  expect(plain(once, null)).toBe(once)
})

test.for<readonly [Engine, string, string, string]>([
  [claudeCode, 'Agent', 'duration_ms: 286</usage>', 'duration_ms: #</usage>'],
  [claudeCode, 'Task', '<usage>subagent_tokens: 12', '<usage>subagent_tokens: #'],
  [
    claudeCode,
    'Agent',
    "agentId: ab21 (use SendMessage with to: 'ab21', summary: '<recap>' to continue this agent)",
    "agentId: # (use SendMessage with to: '#', summary: '<recap>' to continue this agent)",
  ],
  [claudeCode, 'Agent', 'tool_uses: 2', 'tool_uses: 2'],
  [claudeCode, 'Bash', 'duration_ms: 286', 'duration_ms: 286'],
  [
    claudeCode,
    'Bash',
    'Command running in background with ID: b12x. Output is being written to: ⟨tmp⟩/c/tasks/b12x.output. You will be notified.',
    'Command running in background with ID: #. Output is being written to: #. You will be notified.',
  ],
  [
    codex,
    'spawn_agent',
    '{"agent_id":"01a201a6-4d55-7530-8796-32ee27dacaa2","nickname":"Locke"}',
    '{"agent_id":"#","nickname":"#"}',
  ],
  [
    codex,
    'wait',
    '{"status":{"01a201a6-4d55-7530-8796-32ee27dacaa2":{"completed":"Done."}}}',
    '{"status":{"#":{"completed":"Done."}}}',
  ],
  [codex, 'exec_command', 'Process running with session ID 71234', 'Process running with session ID #'],
  [copilot, 'bash', '<shellId: 12 completed with exit code 0>', '<shellId: # completed with exit code 0>'],
])('%o writes %s as no drift', ([{ ownValues = [] }, tool, line, written]) => {
  const form = createResultForm(ownValues, INSIDE_TOP_FOLDERS)
  expect(form(line, tool)).toBe(written)
  expect(form(form(line, tool), tool)).toBe(written)
})
