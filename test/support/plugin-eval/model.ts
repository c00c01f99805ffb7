import { startMessagesServer, type MessagesServer, type ReceivedRequest, type Turn } from '../messages-server.ts'
import { CHILD, PARITY_CASES, type ParityCase } from './suite.ts'

/** The model of both runners: the agent of each case, and the judge of each grader. */
export function startParityModel(): Promise<MessagesServer> {
  const asked = new Map<string, number>()
  return startMessagesServer((request) => judgement(request, asked) ?? agentTurn(request))
}

function agentTurn({ body, index }: ReceivedRequest): Turn {
  const text = JSON.stringify(body.messages)
  const name = /CASE:([\w-]+)/.exec(text)?.[1] ?? ''
  if (name === 'child') return CHILD[Math.min(index, CHILD.length - 1)] ?? {}
  const turns = PARITY_CASES[name]?.turns ?? [{ text: 'nothing to say' }]
  const hasPlugin = JSON.stringify(body).includes('demo:hello')
  const own = isList(turns) ? turns : hasPlugin ? turns.with : turns.without
  return own[Math.min(index, own.length - 1)] ?? { text: '' }
}

function isList(turns: ParityCase['turns']): turns is readonly Turn[] {
  return Array.isArray(turns)
}

// Votes are given in the order in which they are asked for, each runner by itself.
function judgement({ body }: ReceivedRequest, asked: Map<string, number>): Turn | null {
  if ((body.tools ?? []).length > 0) return null
  const text = JSON.stringify(body)
  const [, votes, criteria] = /VOTES:([PF-]{3}) ([^."\\]+)/.exec(text) ?? []
  if (votes === undefined || criteria === undefined) return null
  const nonce = /nonce: ([0-9a-f]{32})/.exec(text)?.[1]
  const key = `${nonce === undefined ? 'theirs' : 'ours'} ${criteria}`
  const count = asked.get(key) ?? 0
  asked.set(key, count + 1)
  const vote = votes[count % votes.length]
  if (vote === '-') return { error: { status: 400, message: 'This judge is broken.' } }
  const passes = vote === 'P'
  if (nonce === undefined) return { text: passes ? 'PASS' : 'FAIL' }
  const verdict = { statement: 1, reason: 'As written.', quote: '', verdict: passes ? 'pass' : 'fail', weak: '' }
  return { text: JSON.stringify({ nonce, verdicts: [verdict], orders: '' }) }
}
