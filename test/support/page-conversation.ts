import { message } from './page-cases.ts'
import type { MadeCase } from './page-run.ts'

/** A conversation of two turns, of which the second failed. */
export function conversationCase(): MadeCase {
  const turn = { requests: 2, usage: null, files: { created: [], modified: [], deleted: [] }, skills_used: [] }
  const asked = ['Write a haiku into haiku.txt.', 'Make it about the sea.'] as const
  const check = { line: 4, message: null, weak: null }
  const judged = { evidence_found_in: 'output' }
  return {
    name: 'conversation',
    verdict: 'FAIL',
    error: 'turn 2: expected the output to contain "ocean" but it does not',
    prompt: asked.map((text, index) => `Turn ${index + 1}: ${text}`).join('\n\n'),
    run: {
      turns: [
        {
          ...turn,
          turn: 1,
          prompt: asked[0],
          outcome: 'passed',
          error: null,
          error_code: null,
          duration_seconds: 4.2,
          cost_usd: 0.01,
          tool_calls: { Bash: 1 },
          last_message: 'It is written.',
        },
        {
          ...turn,
          turn: 2,
          prompt: asked[1],
          outcome: 'failed',
          error: 'expected the output to contain "ocean" but it does not',
          error_code: null,
          duration_seconds: 2.5,
          cost_usd: 0.02,
          tool_calls: {},
          last_message: 'It is about the sea.',
        },
      ],
    },
    checks: [
      { ...check, turn: 1, kind: 'contains', value: 'written', result: 'PASS' },
      {
        ...check,
        turn: 2,
        kind: 'contains',
        value: 'ocean',
        result: 'FAIL',
        message: 'expected the output to contain "ocean" but it does not',
      },
      { ...check, kind: 'files-created', value: 'haiku.txt', result: 'PASS' },
    ],
    expectations: [
      {
        ...judged,
        turn: 1,
        text: 'It says that it wrote one.',
        evidence: [{ item: 'm4', quote: 'It is written.' }],
        reason: 'It says so.',
      },
      { ...judged, turn: 2, text: 'It is about the sea.', evidence: [{ item: 'm6', quote: 'about the sea' }] },
      { ...judged, text: 'It is a haiku at the end.', evidence: [{ item: 'm6', quote: 'It is about the sea.' }] },
    ],
    events: [
      { n: 1, agent: null, from: 'cli', kind: 'prompt', turn: 1, text: asked[0] },
      {
        n: 2,
        agent: null,
        from: 'model',
        kind: 'tool-call',
        id: 'a',
        tool: 'Bash',
        input: { command: 'printf pond > haiku.txt' },
      },
      {
        n: 3,
        agent: null,
        from: 'given to the model',
        kind: 'tool-result',
        id: 'a',
        text: '',
        isError: false,
        blockedBy: null,
      },
      message(4, 'It is written.'),
      { n: 5, agent: null, from: 'cli', kind: 'prompt', turn: 2, text: asked[1] },
      message(6, 'It is about the sea.'),
    ],
  }
}
