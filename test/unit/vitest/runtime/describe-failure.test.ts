import { expect, test, vi } from 'vitest'
import { summarizeRun } from '../../../../src/report/build/summarize-run.ts'
import { describeFailure } from '../../../../src/vitest/runtime/describe-failure.ts'
import { agentRun } from '../../../support/agent-run.ts'
import { caseResult } from '../../../support/case-result.ts'
import { toPrintableFailure } from '../../../../src/lib/text.ts'
import type { JsonObject } from '../../../../src/lib/json.ts'
import type { RunSettings } from '../../../../src/options/settings.ts'
import type { TranscriptEvent } from '../../../../src/transcript/transcript.ts'

const settings = { root: '/repo', cwd: '/repo', command: 'npx vitest run --project evals' } as RunSettings

test('a failure lists the calls that were refused or failed', () => {
  const call = (n: number, tool: string, input: JsonObject): TranscriptEvent => {
    return { n, agent: null, from: 'model', kind: 'tool-call', id: `t${n}`, tool, input }
  }
  const result = (
    n: number,
    text: string,
    blockedBy: 'hook' | 'permission' | null,
    isError = true,
  ): TranscriptEvent => ({
    n: n + 1,
    agent: null,
    from: 'given to the model',
    kind: 'tool-result',
    id: `t${n}`,
    text,
    isError,
    blockedBy,
  })
  const run = agentRun({
    transcript: [
      call(1, 'Write', { file_path: '/etc/hosts' }),
      result(1, "EROFS: Read-only file system, open '/etc/hosts'", null),
      call(3, 'Bash', { command: 'ls' }),
      result(3, 'a.txt', null, false),
      call(5, 'Write', { file_path: 'a.txt' }),
      result(5, 'BLOCKED: protected path', 'hook'),
      call(7, 'Bash', { command: 'sudo ls' }),
      result(7, 'This command needs approval', 'permission'),
    ],
  })
  const failed = caseResult('one', { outcome: 'failed', runs: [summarizeRun(run, 1, null)] })
  const failure = describeFailure(failed, 'It is not there.', settings)
  expect(failure.split('refused or failed calls:\n')[1]?.split('\n\n')[0]).toMatchInlineSnapshot(`
    "  | Write {"file_path":"/etc/hosts"} failed: EROFS: Read-only file system, open '/etc/hosts'
      | Write {"file_path":"a.txt"} was stopped by the hook: BLOCKED: protected path
      | Bash {"command":"sudo ls"} was stopped by the permission: This command needs approval"
  `)
})

test('in a terminal, what stands below the failure is not red', () => {
  vi.stubEnv('FORCE_TTY', 'true')
  vi.stubEnv('NO_COLOR', '')
  try {
    const failure = caseResult('a', {
      runs: [{ ...summarizeRun(agentRun(), 1, null), internal: { lastMessage: 'Bye\u001B[31m' } }],
    })
    const shown = toPrintableFailure(describeFailure(failure, 'expected Hello', settings))
    expect(shown).toMatch(/^expected Hello\n\n\u001B\[0mlast message:\n {2}\| Bye\\x1b\[31m\n/)
    vi.stubEnv('NO_COLOR', '1')
    expect(describeFailure(failure, 'expected Hello', settings)).not.toContain('\u001B')
  } finally {
    vi.unstubAllEnvs()
  }
})
