const SESSION = '33333333-3333-4333-8333-333333333333'

/** A session of Claude Code with one question and one answer, as its transcript file has it. */
export function historyOf(question: string, answer: string): string {
  const shared = {
    isSidechain: false,
    userType: 'external',
    cwd: '/w',
    sessionId: SESSION,
    version: '2.1.330',
    gitBranch: '',
  }
  const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
  const message = {
    id: 'msg_history',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5',
    content: [{ type: 'text', text: answer }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const lines = [
    {
      ...shared,
      parentUuid: null,
      type: 'user',
      message: { role: 'user', content: question },
      uuid: first,
      timestamp: '2026-01-01T00:00:00.000Z',
    },
    { ...shared, parentUuid: first, type: 'assistant', message, uuid: second, timestamp: '2026-01-01T00:00:01.000Z' },
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}
